"""Intervals of resampled values, how many resamples and how many independent items they take."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import AssayError
from assay.stats.distributions import normal_quantile, t_quantile

LEVEL = 0.95


MIN_RESAMPLES = 20
"""With fewer resamples the ends of a 95 % interval would be its extremes."""
FEWEST_UNITS = 10
"""With fewer independent items no interval keeps its promise."""
ROUGH_UNITS = 50
"""With fewer, intervals cover a little less than they say."""
FEWEST_DIFFERENT = 8
"""So many items must differ from the usual one: a mean of nearly equal values rests on the few that are not."""


def check_resampling(ci: int, seed: int) -> None:
    """Refuse a number of resamples that gives no interval (0 asks for none), and a seed that is none."""
    if ci and ci < MIN_RESAMPLES:
        raise AssayError(f"ci={ci}: an interval takes at least {MIN_RESAMPLES} resamples, 1000 are usual; 0 for none")
    if seed < 0:
        raise AssayError(f"seed={seed}: give a whole number from 0 on")


def expansion(units: int) -> float:
    """What the deviations of a bootstrap are to be multiplied by, so that few units do not look surer than they are.

    A bootstrap divides by n where an unbiased variance divides by n - 1, and its percentiles are those of a normal
    where Student's t belongs: with 10 items an interval is a fifth too narrow (Hesterberg, 2015).
    """
    if units < 2:
        return 1.0
    tail = (1 + LEVEL) / 2
    return sqrt(units / (units - 1)) * t_quantile(tail, units - 1) / normal_quantile(tail)


def too_few(units: int, fewest: int = FEWEST_UNITS, what: str = "items") -> str | None:
    """Why there is no interval, where there are too few independent units for one."""
    if units >= fewest:
        return None
    return f"no interval: {units} {what if units != 1 else what.removesuffix('s')}, and it takes {fewest}"


def too_alike(values: NDArray[np.float64]) -> str | None:
    """Why there is no interval, where nearly all units say the same.

    A mean of units most of which are equal and the rest has few values is a share of rare cases: that they were seen
    often enough here is itself luck, which takes more units to even out.
    """
    if len(values) >= ROUGH_UNITS and _many_differ(values):
        return None
    counts = np.unique(values, return_counts=True)[1]
    n, usual = len(values), int(counts.max(initial=0))
    different = n - usual
    if not different:
        return f"no interval: all {n} are equal"
    if different < FEWEST_DIFFERENT:
        return f"no interval: only {different} of {n} differ from the rest, and it takes {FEWEST_DIFFERENT}"
    if n < ROUGH_UNITS and 2 * usual > n and len(counts) <= FEWEST_DIFFERENT:
        return f"no interval: {usual} of {n} are equal, a share of rare cases, and it takes {ROUGH_UNITS}"
    return None


def _many_differ(values: NDArray[np.float64]) -> bool:
    """Whether enough differ from the usual one, without sorting all: if they are fewer, it is the one that most of the
    first values are."""
    first, counts = np.unique(values[: 2 * FEWEST_DIFFERENT], return_counts=True)
    return bool(np.count_nonzero(values != first[counts.argmax()]) >= FEWEST_DIFFERENT)


def wilson_interval(found: float, n: float) -> tuple[float, float]:
    """Wilson's interval of a share, which covers near 0 and 1 too; n may be an effective number."""
    z = normal_quantile((1 + LEVEL) / 2)
    share = found / n
    centre = share + z * z / (2 * n)
    spread = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = (centre - spread) / (1 + z * z / n), (centre + spread) / (1 + z * z / n)
    return max(0.0, min(low, share)), min(1.0, max(high, share))  # rounding may not move them past each other


def clustered_wilson_interval(hits: NDArray[np.float64], clusters: NDArray[np.int64]) -> tuple[float, float]:
    """Wilson's interval of a share whose items come in clusters (numbers from 0): of as many items as they are worth.

    Where all hit or none does, nothing shows how alike the items of a cluster are: then one a cluster is counted.
    """
    n, share, number = len(hits), float(hits.mean()), len(np.unique(clusters))
    worth = float(n)
    if number > 1:
        variance = float((np.bincount(clusters, hits - share) ** 2).sum()) / n**2 * number / (number - 1)
        worth = min(n, share * (1 - share) / variance) if 0 < share < 1 and variance > 0 else float(number)
    low, high = wilson_interval(share * worth, worth)
    return min(low, share), max(high, share)


def percentile(samples: ArrayLike, level: float = LEVEL) -> tuple[float, float] | None:
    """The central `level` of the resampled values; None when too few of them exist to say."""
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
    """The central part of resampled values, within their bounds, as much further apart as so many units look surer than
    they are; None where they are too few."""
    if too_few(units):
        return None
    return percentile(np.clip(value + (np.asarray(samples, dtype=np.float64) - value) * expansion(units), *bounds))


def _quantile(ordered: NDArray[np.float64], share: float) -> float:
    """As `np.quantile` has it, to the last bit; its many options cost more than the sorting of a thousand values."""
    place = share * (len(ordered) - 1)
    below = int(place)
    a, b = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    part = place - below
    return b - (b - a) * (1 - part) if part >= 0.5 else a + (b - a) * part
