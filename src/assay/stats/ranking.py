"""Ranks that admit doubt: systems that cannot be told apart share one, and resamples give each an interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def shared_ranks(values: ArrayLike, p: ArrayLike, alpha: float = 0.05) -> list[int]:
    """Rank = 1 + the number of systems with a higher value and (adjusted) p below alpha against this one.

    A system may be told from one above it while another with a lower value is not. It shares the better rank of the
    two: what is ahead by its value is never put behind by its rank.
    """
    value, chance = np.asarray(values, dtype=np.float64), np.asarray(p, dtype=np.float64)
    if chance.shape != (len(value), len(value)):
        raise UndefinedStatistic(f"{len(value)} systems need a {len(value)} x {len(value)} table of p-values")
    beaten = (value[None, :] > value[:, None]) & (chance < alpha)
    ranks = 1 + beaten.sum(axis=1)
    return [int(ranks[value <= own].min()) for own in value]


@dataclass(frozen=True)
class RankInterval:
    """The ranks that hold the middle `level` share of the resamples."""

    low: int
    high: int


def rank_intervals(resampled: ArrayLike, level: float = 0.95) -> list[RankInterval]:
    """From values of shape (resamples, systems), higher better: where each system's rank lies.

    A tie counts against neither side: the low end takes the best place of the tie, the high end its worst.
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
