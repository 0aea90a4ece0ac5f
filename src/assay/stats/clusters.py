"""Cluster-robust standard errors, for rows that share a document, an annotator, or both.

They are computed from the influence of each row on the estimate, such that the estimate is about the true value plus
the mean influence. For a mean, the influence is the value minus the mean; for a ratio or a metric of sums, it is the
derivative with respect to the statistics of the row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.distributions import t_quantile, t_two_sided
from assay.stats.pivot import ROUNDING
from assay.stats.validation import UndefinedStatistic, finite_vector, group_codes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True)
class ClusterError:
    """A standard error, its degrees of freedom, the number of clusters of each kind, and a note."""

    error: float
    df: int
    clusters: tuple[int, ...]
    note: str = ""

    def interval(self, estimate: float, level: float = 0.95) -> tuple[float, float]:
        """Return the interval around the estimate by Student's t."""
        reach = t_quantile((1 + level) / 2, self.df) * self.error
        return estimate - reach, estimate + reach

    def p(self, estimate: float) -> float:
        """Return the two-sided p of the hypothesis that the true value is 0."""
        if self.error <= ROUNDING * abs(estimate):
            if not estimate:
                return 1.0
            raise UndefinedStatistic("all clusters have the same value, so t has no value")
        return t_two_sided(estimate / self.error, self.df)


def cluster_error(influence: ArrayLike, *clusters: ArrayLike) -> ClusterError:
    """Return the standard error of an estimate with one or more crossed kinds of clusters.

    Multi-way clustering of Cameron, Gelbach and Miller (2011): the variances of each kind of cluster minus those of
    rows that share two kinds, and so on, each with the factor G / (G - 1) for G clusters. The degrees of freedom are
    the smallest number of clusters minus 1. If a one-way variance is larger, it is used: the difference of variances is
    noisy, and for independent rows it would reject 7 % of true null hypotheses at .05.
    """
    psi = finite_vector(influence, 2)
    n = len(psi)
    if not clusters:
        return ClusterError(float(psi.std(ddof=1)) / math.sqrt(n), n - 1, (n,))
    kinds = [group_codes(kind) for kind in clusters]
    if any(len(kind) != n for kind in kinds):
        raise UndefinedStatistic(f"there are {n} influences; every kind of cluster needs as many")
    sizes = tuple(int(kind.max()) + 1 for kind in kinds)
    if min(sizes) < 2:
        raise UndefinedStatistic("a standard error needs at least two clusters of every kind")
    variance = 0.0
    alone = []
    for many in range(1, len(kinds) + 1):
        for chosen in combinations(kinds, many):
            codes = group_codes(*chosen)
            groups = int(codes.max()) + 1
            part = groups / (groups - 1) * float(np.sum(np.bincount(codes, psi) ** 2)) / n**2
            variance += part if many % 2 else -part
            alone += [part] if many == 1 else []
    note = ""
    if max(alone) > max(variance, 0.0):
        variance = max(alone)
        note = "a one-way variance is larger than the two-way variance and is used, which is conservative"
    return ClusterError(math.sqrt(max(variance, 0.0)), min(sizes) - 1, sizes, note)
