"""Weights of proxies for control variates: one correlation for all systems, cross-fitted, shrunk where it is not there.

The best weight of a proxy in a system is r s / t: correlation, spread of the judgements and spread of the proxy. Few
judgements of a system say little about r, which is taken from all systems, and more about s. With one weight for all
systems, those whose judgements hardly vary (near the end of a scale) would get the noise of a proxy that suits others.
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from assay.stats.validation import group_codes

Values = NDArray[np.float64]
Codes = NDArray[np.int64]
RIDGE = 1e-9
"""Variance of a proxy among the judged texts, relative to that of all texts, below which it is a rounding error."""
PRIOR = 2.0
"""Weight of the variance of all systems in that of one, in judgements."""
LEAST = 1e-12
"""Variance of a system, relative to the sum of squares of all, below which it is a rounding error."""


def cross_fitted(
    x: Values, y: Values, weights: Values, system: Codes, cluster: Codes, spread: Values
) -> tuple[Values, Values]:
    """Return weights of the proxies by system, from all judged texts, and the prediction of each text without its own
    cluster.

    Args:
        x: Proxies of the judged texts, minus their means over all texts of the system.
        y: Judgements.
        weights: Design weights, whose sum is the number of texts of each system.
        system: System of each text.
        cluster: Cluster of each text.
        spread: Standard deviation of each proxy over all texts, systems x proxies; 0 where it is constant.
    """
    varying = spread.any(axis=0)
    scale, proxies = np.where(spread > 0, spread, np.inf)[:, varying], int(varying.sum())
    slope = np.zeros(spread.shape)
    if not proxies:
        return slope, np.zeros(len(y))
    x = x[:, varying]
    code = group_codes(cluster)
    squares, free = _without_each(np.column_stack([x / scale[system], y]), weights, system, code)
    total = squares[:, :, proxies, proxies]
    pooled = total.sum(axis=1) / np.maximum(free.sum(axis=1), 1)
    variance = (total + PRIOR * pooled[:, None]) / (free + PRIOR)
    deviation = np.sqrt(np.maximum(variance, max(LEAST * float(total[-1].sum()), 1e-300)))
    # Judgements in standard deviations of their system: every system counts alike, and has the same correlation.
    squares[:, :, :, proxies] /= deviation[:, :, None]
    squares[:, :, proxies, :] /= deviation[:, :, None]
    common = _shrunk(squares.sum(axis=1), free.sum(axis=1), RIDGE * float(weights.sum()))
    apart = common[:, None, :] * deviation[:, :, None] / scale
    slope[:, varying] = apart[-1]
    return slope, (apart[code, system] * x).sum(axis=1)


def _without_each(columns: Values, weights: Values, system: Codes, code: Codes) -> tuple[Values, Values]:
    """Return sums of squares and products about the means of each system, without each cluster in turn and (last)
    without none, and their degrees of freedom: exact, from one pass."""
    systems, clusters, width = int(system.max()) + 1, int(code.max()) + 1, columns.shape[1]
    total = np.bincount(system, weights, systems)
    means = np.stack([np.bincount(system, weights * column, systems) / total for column in columns.T], axis=1)
    centred = columns - means[system]
    products = weights[:, None, None] * centred[:, :, None] * centred[:, None, :]
    cells = (clusters + 1, systems)
    key = code * systems + system
    lost, moved = (
        np.stack([np.bincount(key, column, prod(cells)) for column in each.reshape(len(key), -1).T], axis=1)
        for each in (products, weights[:, None] * centred)
    )
    lost, moved = lost.reshape(*cells, width, width), moved.reshape(*cells, width)
    size, texts = (np.bincount(key, each, prod(cells)).reshape(cells) for each in (weights, np.ones(len(key))))
    rest = total - size
    again = np.divide(1.0, rest, out=np.zeros(cells), where=rest > LEAST * total)  # the means move, too
    lost += again[:, :, None, None] * moved[:, :, :, None] * moved[:, :, None, :]
    free = np.bincount(system, minlength=systems) - texts - 1
    return _whole(products, system, systems) - lost, np.maximum(free, 0)


def _whole(products: Values, system: Codes, systems: int) -> Values:
    """Return the sums of products of each system."""
    columns = products.reshape(len(system), -1).T
    sums = np.stack([np.bincount(system, column, systems) for column in columns], axis=1)
    return np.asarray(sums.reshape(systems, *products.shape[1:]))


def _shrunk(products: Values, free: Values, ridge: float) -> Values:
    """Return slopes from sums of squares, multiplied by 1 - p / F, or 0 if proxies explain less than chance does.

    The ridge is relative to the squares of all judged texts: without a cluster, only rounding errors may be left.
    """
    p = products.shape[1] - 1
    squares, cross, total = products[:, :p, :p], products[:, :p, p], products[:, p, p]
    slope = np.linalg.solve(squares + ridge * np.eye(p), cross[:, :, None])[:, :, 0]
    explained = (slope * cross).sum(axis=1)
    left = np.maximum(total - explained, 1e-12 * np.maximum(total, 1e-300))
    degrees = free - p
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where((degrees > 0) & (explained > 0), 1 - p * left / degrees / explained, 0.0)
    return np.asarray(slope * np.clip(np.nan_to_num(factor), 0, 1)[:, None])
