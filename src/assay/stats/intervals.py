"""Bootstrap intervals over items, or over whole clusters of items, for correlations and agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.correlation import Method, correlate
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


def item_weights(
    n: int, samples: int, seed: int, clusters: NDArray[np.int64] | None = None
) -> Iterator[NDArray[np.float64]]:
    """Blocks (resamples x items) of how often each item is drawn; items of one cluster are drawn together."""
    rng = np.random.default_rng(seed)
    units = n if clusters is None else int(clusters.max()) + 1
    block = max(1, 4_000_000 // max(n, units))
    for start in range(0, samples, block):
        rows = min(block, samples - start)
        picks = rng.integers(0, units, size=(rows, units)) + units * np.arange(rows)[:, None]
        drawn = np.bincount(picks.reshape(-1), minlength=rows * units).reshape(rows, units).astype(np.float64)
        yield drawn if clusters is None else drawn[:, clusters]


def bootstrap(
    statistic: Callable[[NDArray[np.float64]], float],
    n: int,
    samples: int = 1000,
    seed: int = 0,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    """Percentile interval of a statistic that is a function of item weights."""
    codes = None if clusters is None else group_codes(clusters)
    values, undefined = [], 0
    for block in item_weights(n, samples, seed, codes):
        for weights in block:
            try:
                values.append(statistic(weights))
            except UndefinedStatistic:
                undefined += 1
    return percentile(np.array(values), samples, seed, undefined, level)


def percentile(
    values: NDArray[np.float64], samples: int, seed: int, undefined: int = 0, level: float = 0.95
) -> Interval:
    """The middle `level` of resampled values."""
    if len(values) < samples / 2:
        raise UndefinedStatistic(f"{undefined} of {samples} resamples have no value, so there is no interval")
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), samples, seed, undefined)


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
    codes = None if clusters is None else group_codes(clusters)
    if method == "pearson":
        values = np.concatenate([_weighted_r(w, a, b, groups) for w in item_weights(len(a), samples, seed, codes)])
        known = values[np.isfinite(values)]
        return percentile(known, samples, seed, len(values) - len(known))

    def ranked(weights: NDArray[np.float64]) -> float:
        rows = np.repeat(np.arange(len(a)), weights.astype(np.int64))
        if controls is None:
            return correlate(a[rows], b[rows], method).r
        return correlate(residuals(a[rows], groups[rows]), residuals(b[rows], groups[rows]), method).r

    return bootstrap(ranked, len(a), samples, seed, clusters)


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
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sxy / np.sqrt(sxx * syy))
