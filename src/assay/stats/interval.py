"""Percentile intervals of resampled values, and how many resamples they take."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import AssayError

LEVEL = 0.95


FEWEST_DRAWS = 20
"""With fewer resamples the ends of a 95 % interval would be its extremes."""


def check_resampling(ci: int, seed: int) -> None:
    """Refuse a number of resamples that gives no interval (0 asks for none), and a seed that is none."""
    if ci and ci < FEWEST_DRAWS:
        raise AssayError(f"ci={ci}: an interval takes at least {FEWEST_DRAWS} resamples, 1000 are usual; 0 for none")
    if seed < 0:
        raise AssayError(f"seed={seed}: give a whole number from 0 on")


def percentile(samples: ArrayLike, level: float = LEVEL) -> tuple[float, float] | None:
    """The central `level` of the resampled values; None when too few of them exist to say."""
    values: NDArray[np.float64] = np.asarray(samples, dtype=np.float64)
    values = np.sort(values)  # NaN comes last
    values = values[: len(values) - np.count_nonzero(np.isnan(values))]
    if len(values) < FEWEST_DRAWS:
        return None
    tail = (1 - level) / 2
    return _quantile(values, tail), _quantile(values, 1 - tail)


def _quantile(ordered: NDArray[np.float64], share: float) -> float:
    """As `np.quantile` has it, to the last bit; its many options cost more than the sorting of a thousand values."""
    place = share * (len(ordered) - 1)
    below = int(place)
    a, b = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    part = place - below
    return b - (b - a) * (1 - part) if part >= 0.5 else a + (b - a) * part
