"""Standardised effects of a paired difference: how large it is against the spread of items, with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.distributions import noncentral_t_upper
from assay.stats.undefined import UndefinedStatistic, finite_pair

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Effect:
    """A standardised effect and its interval."""

    value: float
    low: float
    high: float


def d_z(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Effect:
    """Cohen's d_z of b - a: the mean difference by the standard deviation of the differences.

    It says how consistent the difference is over items, and is what the power of a paired test depends on. The interval
    is exact for normal differences: the shifts of the noncentral t under which the observed t is just not surprising.
    """
    x, y = finite_pair(a, b, 2)
    gaps = y - x
    spread = float(gaps.std(ddof=1))
    _refuse(spread, "all differences are equal")
    t = float(gaps.mean()) / spread * math.sqrt(len(gaps))
    low, high = shift_interval(t, len(gaps) - 1, level)
    root = math.sqrt(len(gaps))
    return Effect(t / root, low / root, high / root)


def d_av(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Effect:
    """Cohen's d_av of b - a: the mean difference by the standard deviation of a system's values.

    The deviation is the root mean square of the two systems'. It says how large the difference is among items as they
    are, and may be compared with effects of unpaired studies. The interval is that of Algina and Keselman (2003).
    """
    x, y = finite_pair(a, b, 2)
    gaps = y - x
    spread, typical = float(gaps.std(ddof=1)), math.sqrt((float(x.var(ddof=1)) + float(y.var(ddof=1))) / 2)
    _refuse(typical, "neither system's values vary")
    _refuse(spread, "all differences are equal")
    t = float(gaps.mean()) / spread * math.sqrt(len(gaps))
    low, high = shift_interval(t, len(gaps) - 1, level)
    per_shift = spread / math.sqrt(len(gaps)) / typical
    return Effect(t * per_shift, low * per_shift, high * per_shift)


def shift_interval(t: float, df: float, level: float = 0.95) -> tuple[float, float]:
    """The shifts of a noncentral t that leave (1 - level) / 2 of it beyond the observed t, on either side."""
    tail = (1 - level) / 2
    return _shift(t, df, tail), _shift(t, df, 1 - tail)


def _shift(t: float, df: float, above: float) -> float:
    """The shift under which that share lies above t; the share grows with the shift."""
    reach = 10 * max(1.0, abs(t)) / math.sqrt(min(df, 10)) + 10
    low, high = t - reach, t + reach
    for _ in range(52):
        middle = (low + high) / 2
        low, high = (middle, high) if noncentral_t_upper(t, df, middle) < above else (low, middle)
    return (low + high) / 2


def _refuse(spread: float, why: str) -> None:
    if not spread > 0 or not np.isfinite(spread):
        raise UndefinedStatistic(f"{why}, so there is no standardised effect")
