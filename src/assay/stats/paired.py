"""Paired comparison of two systems from resampled values: interval of the difference and p."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.stats.interval import percentile

Values = NDArray[np.float64]


class Difference(NamedTuple):
    difference: float
    low: float | None
    high: float | None
    p: float | None
    error: float | None = None
    """The standard error of the difference."""


def from_bootstrap(a: float, b: float, resampled_a: Values, resampled_b: Values) -> Difference:
    """The difference b - a, its percentile interval, and p from the same draws.

    p is the share of resampled differences that, once centred on zero (the null hypothesis), are at least as
    large as the observed one. One is added above and below, so that p is never 0 and never overstated.
    """
    difference = b - a
    gaps = resampled_b - resampled_a
    gaps = gaps[~np.isnan(gaps)]
    interval = percentile(gaps)
    if np.isnan(difference) or interval is None:
        return Difference(difference, None, None, None)
    return Difference(difference, *interval, _p(gaps - gaps.mean(), difference), float(gaps.std()))


def from_permutation(a: float, b: float, swapped_a: Values, swapped_b: Values, *, exact: bool = False) -> float | None:
    """p of b - a when each item's two outputs are swapped at random; `exact` when these are all possible swaps."""
    gaps = swapped_b - swapped_a
    gaps = gaps[~np.isnan(gaps)]
    if np.isnan(b - a) or not len(gaps):
        return None
    return _p(gaps, b - a, exact)


def _p(null: Values, difference: float, exact: bool = False) -> float:
    # Differences equal up to rounding count as "at least as large": summation order must not decide a p-value.
    extreme = int((np.abs(null) >= abs(difference) - 1e-12 * max(1.0, abs(difference))).sum())
    return extreme / len(null) if exact else (extreme + 1) / (len(null) + 1)


def items_needed(difference: float, error: float, n: int) -> int | None:
    """About how many items it takes to find a difference of this size (5 % two-sided, 80 % power).

    The standard error shrinks with the square root of the number of items; 1.96 and 0.84 are the normal
    quantiles of the two error rates.
    """
    if not difference:
        return None
    return int(np.ceil(n * ((1.96 + 0.84) * error / difference) ** 2))
