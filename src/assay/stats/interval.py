"""Percentile and Wilson confidence intervals, and the numbers of resamples and items that they need."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import AssayError
from assay.stats.distributions import normal_quantile, t_quantile

LEVEL = 0.95
MIN_RESAMPLES = 20
"""Smallest number of resamples: with fewer, the ends of a 95 % interval would be the extremes."""
LEVELS = (90, 95, 99)
"""Usual confidence levels, and no usual numbers of resamples."""
FEWEST_UNITS = 10
"""Smallest number of independent items: with fewer, no interval has its nominal coverage."""
ROUGH_UNITS = 50
"""Number of items below which coverage is slightly less than nominal."""
FEWEST_DIFFERENT = 8
"""Number of items that must differ from the most frequent value: a mean of nearly equal values depends on them."""


ROUNDED = 9
"""Digits, relative to the largest value, beyond which values are equal: contributions have rounding errors."""


def few_changed(changed: int, n: int) -> str | None:
    """Return why a difference has no interval if too few units have different outputs; else None."""
    if changed >= FEWEST_DIFFERENT:
        return None
    return f"no interval: only {changed} of {n} differ between the systems, at least {FEWEST_DIFFERENT} are needed"


def check_resampling(ci: int, seed: int) -> None:
    """Check the number of resamples of intervals (0 for no intervals) and the random seed."""
    if ci in LEVELS or 0 < ci < 1:
        raise AssayError(f"ci={ci} would be the number of resamples; the level is always 95 %. Use 1000.")
    if ci and ci < MIN_RESAMPLES:
        raise AssayError(
            f"ci={ci}: intervals need at least {MIN_RESAMPLES} resamples. Use 1000, or 0 for no intervals."
        )
    check_seed(seed)


def check_samples(samples: int | None, seed: int) -> None:
    """Check the number of resamples of a test, if it is stated, and the random seed."""
    if samples is not None and samples < MIN_RESAMPLES:
        raise AssayError(f"samples={samples}: use at least {MIN_RESAMPLES} resamples (1000 is usual).")
    check_seed(seed)


def check_seed(seed: int) -> None:
    if seed < 0:
        raise AssayError(f"seed={seed} is negative. Use an integer from 0.")


def expansion(units: int) -> float:
    """Return the factor by which the deviations of a bootstrap are expanded for small samples (Hesterberg, 2015).

    A bootstrap divides by n instead of n - 1, and its percentiles are normal instead of Student's t: with 10 items, an
    interval would be a fifth too narrow.
    """
    if units < 2:
        return 1.0
    tail = (1 + LEVEL) / 2
    return sqrt(units / (units - 1)) * t_quantile(tail, units - 1) / normal_quantile(tail)


def too_few(units: int, fewest: int = FEWEST_UNITS, what: str = "items") -> str | None:
    """Return why there is no interval if there are too few independent units; else None."""
    if units >= fewest:
        return None
    return f"no interval: {units} {what if units != 1 else what.removesuffix('s')}, at least {fewest} are needed"


def too_alike(values: NDArray[np.float64]) -> str | None:
    """Return why there is no interval if nearly all values are equal; else None.

    If most values are equal and the rest has few distinct values, the mean is a proportion of rare cases, which needs
    more items.
    """
    if len(values) >= ROUGH_UNITS and _many_differ(values):
        return None
    values = np.round(values / max(float(np.abs(values).max(initial=0.0)), 1e-300), ROUNDED)
    counts = np.unique(values, return_counts=True)[1]
    n, usual = len(values), int(counts.max(initial=0))
    different = n - usual
    if not different:
        return f"no interval: all {n} values are identical"
    if different < FEWEST_DIFFERENT:
        return (
            f"no interval: only {different} of {n} values differ from the rest, at least {FEWEST_DIFFERENT} are needed"
        )
    if n < ROUGH_UNITS and 2 * usual > n and len(counts) <= FEWEST_DIFFERENT:
        return (
            f"no interval: {usual} of {n} values are identical, at least {ROUGH_UNITS} items are needed for rare cases"
        )
    return None


def _many_differ(values: NDArray[np.float64]) -> bool:
    """Return whether enough values differ from the most frequent one, without sorting all.

    If too few differ, the most frequent value of all is also that of the first values.
    """
    first, counts = np.unique(values[: 2 * FEWEST_DIFFERENT], return_counts=True)
    far = 10.0**-ROUNDED * float(np.abs(values).max(initial=0.0))
    return bool(np.count_nonzero(np.abs(values - first[counts.argmax()]) > far) >= FEWEST_DIFFERENT)


def rate_interval(share: float, n: float, df: float | None = None, reach: float | None = None) -> tuple[float, float]:
    """Return Wilson's interval of a rate.

    Args:
        share: The rate, from 0 to 1.
        n: Effective sample size: share * (1 - share) / variance.
        df: Degrees of freedom of the variance (default: known).
        reach: Critical value (default: that of a 95 % confidence interval).
    """
    if reach is None:
        reach = normal_quantile(0.975) if df is None else t_quantile(0.975, df)
    square = reach * reach
    centre = share + square / (2 * n)
    spread = reach * sqrt(share * (1 - share) / n + square / (4 * n * n))
    low, high = (centre - spread) / (1 + square / n), (centre + spread) / (1 + square / n)
    return max(0.0, min(low, share)), min(1.0, max(high, share))


def wilson_interval(successes: float, n: float) -> tuple[float, float]:
    """Return Wilson's interval of the proportion successes / n, which has good coverage near 0 and 1.

    Args:
        successes: Number of successes.
        n: Number of trials; may be an effective sample size.
    """
    return rate_interval(successes / n, n)


def clustered_wilson_interval(hits: NDArray[np.float64], clusters: NDArray[np.int64]) -> tuple[float, float]:
    """Return Wilson's interval of a proportion of clustered items, with the effective sample size of the clusters.

    The variance is that between few clusters, so the effective size is reduced as Student's t widens an interval. If
    all items or none are successes, the correlation within clusters is unknown and each cluster counts as one item.
    """
    n, share, number = len(hits), float(hits.mean()), len(np.unique(clusters))
    effective = float(number)
    if number > 1:
        variance = float((np.bincount(clusters, hits - share) ** 2).sum()) / n**2 * number / (number - 1)
        if 0 < share < 1 and variance > 0:
            effective = min(n, share * (1 - share) / variance)
        if number < n:
            tail = (1 + LEVEL) / 2
            effective *= (normal_quantile(tail) / t_quantile(tail, number - 1)) ** 2
    low, high = wilson_interval(share * effective, effective)
    return min(low, share), max(high, share)


def percentile(samples: ArrayLike, level: float = LEVEL) -> tuple[float, float] | None:
    """Return the percentile interval of resampled values; None if too few of them are not NaN."""
    values: NDArray[np.float64] = np.asarray(samples, dtype=np.float64)
    values = np.sort(values)  # NaN comes last
    values = values[: len(values) - np.count_nonzero(np.isnan(values))]
    if len(values) < MIN_RESAMPLES:
        return None
    tail = (1 - level) / 2
    return _quantile(values, tail), _quantile(values, 1 - tail)


def widened_interval(
    value: float, samples: ArrayLike, units: int, bounds: tuple[float, float] = (-np.inf, np.inf)
) -> tuple[float, float] | None:
    """Return a percentile interval with the small-sample expansion, clipped to `bounds`; None with too few units."""
    if too_few(units):
        return None
    return percentile(np.clip(value + (np.asarray(samples, dtype=np.float64) - value) * expansion(units), *bounds))


def _quantile(ordered: NDArray[np.float64], share: float) -> float:
    """Return the value of `np.quantile`, to the last bit; faster for a thousand values."""
    place = share * (len(ordered) - 1)
    below = int(place)
    a, b = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    part = place - below
    return b - (b - a) * (1 - part) if part >= 0.5 else a + (b - a) * part
