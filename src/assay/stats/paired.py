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
    return Difference(difference, *interval, _p(gaps - gaps.mean(), difference))


def from_permutation(a: float, b: float, swapped_a: Values, swapped_b: Values) -> float | None:
    """p of b - a when each item's two outputs are swapped at random (approximate randomisation)."""
    gaps = swapped_b - swapped_a
    gaps = gaps[~np.isnan(gaps)]
    if np.isnan(b - a) or not len(gaps):
        return None
    return _p(gaps, b - a)


def _p(null: Values, difference: float) -> float:
    # Differences equal up to rounding count as "at least as large": summation order must not decide a p-value.
    extreme = np.abs(null) >= abs(difference) - 1e-12 * max(1.0, abs(difference))
    return (int(extreme.sum()) + 1) / (len(null) + 1)
