"""Cluster-robust standard errors for two crossed cluster fields, such as document and prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.stats.clusters import ClusterError, cluster_error

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.result import Result

METHOD = "t test with two-way cluster-robust standard errors"


def two_way_error(result: Result, contributions: Floats) -> ClusterError:
    """Return the standard error of the mean contribution: resampling one kind of cluster would break the other."""
    return cluster_error(contributions - contributions.mean(), *result.kinds)


def two_way_interval(result: Result, name: str) -> tuple[float, float]:
    """Return the confidence interval of a metric, clipped to its bounds."""
    low, high = two_way_error(result, result.contributions[name]).interval(result.values[name])
    least, most = result.parts[name][1].bounds
    return low if least is None else max(low, least), high if most is None else min(high, most)


def no_two_way(result: Result, name: str) -> str | None:
    """Return why a metric has no such error: it is not a mean of contributions of items. None if it has one."""
    if len(result.contributions.get(name, ())) == result.n:
        return None
    return "no interval: two cluster fields require a metric that is a mean over items"
