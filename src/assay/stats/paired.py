"""Paired comparison of two systems: p from swapped items, and an interval that agrees with it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.stats.pivot import Pivot

Values = NDArray[np.float64]


class Difference(NamedTuple):
    """What is known of b - a."""

    difference: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    floor: bool = False
    """Whether no swap came as far: p is at most what it says."""
    pivot: Pivot | None = None
    effect: float | None = None
    """In standard deviations of the items' contributions."""
    why: str | None = None
    """Why something is missing."""

    def between(self, ends: tuple[float, float] | None) -> Difference:
        """The same with this interval."""
        return self if ends is None else self._replace(low=float(ends[0]), high=float(ends[1]))


def count_extreme(gaps: Values, difference: float) -> int:
    """How many differences under the null hypothesis are at least as large as the one observed."""
    # Equal up to rounding counts as "at least as large": summation order must not decide a p-value.
    return int((np.abs(gaps) >= abs(difference) - 1e-12 * max(1.0, abs(difference))).sum())


def permutation_p(extreme: int, drawn: int, *, exact: bool = False) -> float:
    """p from so many extreme swaps; of random ones one is added, for the swap that changes nothing."""
    return extreme / drawn if exact else (extreme + 1) / (drawn + 1)


def reconcile_interval(ends: tuple[float, float], p: float, alpha: float) -> tuple[float, float]:
    """The interval, with zero inside exactly where its own test does not reject it.

    Every other value is judged by the interval's own procedure, zero by the test. They differ at the margin only; the
    end that is nearer to zero is then moved there, and just beyond it where zero is rejected.
    """
    low, high = ends
    if p >= alpha:
        return min(low, 0.0), max(high, 0.0)
    if low <= 0 <= high:
        tiny = max(high - low, np.finfo(float).tiny) * 1e-9
        return (tiny, high) if high > -low else (low, -tiny)
    return low, high


def items_needed(difference: float, error: float, n: int) -> int | None:
    """About how many items it takes to find a difference of this size (5 % two-sided, 80 % power).

    The standard error shrinks with the square root of the number of items; 1.96 and 0.84 are the normal
    quantiles of the two error rates.
    """
    if not difference:
        return None
    return int(np.ceil(n * ((1.96 + 0.84) * error / difference) ** 2))
