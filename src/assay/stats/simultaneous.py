"""Simultaneous inference for correlated estimates: critical values of the largest |t| of contrasts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
DRAWS = 20_000
FEW = 60
"""Degrees of freedom up to which each contrast has its own estimated variance; above, one for all is as good."""
DRAWS_OF_FEW = 8_000
BLOCK = 4_000_000


def null_of_contrasts(covariance: Values, weights: Values, df: float, draws: int = DRAWS, seed: int = 0) -> Values:
    """Return |t| of contrasts under the null hypothesis, draws x contrasts.

    The variance of each contrast is estimated from the same few clusters, so that the variances differ from contrast
    to contrast (a Wishart matrix): the largest |t| of many contrasts is then larger than with one common variance.

    Args:
        covariance: Covariance of the estimates.
        weights: Contrasts x estimates.
        df: Degrees of freedom of the estimated covariance.
        draws: Number of random draws; fewer with few degrees of freedom.
        seed: Random seed.
    """
    draw = np.random.default_rng(seed)
    values, vectors = np.linalg.eigh(covariance)
    half = vectors * np.sqrt(np.maximum(values, 0))
    contrasts = half.T @ weights.T
    spread = np.maximum(np.sqrt((contrasts**2).sum(axis=0)), 1e-300)
    if df > FEW:
        errors = draw.normal(size=(draws, len(values))) @ contrasts
        scale = np.sqrt(draw.chisquare(df, size=draws) / df)
        return np.asarray(np.abs(errors) / spread / scale[:, None])
    units = max(1, int(df))  # rounded down, which is conservative
    contrasts = contrasts / spread
    many = min(draws, DRAWS_OF_FEW)
    size = max(1, BLOCK // (units * max(1, weights.shape[0])))
    blocks = []
    for start in range(0, many, size):
        rows = min(size, many - start)
        errors = draw.normal(size=(rows, len(values))) @ contrasts
        estimated = draw.normal(size=(rows * units, len(values))) @ contrasts
        variance = (estimated**2).reshape(rows, units, -1).mean(axis=1)
        blocks.append(np.abs(errors) / np.sqrt(np.maximum(variance, 1e-300)))
    return np.concatenate(blocks)
