"""Ranks with uncertainty: systems without a significant difference share a rank, and resamples give rank intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def shared_ranks(values: ArrayLike, p: ArrayLike, alpha: float = 0.05) -> list[int]:
    """Return ranks: 1 + the number of systems with a higher value and a significant difference.

    A system can differ significantly from a better one while a third system with a lower value does not. It then shares
    the better rank, so that no system has a worse rank than one with a lower value.

    Args:
        values: Scores, higher is better.
        p: Adjusted p of each pair of systems.
        alpha: Significance level.
    """
    value, p_values = np.asarray(values, dtype=np.float64), np.asarray(p, dtype=np.float64)
    if p_values.shape != (len(value), len(value)):
        raise UndefinedStatistic(f"{len(value)} systems need a {len(value)} x {len(value)} table of p values")
    beaten = (value[None, :] > value[:, None]) & (p_values < alpha)
    ranks = 1 + beaten.sum(axis=1)
    return [int(ranks[value <= own].min()) for own in value]


@dataclass(frozen=True)
class RankInterval:
    """The interval of ranks with the central share of the resamples."""

    low: int
    high: int


def rank_intervals(resampled: ArrayLike, level: float = 0.95) -> list[RankInterval]:
    """Return the rank interval of each system from values of shape (resamples, systems), higher is better.

    For ties, the low end has the best rank of the tie and the high end the worst.
    """
    values: NDArray[np.float64] = np.asarray(resampled, dtype=np.float64)
    if values.ndim != 2 or not len(values):
        raise UndefinedStatistic("rank intervals need a table of resamples x systems")
    above = (values[:, None, :] > values[:, :, None]).sum(axis=2) + 1
    not_below = (values[:, None, :] >= values[:, :, None]).sum(axis=2)
    tail = (1 - level) / 2
    low = np.quantile(above, tail, axis=0, method="inverted_cdf")
    high = np.quantile(not_below, 1 - tail, axis=0, method="inverted_cdf")
    return [RankInterval(int(a), int(b)) for a, b in zip(low, high, strict=True)]
