"""Bootstrap intervals of any statistic of weighted items, over items or whole clusters of items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.stats import resample
from assay.stats.interval import percentile
from assay.stats.validation import UndefinedStatistic, group_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Interval:
    """A percentile interval with the number of resamples, the seed, and the number of resamples without a value."""

    low: float
    high: float
    samples: int
    seed: int
    undefined: int = 0


def item_weights(n: int, samples: int, seed: int, clusters: ArrayLike | None = None) -> Iterator[NDArray[np.float64]]:
    """Yield blocks (resamples x items) of how often each item occurs; whole clusters are resampled if given."""
    if clusters is None:
        yield from (resamples.weights for resamples in resample.bootstrap(n, samples, seed))
        return
    codes = group_codes(clusters)
    for resamples in resample.bootstrap(int(codes.max()) + 1, samples, seed):
        yield resamples.weights[:, codes]


def bootstrap(
    statistic: Callable[[NDArray[np.float64]], float],
    n: int,
    samples: int = 1000,
    seed: int = 0,
    clusters: ArrayLike | None = None,
) -> Interval:
    """Return the percentile interval of a statistic that is a function of item weights."""
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
    """Return means (resamples x columns) of many columns in the same resamples, so that columns stay paired."""
    table: NDArray[np.float64] = np.ascontiguousarray(columns, dtype=np.float64).T
    blocks = item_weights(len(table), samples, seed, clusters)
    return np.concatenate([weights @ table / weights.sum(axis=1, keepdims=True) for weights in blocks])


def _interval(values: NDArray[np.float64], seed: int) -> Interval:
    undefined = int(np.isnan(values).sum())
    ends = percentile(values) if undefined <= len(values) / 2 else None
    if ends is None:
        raise UndefinedStatistic(f"{undefined} of {len(values)} resamples have no value, so there is no interval")
    return Interval(*ends, len(values), seed, undefined)
