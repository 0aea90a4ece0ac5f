"""A test of the mean of skewed differences: Student's t after Hall's transformation, which corrects for skewness."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.distributions import t_two_sided
from assay.stats.skewed_interval import is_skewed


def skewed_p(units: NDArray[np.float64]) -> float | None:
    """Return the two-sided p of a mean of zero by Hall's (1992) transformed t; None unless the values are skewed.

    A permutation test of paired differences assumes that they are symmetric. Where most items gain a little and a few
    lose much, the mean of a sample with few losses is too large and its standard error too small, and the test rejects
    equal means too often. The transformation is monotone and removes the skewness of t.
    """
    n = len(units)
    if n < 3 or not is_skewed(units):  # two values are symmetric about their mean
        return None
    mean = float(units.mean())
    centred = units - mean
    squares = float((centred**2).mean())
    if sqrt(squares) <= 1e-9 * abs(mean):  # equal up to rounding
        return None
    t = mean / sqrt(squares / (n - 1))
    moved = float(transformed_t(t, float((centred**3).mean()) / squares**1.5, n))
    return t_two_sided(moved, n - 1) if moved else 1.0


def transformed_t(t: ArrayLike, skewness: ArrayLike, n: float) -> NDArray[np.float64]:
    """Return Hall's (1992) transformation of Student's t, which removes its skewness; 0 where the sign would change.

    Args:
        t: Mean by its standard error.
        skewness: Skewness of the values.
        n: Number of values.
    """
    t, a = np.asarray(t, dtype=np.float64), np.asarray(skewness, dtype=np.float64) / sqrt(n)
    moved = t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6
    return np.where(moved * t <= 0, 0.0, moved)
