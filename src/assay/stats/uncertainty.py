"""Bootstrap intervals over items, or over whole clusters of items, for correlations and agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.stats import resample
from assay.stats.correlation import Method, correlate
from assay.stats.interval import percentile
from assay.stats.partial import residuals
from assay.stats.undefined import UndefinedStatistic, finite_pair, group_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Interval:
    """A percentile interval, how it was drawn, and the resamples on which the statistic had no value."""

    low: float
    high: float
    samples: int
    seed: int
    undefined: int = 0


def item_weights(n: int, samples: int, seed: int, clusters: ArrayLike | None = None) -> Iterator[NDArray[np.float64]]:
    """Blocks (resamples x items) of how often each item is drawn; items of one cluster are drawn together."""
    if clusters is None:
        yield from (draws.weights for draws in resample.bootstrap(n, samples, seed))
        return
    codes = group_codes(clusters)
    for draws in resample.bootstrap(int(codes.max()) + 1, samples, seed):
        yield draws.weights[:, codes]


def bootstrap(
    statistic: Callable[[NDArray[np.float64]], float],
    n: int,
    samples: int = 1000,
    seed: int = 0,
    clusters: ArrayLike | None = None,
) -> Interval:
    """Percentile interval of a statistic that is a function of item weights."""
    values = []
    for block in item_weights(n, samples, seed, clusters):
        for weights in block:
            try:
                values.append(statistic(weights))
            except UndefinedStatistic:
                values.append(np.nan)
    return _interval(np.array(values), seed)


def resampled_means(
    columns: ArrayLike, samples: int = 1000, seed: int = 0, clusters: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Means (resamples x columns) of many columns under the same draws, so that any two of them stay paired."""
    table: NDArray[np.float64] = np.ascontiguousarray(columns, dtype=np.float64).T
    blocks = item_weights(len(table), samples, seed, clusters)
    return np.concatenate([weights @ table / weights.sum(axis=1, keepdims=True) for weights in blocks])


def _interval(values: NDArray[np.float64], seed: int) -> Interval:
    undefined = int(np.isnan(values).sum())
    ends = percentile(values) if undefined <= len(values) / 2 else None
    if ends is None:
        raise UndefinedStatistic(f"{undefined} of {len(values)} resamples have no value, so there is no interval")
    return Interval(*ends, len(values), seed, undefined)


def correlation_interval(
    x: ArrayLike,
    y: ArrayLike,
    method: Method = "pearson",
    controls: ArrayLike | None = None,
    samples: int = 1000,
    seed: int = 0,
    clusters: ArrayLike | None = None,
) -> Interval:
    """Interval of a raw or partial correlation; the group means are fitted anew in every resample.

    Pearson is a fold of per-group moments, so all resamples are one matrix product; rank methods resample the rows.
    """
    a, b = finite_pair(x, y, 3)
    groups = np.zeros(len(a), dtype=np.int64) if controls is None else group_codes(controls)
    if method == "pearson":
        blocks = item_weights(len(a), samples, seed, clusters)
        return _interval(np.concatenate([_weighted_r(weights, a, b, groups) for weights in blocks]), seed)

    def ranked(weights: NDArray[np.float64]) -> float:
        rows = np.repeat(np.arange(len(a)), weights.astype(np.int64))
        if controls is None:
            return correlate(a[rows], b[rows], method).r
        return correlate(residuals(a[rows], groups[rows]), residuals(b[rows], groups[rows]), method).r

    return bootstrap(ranked, len(a), samples, seed, clusters)


def averaged_interval(values: ArrayLike, samples: int = 1000, seed: int = 0) -> Interval:
    """Interval of a correlation averaged over groups: the groups are resampled."""
    return _interval(resampled_means(np.atleast_2d(np.asarray(values)), samples, seed)[:, 0], seed)


def group_means_interval(
    x: ArrayLike,
    y: ArrayLike,
    groups: ArrayLike,
    method: Method,
    samples: int = 1000,
    seed: int = 0,
    clusters: ArrayLike | None = None,
) -> Interval:
    """Interval of the correlation of group means: texts (or whole documents) are resampled, the groups stay."""
    a, b = finite_pair(x, y, 2)
    codes = group_codes(groups)

    def of_means(weights: NDArray[np.float64]) -> float:
        size = np.bincount(codes, weights=weights)
        if not size.all():
            raise UndefinedStatistic("a group is absent from this resample")
        return correlate(
            np.bincount(codes, weights=weights * a) / size, np.bincount(codes, weights=weights * b) / size, method
        ).r

    return bootstrap(of_means, len(a), samples, seed, clusters)


def _weighted_r(
    weights: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64], groups: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Partial Pearson for every row of weights, from weighted sums per group."""
    x, y = x - x.mean(), y - y.mean()  # keeps the sums of squares well away from cancellation
    member = (groups[:, None] == np.arange(int(groups.max()) + 1)).astype(np.float64)
    size, sx, sy = weights @ member, weights @ (member * x[:, None]), weights @ (member * y[:, None])
    share = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
    sxx = weights @ (x * x) - np.sum(sx * sx * share, axis=1)
    syy = weights @ (y * y) - np.sum(sy * sy * share, axis=1)
    sxy = weights @ (x * y) - np.sum(sx * sy * share, axis=1)
    flat = (sxx <= 1e-12 * float(x @ x)) | (syy <= 1e-12 * float(y @ y))
    return np.asarray(np.where(flat, np.nan, sxy / np.sqrt(np.where(flat, 1.0, sxx * syy))))
