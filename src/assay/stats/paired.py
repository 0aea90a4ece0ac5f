"""Paired comparison of two systems: difference, p of a permutation test, and an interval consistent with it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.stats.pivot import Pivot

Values = NDArray[np.float64]


class Difference(NamedTuple):
    """The difference b - a of two systems on one score, with its test and interval."""

    difference: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    floor: bool = False
    """Whether no permutation was as extreme: p is an upper bound."""
    pivot: Pivot | None = None
    effect: float | None = None
    """Difference in standard deviations of the items' contributions."""
    why: str | None = None
    """Reason if p or the interval is missing."""
    smallest_p: float = 0.0
    """The smallest p that the test could give for these outputs, whichever system each belongs to."""

    def between(self, ends: tuple[float, float] | None) -> Difference:
        """Return a copy with this interval."""
        return self if ends is None else self._replace(low=float(ends[0]), high=float(ends[1]))


def count_extreme(gaps: Values, difference: float) -> int:
    """Return the number of differences under the null hypothesis that are at least as large as the observed one."""
    # Differences that are equal up to rounding count, because the order of summation must not decide p.
    return int((np.abs(gaps) >= abs(difference) - 1e-12 * max(1.0, abs(difference))).sum())


def permutation_p(extreme: int, drawn: int, *, exact: bool = False) -> float:
    """Return p from the number of extreme permutations; random permutations include the identity, so 1 is added."""
    return extreme / drawn if exact else (extreme + 1) / (drawn + 1)


def reconcile_interval(ends: tuple[float, float], p: float, alpha: float) -> tuple[float, float]:
    """Return the interval, adjusted so that it contains zero exactly if the test does not reject.

    Interval and test come from different procedures, which can disagree at the margin. The end nearer to zero is then
    moved to zero, or just past it if the test rejects.
    """
    low, high = ends
    if p >= alpha:
        return min(low, 0.0), max(high, 0.0)
    if low <= 0 <= high:
        tiny = max(high - low, np.finfo(float).tiny) * 1e-9
        return (tiny, high) if high > -low else (low, -tiny)
    return low, high


def items_needed(difference: float, error: float, n: int, critical: float = 1.96) -> int | None:
    """Return the approximate number of items needed to detect a difference with 80 % power.

    The standard error decreases with the square root of the number of items; 0.84 is the normal quantile of the power.

    Args:
        difference: The true difference.
        error: Its standard error on n items.
        n: Number of items.
        critical: Size in standard errors from which a difference is significant, larger if p is corrected.
    """
    if not difference:
        return None
    return int(np.ceil(n * ((critical + 0.84) * error / difference) ** 2))
