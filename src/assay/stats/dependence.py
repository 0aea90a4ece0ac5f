"""Dependence of items that share something: intraclass correlation, design effect, and effective sample size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.validation import UndefinedStatistic, group_codes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Values = NDArray[np.float64]
    Codes = NDArray[np.int64]

ROUNDING = 1e-9
"""Largest difference of equal values, relative to them."""
MOST = 4000
"""Items that a permutation test uses at most: whole groups are drawn from larger sets."""
PERMUTATIONS = 1999
LOOK, ENOUGH = 100, 10
"""A permutation test ends after `LOOK` permutations if `ENOUGH` of them are as extreme: p is about .1 or more."""

KEPT, BATCH = 1000, 200_000
"""Items up to which the permutations are kept for other values, and numbers in a batch of permutations."""
ROUNDING = 1e-12


@dataclass(frozen=True)
class Dependence:
    """How far the values of a group agree, by the column of values in which they agree most."""

    column: int
    icc: float
    """Intraclass correlation (one-way random effects); below 0 if members differ more than items of other groups."""
    design_effect: float
    """Variance of the mean relative to independent items (Kish)."""
    effective_n: float
    """Number of independent items with the same information."""
    groups: int
    p: float
    """p of a permutation test of the hypothesis that groups are random, over all columns."""


def intraclass_correlation(values: ArrayLike, groups: ArrayLike) -> float:
    """Return the intraclass correlation of values by group (ANOVA estimator, groups of any sizes).

    Raises:
        UndefinedStatistic: There is one group, no group with two values, or no variation.
    """
    column = np.asarray(values, dtype=np.float64)[:, None]
    codes = group_codes(groups)
    _check(codes)
    ratio = _ratios(column - column.mean(axis=0), codes)[0]
    if np.isnan(ratio):
        raise UndefinedStatistic("an intraclass correlation needs values that vary")
    return _icc(float(ratio), codes)


def design_effect(icc: float, groups: ArrayLike) -> float:
    """Return Kish's design effect of groups of unequal sizes: 1 + (m - 1) icc, with the size m that items see."""
    sizes = np.bincount(group_codes(groups))
    return float(1 + ((sizes**2).sum() / sizes.sum() - 1) * max(icc, 0.0))


def dependence(values: Values, groups: ArrayLike, seed: int = 0, least: float = 0.0) -> Dependence:
    """Measure how far items of a group agree, and test it by permutations of the groups.

    Args:
        values: One row per item, one column per metric.
        groups: The group of each item.
        seed: Random seed.
        least: Smallest design effect that is tested; p of a smaller one is NaN.

    Raises:
        UndefinedStatistic: There is one group, no group with two items, or no variation.
    """
    codes = group_codes(groups)
    _check(codes)
    random = np.random.default_rng(seed)
    kept = _whole_groups(codes, random)
    orders = _kept_orders(len(codes), seed) if len(codes) <= KEPT else _orders(len(kept), random)
    drawn, sample = group_codes(codes[kept]), values[kept]
    sample = without_rounding(sample - sample.mean(axis=0), sample)
    observed = _ratios(sample, drawn)
    if np.isnan(observed).all():
        raise UndefinedStatistic("an intraclass correlation needs values that vary")
    column = int(np.nanargmax(observed))
    icc = _icc(float(observed[column]), drawn)
    effect = design_effect(icc, codes)
    p = _permutation_p(sample, drawn, observed, orders) if effect >= least else np.nan
    return Dependence(column, icc, effect, len(codes) / effect, int(codes.max()) + 1, p)


def without_rounding(differences: Values, values: Values) -> Values:
    """Return differences from a mean or a trend; 0 in columns where they are rounding errors of equal values, which
    would agree within groups perfectly."""
    largest, scale = np.abs(differences).max(axis=0, initial=0.0), np.abs(values).max(axis=0, initial=0.0)
    return np.where(largest > ROUNDING * scale, differences, 0.0)


def _check(codes: Codes) -> None:
    groups = int(codes.max(initial=-1)) + 1
    if groups < 2 or groups == len(codes):
        raise UndefinedStatistic("an intraclass correlation needs two groups, and a group of two items")


def _whole_groups(codes: Codes, random: np.random.Generator) -> NDArray[np.intp]:
    """Return the items of random groups, all of them if there are not too many; groups of one item count as others."""
    if len(codes) <= MOST:
        return np.arange(len(codes))
    sizes = np.bincount(codes)
    order = random.permutation(len(sizes))
    many = max(2, int(np.searchsorted(np.cumsum(sizes[order]), MOST)))
    chosen = np.zeros(len(sizes), dtype=bool)
    chosen[order[:many]] = True
    items = np.flatnonzero(chosen[codes])
    return items if len(items) > many else np.arange(len(codes))


def _ratios(centred: Values, codes: Codes) -> Values:
    """Return F of each column: mean square between groups by that within groups; NaN for a column of equal values."""
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return _ratio_of(centred[order], starts, sizes)


def _ratio_of(ordered: Values, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> Values:
    n, groups = len(ordered), len(sizes)
    total = (ordered**2).sum(axis=0)
    between = (np.add.reduceat(ordered, starts, axis=0) ** 2 / sizes[:, None]).sum(axis=0)
    within = np.maximum(total - between, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (between / (groups - 1)) / (within / (n - groups))
    return np.where(total > 0, ratio, np.nan)


def _icc(ratio: float, codes: Codes) -> float:
    sizes = np.bincount(codes)
    n, groups = sizes.sum(), len(sizes)
    typical = (n - (sizes**2).sum() / n) / (groups - 1)
    return 1.0 if np.isinf(ratio) else float((ratio - 1) / (ratio + typical - 1))


def _permutation_p(centred: Values, codes: Codes, observed: Values, batches: Iterable[NDArray[np.int32]]) -> float:
    """Return p of the largest F over all columns, which one permutation of items leaves dependent on each other.

    F grows with the share of the sum of squares that is between groups. A group of one item adds the square of its
    value to it, so only items of larger groups are summed.
    """
    varied = ~np.isnan(observed)
    scaled = (centred / np.sqrt(np.maximum((centred**2).sum(axis=0), np.finfo(float).tiny)))[:, varied].T
    sizes = np.bincount(codes)
    larger = sizes[sizes > 1]
    starts = np.concatenate([[0], np.cumsum(larger)[:-1]])
    weights = 1 / larger

    def shares(orders: NDArray[np.int32]) -> Values:
        """Return the largest share of a column for each order of the items, which are the columns of `orders`."""
        chosen = orders[: larger.sum()]
        best: Values = np.full(orders.shape[1], -np.inf)
        for column in scaled:
            drawn = column.take(chosen)
            sums = np.add.reduceat(drawn, starts, axis=0)
            share = np.einsum("gk,gk,g->k", sums, sums, weights) - np.einsum("ik,ik->k", drawn, drawn)
            np.maximum(best, share, out=best)
        return best

    own = np.argsort(np.where(sizes[codes] > 1, codes, codes.max() + 1), kind="stable")
    least = shares(own.astype(np.int32)[:, None])[0] - ROUNDING
    done = extreme = 0
    for orders in batches:
        extreme += int((shares(orders) >= least).sum())
        done += orders.shape[1]
        if done == LOOK and extreme >= ENOUGH:
            break
    return (extreme + 1) / (done + 1)


def _orders(n: int, random: np.random.Generator) -> Iterator[NDArray[np.int32]]:
    """Yield `PERMUTATIONS` random orders of n items as columns of batches, the first one of `LOOK`."""
    left, size = PERMUTATIONS, LOOK
    while left:
        drawn = np.array([random.permutation(n) for _ in range(min(left, size))], dtype=np.int32)
        yield np.ascontiguousarray(drawn.T)
        left, size = left - min(left, size), max(1, BATCH // n)


@lru_cache(maxsize=2)
def _kept_orders(n: int, seed: int) -> KeptOrders:
    """Return the orders of n items with a seed, drawn once: pairs of many systems have the same items."""
    return KeptOrders(_orders(n, np.random.default_rng(seed)))


class KeptOrders:
    """Batches that are made when they are first asked for."""

    def __init__(self, source: Iterator[NDArray[np.int32]]) -> None:
        self._source = source
        self._made: list[NDArray[np.int32]] = []
        self._lock = Lock()

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        for number in count():
            with self._lock:
                if number == len(self._made):
                    try:
                        self._made.append(next(self._source))
                    except StopIteration:
                        return
            yield self._made[number]
