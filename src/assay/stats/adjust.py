"""Corrections of p values for multiple comparisons."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p values adjusted by Holm, which controls the family-wise error rate. NaN stays NaN and does not count."""
    return _adjust(p_values, lambda ordered, m: np.maximum.accumulate(ordered * (m - np.arange(m))))


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p values adjusted by Benjamini and Hochberg, which controls the false discovery rate."""

    def step_up(ordered: NDArray[np.float64], m: int) -> NDArray[np.float64]:
        scaled = ordered * m / np.arange(1, m + 1)
        return np.minimum.accumulate(scaled[::-1])[::-1]

    return _adjust(p_values, step_up)


def _adjust(
    p_values: ArrayLike, step: Callable[[NDArray[np.float64], int], NDArray[np.float64]]
) -> NDArray[np.float64]:
    p: NDArray[np.float64] = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    if len(order):
        adjusted[order] = np.minimum(step(p[order], len(order)), 1.0)
    return adjusted
