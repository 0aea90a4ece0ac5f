"""Weighted correlations in many resamples at once; a weight is how often a row occurs in a resample.

Columns can be the same in all resamples (one row of values) or differ between them (one row per resample).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.stats.correlation import Method, kendall
from assay.stats.ranks import ROUNDING
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Values = NDArray[np.float64]

PAIRWISE_CELLS = 4_000_000
"""Pairs of rows that are compared at once."""
PAIRWISE_ROWS = 200
"""Number of rows above which Kendall's tau of columns that differ is computed resample by resample."""


RESIDUAL_DIGITS = 1e-11
"""Residuals are rounded to this share of a typical value, so that equal ones stay ties."""


def weighted_correlation(x: ArrayLike, y: ArrayLike, weights: ArrayLike, method: Method) -> Values:
    """Return one correlation per row of `weights`; NaN if a column is constant in the resample.

    A weight is a number of copies: copies of a row are ties, and no pair for Kendall's tau.
    """
    w = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    a, b = (np.atleast_2d(np.asarray(column, dtype=np.float64)) for column in (x, y))
    if len(w) == 1:  # the same weights for columns that change
        w = np.broadcast_to(w, (max(len(a), len(b)), w.shape[1]))
    if method.startswith("kendall"):
        return _kendall(a, b, w, method)
    if method == "spearman":
        a, b = _mid_ranks(a, w), _mid_ranks(b, w)
    return _pearson(a, b, w)


def weighted_partial(
    x: ArrayLike, y: ArrayLike, groups: NDArray[np.int64], weights: ArrayLike, method: Method
) -> Values:
    """Return the partial correlation per row of `weights`: columns are centred by group within each resample."""
    w = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    member = (groups[:, None] == np.arange(int(groups.max()) + 1)).astype(np.float64)
    size = np.maximum(w @ member, 1e-300)
    left = []
    for column in (x, y):
        values = np.asarray(column, dtype=np.float64)
        values = values - np.median(values)
        unit = RESIDUAL_DIGITS * (float(np.median(np.abs(values[values != 0]))) if values.any() else 1.0)
        centre = (w @ (member * values[:, None])) / size
        left.append(np.round((values - centre[:, groups]) / unit) * unit)
    return weighted_correlation(left[0], left[1], w, method)


def _pearson(a: Values, b: Values, w: Values) -> Values:
    total = np.maximum(w.sum(axis=1, keepdims=True), 1e-300)  # all weights can be 0
    (da, least_a), (db, least_b) = (_about_the_mean(column, w, total) for column in (a, b))
    saa, sbb, sab = (np.einsum("ij,ij,ij->i", w, one, other) for one, other in ((da, da), (db, db), (da, db)))
    flat = (saa <= least_a) | (sbb <= least_b)
    return np.where(flat, np.nan, np.clip(sab / np.sqrt(np.where(flat, 1.0, saa * sbb)), -1.0, 1.0))


def _about_the_mean(column: Values, w: Values, total: Values) -> tuple[Values, Values]:
    """Return deviations from the mean, and the sum of squares that a constant column can have by rounding."""
    values = column - np.median(column, axis=1, keepdims=True)
    error = 8 * ROUNDING * np.abs(column).max(axis=1, keepdims=True)
    mean = np.einsum("ij,ij->i", w, np.broadcast_to(values, w.shape))[:, None] / total
    return np.broadcast_to(values - mean, w.shape), (total * error**2)[:, 0]


def _mid_ranks(column: Values, w: Values) -> Values:
    """Return average ranks, with as many copies of each value as its weight."""
    order = np.argsort(column, axis=1, kind="stable")
    ordered = np.take_along_axis(column, order, axis=1)
    positions = np.arange(column.shape[1])
    begins = np.concatenate([np.ones((len(column), 1), dtype=bool), ordered[:, 1:] != ordered[:, :-1]], axis=1)
    first = np.maximum.accumulate(np.where(begins, positions, 0), axis=1)
    ends = np.concatenate([begins[:, 1:], np.ones((len(column), 1), dtype=bool)], axis=1)
    last = np.minimum.accumulate(np.where(ends, positions, column.shape[1])[:, ::-1], axis=1)[:, ::-1]
    below = np.concatenate(
        [np.zeros((len(w), 1)), np.cumsum(np.take_along_axis(w, np.broadcast_to(order, w.shape), axis=1), axis=1)],
        axis=1,
    )
    shape = (len(w), column.shape[1])
    middle = (
        np.take_along_axis(below, np.broadcast_to(first, shape), axis=1)
        + np.take_along_axis(below, np.broadcast_to(last + 1, shape), axis=1)
    ) / 2
    ranks = np.empty(shape)
    np.put_along_axis(ranks, np.broadcast_to(order, shape), middle, axis=1)
    return ranks


def _kendall(a: Values, b: Values, w: Values, method: Method) -> Values:
    if len(a) == len(b) == 1:
        return _kendall_of_one(a[0], b[0], w, method)
    n = w.shape[1]
    a, b = np.broadcast_to(a, w.shape), np.broadcast_to(b, w.shape)
    if n > PAIRWISE_ROWS:
        return np.array([_repeated(*row, method) for row in zip(a, b, w, strict=True)])
    step = max(1, PAIRWISE_CELLS // (n * n))
    blocks = [_kendall_block(a[i : i + step], b[i : i + step], w[i : i + step], method) for i in range(0, len(w), step)]
    return np.concatenate(blocks)


def _kendall_block(a: Values, b: Values, w: Values, method: Method) -> Values:
    order_a, order_b = (np.sign(column[:, :, None] - column[:, None, :]) for column in (a, b))
    pairs = w[:, :, None] * w[:, None, :]
    balance, different_a, different_b = (
        (pairs * one * other).sum(axis=(1, 2)) for one, other in ((order_a, order_b), (order_a,) * 2, (order_b,) * 2)
    )
    return _tau(balance, different_a, different_b, w, method, (_distinct(a), _distinct(b)))


def _kendall_of_one(a: Values, b: Values, w: Values, method: Method) -> Values:
    """Return Kendall's tau of columns that are the same in all resamples: the balance is a matrix product."""
    balance = np.zeros(len(w))
    step = max(1, PAIRWISE_CELLS // len(a))
    for start in range(0, len(a), step):
        rows = slice(start, start + step)
        agree = np.sign(a[rows, None] - a[None, :]) * np.sign(b[rows, None] - b[None, :])
        balance += np.einsum("ij,ij->i", w[:, rows], w @ agree.T)
    different = [w.sum(axis=1) ** 2 - _tied(column, w) for column in (a, b)]
    return _tau(balance, different[0], different[1], w, method, (_distinct(a[None]), _distinct(b[None])))


def _tied(column: Values, w: Values) -> Values:
    """Return the number of ordered pairs of copies with equal values, including pairs of a row with itself."""
    _, group = np.unique(column, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(group[order]) > 0])
    return np.asarray((np.add.reduceat(w[:, order], starts, axis=1) ** 2).sum(axis=1))


def _tau(
    balance: Values,
    different_a: Values,
    different_b: Values,
    w: Values,
    method: Method,
    distinct: tuple[Values, Values],
) -> Values:
    flat = (different_a <= 0) | (different_b <= 0)
    if method == "kendall-b":
        tau = balance / np.sqrt(np.where(flat, 1.0, different_a * different_b))
    else:
        n, levels = w.sum(axis=1), np.minimum(*distinct)
        pairs = np.maximum(n**2 - (w**2).sum(axis=1), 1.0)
        tau = balance / pairs * (n - 1) / n * levels / np.maximum(levels - 1, 1)
    return np.where(flat, np.nan, np.clip(tau, -1.0, 1.0))


def _distinct(column: Values) -> Values:
    """Return the number of distinct values of a column; a resample with fewer of them has the same scale."""
    return np.asarray((np.diff(np.sort(column, axis=1), axis=1) > 0).sum(axis=1) + 1, dtype=np.float64)


def _repeated(a: Values, b: Values, w: Values, method: Method) -> float:
    rows = np.repeat(np.arange(len(a)), w.astype(np.int64))
    try:
        return kendall(a[rows], b[rows], "b" if method == "kendall-b" else "c").r
    except UndefinedStatistic:
        return float("nan")
