"""Items that may be alike in two ways that cross (document and prompt, document and seed): robust errors for both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.stats.clusters import ClusterError, cluster_error

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.result import Result

METHOD = "t with errors robust to both kinds of clusters"


def two_way_error(result: Result, contributions: Floats) -> ClusterError:
    """Of the mean of what the items contribute: neither kind of cluster can be resampled without breaking the other."""
    return cluster_error(contributions - contributions.mean(), *result.kinds)


def two_way_interval(result: Result, name: str) -> tuple[float, float]:
    """The interval of a number, within its bounds."""
    low, high = two_way_error(result, result.contributions[name]).interval(result.values[name])
    least, most = result.parts[name][1].bounds
    return low if least is None else max(low, least), high if most is None else min(high, most)


def no_two_way(result: Result, name: str) -> str | None:
    """Why a number has no such error: it is not made from what single items contribute."""
    if len(result.contributions.get(name, ())) == result.n:
        return None
    return "no interval: two kinds of clusters take a number to which each item contributes by itself"
