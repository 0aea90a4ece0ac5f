"""Percentile intervals of resampled values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEVEL = 0.95


def percentile(samples: ArrayLike, level: float = LEVEL) -> tuple[float, float] | None:
    """The central `level` of the resampled values; None when too few of them exist to say."""
    values: NDArray[np.float64] = np.asarray(samples, dtype=np.float64)
    values = values[~np.isnan(values)]
    if len(values) < 20:
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)
