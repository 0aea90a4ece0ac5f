"""Dependence of items that share something: intraclass correlation, design effect, and effective sample size.

The intraclass correlation is the mean product of two members of a group by the mean square of members. With groups of
one size it is the usual one (ANOVA); with unequal sizes that compares the variance between groups with that within
large ones, and takes items for dependent where those of small groups vary more.
"""

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
EARLY = 0.08
"""p from which the second test is left out: the first does not reject."""

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
    """Return the intraclass correlation of values by group (groups of any sizes and variances).

    Raises:
        UndefinedStatistic: There is one group, no group with two values, or no variation.
    """
    column = np.asarray(values, dtype=np.float64)[:, None]
    codes = group_codes(groups)
    _check(codes)
    icc = float(_correlations(column - column.mean(axis=0), codes)[0])
    if np.isnan(icc):
        raise UndefinedStatistic("an intraclass correlation needs values that vary")
    return icc


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
    observed = _correlations(sample, drawn)
    if np.isnan(observed).all():
        raise UndefinedStatistic("an intraclass correlation needs values that vary")
    column = int(np.nanargmax(observed))
    icc = float(observed[column])
    effect = design_effect(icc, codes)
    p = _p(sample[:, ~np.isnan(observed)], drawn, orders, random) if effect >= least else np.nan
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


def _correlations(centred: Values, codes: Codes) -> Values:
    """Return the intraclass correlation of each column; NaN where the members of groups do not vary.

    The square of the mean, which centred values lack, is estimated from the sums of groups.
    """
    sizes = np.bincount(codes)
    ordered = centred[np.argsort(codes, kind="stable")]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    sums, squares = (np.add.reduceat(each, starts, axis=0) for each in (ordered, ordered**2))
    pairs, groups = (sizes - 1).sum(), len(sizes)
    mean = groups / (groups - 1) * (sums**2).sum(axis=0) / len(codes) ** 2
    products = ((sums**2 - squares) / sizes[:, None]).sum(axis=0) + pairs * mean
    variances = (squares * ((sizes - 1) / sizes)[:, None]).sum(axis=0) + pairs * mean
    known = (squares.sum(axis=0) > 0) & (variances > 0)
    return np.asarray(np.divide(products, variances, out=np.full(len(known), np.nan), where=known))


def _p(centred: Values, codes: Codes, batches: Iterable[NDArray[np.int32]], random: np.random.Generator) -> float:
    """Return p of the products of members of groups, the largest of all columns: the larger one of two tests.

    A permutation of the items makes groups random, but takes all items for equally variable. Random signs keep the
    size of each value where it is. Groups of one item have no products.
    """
    scaled = (centred / np.sqrt((centred**2).sum(axis=0))).T
    sizes = np.bincount(codes)
    larger = sizes[sizes > 1]
    inside = np.argsort(np.where(sizes[codes] > 1, codes, codes.max() + 1), kind="stable")[: larger.sum()]
    starts = np.concatenate([[0], np.cumsum(larger)[:-1]])
    weights, weight_of = 1 / larger, np.repeat(1 / larger, larger)

    def largest(drawn: Iterable[Values]) -> Values:
        """Return the largest sum of products, given values of members in each resample, by column."""
        sums = []
        for members in drawn:
            totals = np.add.reduceat(members, starts, axis=0)
            squares = np.einsum("i,ik,ik->k", weight_of, members, members)
            sums.append(np.einsum("gk,gk,g->k", totals, totals, weights) - squares)
        return np.asarray(np.max(sums, axis=0))

    least = float(largest([column[inside, None] for column in scaled])[0]) - ROUNDING
    permuted = (largest([column.take(orders[: len(inside)]) for column in scaled]) for orders in batches)
    p = _share(permuted, least)
    if p > EARLY:
        return p
    signs = _signs(len(inside), random)
    return max(p, _share((largest([column[inside, None] * sign for column in scaled]) for sign in signs), least))


def _share(batches: Iterable[Values], least: float) -> float:
    """Return the share of resamples that reach a value, the observed one among them."""
    done = extreme = 0
    for drawn in batches:
        extreme += int((drawn >= least).sum())
        done += len(drawn)
        if done == LOOK and extreme >= ENOUGH:
            break
    return (extreme + 1) / (done + 1)


def _signs(n: int, random: np.random.Generator) -> Iterator[NDArray[np.int8]]:
    """Yield random signs of n values as columns of batches, the first one of `LOOK`."""
    left, size = PERMUTATIONS, LOOK
    while left:
        yield (2 * random.integers(0, 2, (n, min(left, size)), dtype=np.int8) - 1).astype(np.int8)
        left, size = left - min(left, size), max(1, BATCH // n)


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
