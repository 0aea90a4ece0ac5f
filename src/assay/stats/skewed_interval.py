"""Confidence intervals of skewed values: few extreme items carry most of the variance of a score."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from assay.stats.interval import LEVEL
from assay.stats.pivot import UNSEEN, reach_of, studentized
from assay.stats.resample import bootstrap

SKEWED = 0.2
"""Skewness of contributions by the root of their number from which percentiles of a bootstrap cover too rarely: 88 % of
30 lognormal values. Of 30 normal values, 1 in 100 samples is above it."""


def is_skewed(units: NDArray[np.float64]) -> bool:
    """Return whether the contributions of items or clusters are too skewed for a percentile interval."""
    centred = units - units.mean()
    squares = float((centred**2).mean())
    if not squares:
        return False
    return bool(abs(float((centred**3).mean())) / squares**1.5 > SKEWED * sqrt(len(units)))


def skewed_interval(
    value: float, units: NDArray[np.float64], ends: tuple[float, float], samples: int, seed: int
) -> tuple[float, float]:
    """Return an interval that allows for a longer tail than was seen.

    It spans the percentile interval and the equal-tailed bootstrap-t interval, expanded by three units in n: small
    samples miss the end of a long tail.

    Args:
        value: The score.
        units: Contributions of items or clusters, whose mean is about the score.
        ends: The percentile interval.
        samples: Number of bootstrap resamples.
        seed: Random seed.
    """
    (pivot,) = studentized(units[:, None], (each.weights for each in bootstrap(len(units), samples, seed)))
    low, high = ends
    if pivot is not None:
        tail = (1 + LEVEL) / 2
        above, below = reach_of(pivot.above, tail), reach_of(pivot.below, tail)
        low = low if above is None else min(low, value - above * pivot.error)
        high = high if below is None else max(high, value + below * pivot.error)
    wider = 1 + UNSEEN / len(units)
    return value - (value - low) * wider, value + (high - value) * wider
