"""Partial pooling: estimates of many groups, shrunken towards their mean by as much as their variation is noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]
GRID = 400
"""Values of the standard deviation between groups."""


class Pooled(NamedTuple):
    """The partially pooled estimates of groups."""

    estimates: Values
    errors: Values
    """Posterior standard deviations, with the uncertainty of the mean and of the variation between groups."""
    mean: float
    between: float
    """Standard deviation of the true values between groups, posterior mean."""


def partial_pooling(estimates: ArrayLike, errors: ArrayLike) -> Pooled | None:
    """Return the estimates of groups in a normal hierarchical model; None for fewer than three groups.

    True values are normal around a common mean. The posterior is exact on a grid of the standard deviation between
    groups, with flat priors on it and on the mean (Gelman et al., Bayesian Data Analysis, chapter 5).

    Args:
        estimates: One estimate per group.
        errors: Their standard errors, above 0.
    """
    y: Values = np.asarray(estimates, dtype=np.float64)
    variances: Values = np.asarray(errors, dtype=np.float64) ** 2
    if len(y) < 3 or not (variances > 0).all():
        return None
    most = 6 * float(np.sqrt(np.var(y, ddof=1) + variances.mean()))
    grid = np.linspace(0, most, GRID)
    total = variances + grid[:, None] ** 2
    precision = (1 / total).sum(axis=1)
    means = (y / total).sum(axis=1) / precision
    density = -0.5 * (np.log(precision) + (np.log(total) + (y - means[:, None]) ** 2 / total).sum(axis=1))
    weights = np.exp(density - density.max())
    weights /= weights.sum()
    kept = grid[:, None] ** 2 / total
    centres = kept * y + (1 - kept) * means[:, None]
    spreads = kept * variances + (1 - kept) ** 2 / precision[:, None]
    pooled = weights @ centres
    deviations = np.sqrt(weights @ (spreads + (centres - pooled) ** 2))
    return Pooled(pooled, deviations, float(weights @ means), float(weights @ grid))
