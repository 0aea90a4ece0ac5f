"""Bootstrap resamples, subsamples and permutations of items, the same for all metrics and systems (paired)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.stats.threads import compute_once

BLOCK_CELLS = 500_000
"""Indices in memory at once; results do not depend on it. Small enough for the allocator to reuse the memory."""
KEPT_CELLS = 2_000_000
"""Largest number of indices of a block that is cached."""
CACHED_CELLS = 60_000
"""Indices that are counted at once, so that they stay in the processor cache."""
TOGETHER = 64
"""Resamples that some metrics process at once; blocks are multiples of it, unless the items are too many."""
TOO_MANY_CELLS = 8_000_000
MANY = 256
"""Number of resamples from which it is worth checking whether single precision is exact."""
ALONE = 200_000
"""Multiplications above which BLAS shares a matrix product among threads. For matrices as narrow as statistics, threads
wait for each other longer than they work."""
ALONE_EXACTLY = 1 << 18
"""The threshold of OpenBLAS."""
LEAST_TOGETHER = 32
"""Rows below which the call of a product takes longer than the product."""

MOVED_TOGETHER = 5
"""Systems in one product: few, so that it stays in the processor cache."""
MAX_EXACT_UNITS = 12
"""Number of units up to which all permutations are enumerated."""

Codes = NDArray[np.int64]
T = TypeVar("T")


@dataclass(frozen=True)
class Resamples:
    """Resamples of `n` items, one per row: the item at each position (`indices`, -1 for none), and how often each item
    occurs (`weights`)."""

    indices: NDArray[np.intp]
    n: int
    _derived: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.indices)

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Return a value derived from these resamples, computed once for all metrics."""
        return compute_once(self._derived, key, make)

    @cached_property
    def is_sorted(self) -> bool:
        """Return whether every resample has each item at most once, in the original order."""
        return bool((self.indices[:, 1:] > self.indices[:, :-1]).all() and (self.indices[:, :1] >= 0).all())

    @cached_property
    def is_all_items(self) -> bool:
        """Return whether this is one resample of all items, in the original order."""
        return len(self) == 1 and self.indices.shape[1] == self.n and bool((self.indices[0] == np.arange(self.n)).all())

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        return self.counts(np.dtype(np.float64))

    @property
    def small_weights(self) -> NDArray[np.unsignedinteger[Any]]:
        """`weights` in an eighth of the memory; not cached."""
        small = self.counts(np.dtype(np.uint8))
        # a count that does not fit in a byte wraps around, which makes the sum smaller
        return small if int(small.sum(dtype=np.int64)) == self.indices.size else self.weights.astype(np.uint32)

    def counts(self, kind: np.dtype[Any]) -> NDArray[Any]:
        """Return how often each item occurs, as numbers of this type."""
        padded = bool((self.indices < 0).any())
        columns = self.n + padded  # one more column counts the empty positions
        weights = np.empty((len(self), self.n), dtype=kind)
        step = max(1, CACHED_CELLS // max(1, columns))
        for start in range(0, len(self), step):
            indices = self.indices[start : start + step]
            rows = (np.arange(len(indices)) * columns)[:, None]
            cells = (np.where(indices < 0, self.n, indices) if padded else indices) + rows
            counts = np.bincount(cells.ravel(), minlength=len(indices) * columns)
            weights[start : start + step] = counts.reshape(len(indices), columns)[:, : self.n]
        return weights

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return weights @ values: sums of the columns of `values` (one row per item), one row per resample."""
        single = None
        if len(self) >= MANY and self.exact(values):
            single = self.once("single", lambda: self.weights.astype(np.float32))
        return narrow_product(self.weights, values, single)

    def exact(self, values: NDArray[np.float64]) -> bool:
        """Return whether single precision is exact for every sum of these values."""
        most = self.once("most", lambda: self.weights.max(initial=0.0))
        return sums_stay_exact(values, most)


def narrow_product(
    weights: NDArray[np.float64] | NDArray[np.float32],
    values: NDArray[np.float64],
    single: NDArray[np.float32] | None = None,
) -> NDArray[np.float64]:
    """Return weights @ values for few columns, in parts that one thread multiplies faster than several.

    `single` are the weights in single precision, given if they are known to result in the same sums.
    """
    items, columns = values.shape
    columns_together = min(columns, ALONE_EXACTLY // max(1, items * LEAST_TOGETHER))
    if single is not None and columns_together >= min(columns, LEAST_TOGETHER // 2):
        # exact sums do not depend on how they are divided
        exact = np.empty((len(single), columns), dtype=np.float32)
        for start in range(0, columns, max(1, columns_together)):
            some = slice(start, start + columns_together)
            narrow = values[:, some].astype(np.float32)
            rows_together = ALONE_EXACTLY // max(1, narrow.size)
            for first in range(0, len(single), rows_together):
                rows = slice(first, first + rows_together)
                np.matmul(single[rows], narrow, out=exact[rows, some])
        return exact.astype(np.float64)
    left, right = (weights, values) if single is None else (single, values.astype(np.float32))
    sums = np.zeros((len(weights), columns))
    step = max(1, ALONE // (TOGETHER * max(1, columns)))
    for first in range(0, len(weights), TOGETHER):
        rows = slice(first, first + TOGETHER)
        for start in range(0, items, step):
            sums[rows] += left[rows, start : start + step] @ right[start : start + step]
    return sums


def sums_stay_exact(values: NDArray[np.float64], most: float) -> bool:
    """Return whether single precision is exact: integers with small sums if each is taken `most` times.

    It is twice as fast, and the result does not depend on the order.
    """
    return bool(most * np.abs(values).sum(axis=0).max(initial=0.0) < 2**24 and (values == np.rint(values)).all())


@lru_cache(maxsize=4)
def all_items(n: int) -> Resamples:
    """Return one resample with every item once, in order: the plain score."""
    return Resamples(np.arange(n, dtype=np.intp)[None, :], n)


def selected_items(indices: NDArray[np.intp], n: int) -> Resamples:
    """Return one resample with a subset of the items, in this order."""
    return Resamples(np.asarray(indices, dtype=np.intp)[None, :], n)


def bootstrap(n: int, samples: int, seed: int, clusters: Codes | None = None) -> Iterator[Resamples]:
    """Yield bootstrap resamples (with replacement) in blocks; the indices are those of one `Generator.integers` call.

    Args:
        n: Number of items.
        samples: Number of resamples.
        seed: Random seed.
        clusters: Cluster of each item, from 0. Whole clusters are resampled if given.
    """
    if clusters is None and 0 < samples * n <= KEPT_CELLS:
        yield _bootstrap_block(n, samples, seed)
        return
    random = np.random.default_rng(seed)
    units = _units(n, clusters)
    for size in _blocks(samples, n):
        drawn = random.integers(0, units, size=(size, units), dtype=np.int64).astype(np.intp, copy=False)
        yield Resamples(_members(drawn, clusters), n)


@lru_cache(maxsize=1)
def _bootstrap_block(n: int, samples: int, seed: int) -> Resamples:
    """Return one block of resamples, cached because many systems are compared on the same ones."""
    drawn = np.random.default_rng(seed).integers(0, n, size=(samples, n), dtype=np.int64).astype(np.intp, copy=False)
    return Resamples(drawn, n)


def subsamples(n: int, samples: int, seed: int, share: float, clusters: Codes | None = None) -> Iterator[Resamples]:
    """Yield subsamples of a share of the items (or clusters), without replacement and in order, in blocks.

    They are for scores that a repeated item would distort (numbers of types, distinct-n, entropy). `subsample_scale`
    converts their deviations to those of samples of n items.
    """
    random = np.random.default_rng(seed)
    units = _units(n, clusters)
    kept = subsample_size(units, share)
    for size in _blocks(samples, n):
        yield Resamples(_members(_smallest(random.random((size, units)), kept), clusters), n)


def halves(n: int, samples: int, seed: int, other: bool, clusters: Codes | None = None) -> Iterator[Resamples]:
    """Yield random halves of the items (or clusters) in order, in blocks; with `other`, the complementary halves.

    Two halves are independent samples of items, so half of their difference has the variance of a score of all items,
    also if the score depends on the order.
    """
    random = np.random.default_rng(seed)
    units = _units(n, clusters)
    for size in _blocks(samples, n):
        keys = random.random((size, units))
        drawn = _smallest(-keys, units - units // 2) if other else _smallest(keys, units // 2)
        yield Resamples(_members(drawn, clusters), n)


def subsample_size(units: int, share: float) -> int:
    return min(int(share * units + 1e-9), max(units - 1, 0))


def _smallest(keys: NDArray[np.float64], m: int) -> NDArray[np.intp]:
    """Return the indices of the `m` smallest keys of each row, in order; of equal keys the first."""
    if not m:
        return np.empty((len(keys), 0), dtype=np.intp)
    highest = np.partition(keys, m - 1, axis=1)[:, m - 1 : m]
    selected = keys <= highest
    for row in np.flatnonzero(np.count_nonzero(selected, axis=1) > m):
        equal = np.flatnonzero(keys[row] == highest[row])
        selected[row, equal[m - np.count_nonzero(selected[row]) :]] = False
    indices = np.flatnonzero(selected).reshape(len(keys), m)
    indices -= np.arange(len(keys))[:, None] * keys.shape[1]
    return indices


def subsample_scale(units: int, share: float) -> float:
    """Return the factor for deviations of `subsamples`.

    The mean of m of n items without replacement has a variance of 1/m - 1/n, that of n new items 1/n.
    """
    m = subsample_size(units, share)
    return float(np.sqrt(m / (units - m))) if units else 0.0


@dataclass(frozen=True, eq=False)
class Permutations:
    """Permutations of two systems: the units (columns) whose outputs are exchanged in each permutation (row).

    They realise the null hypothesis of a paired permutation test: the systems are exchangeable unit by unit.
    """

    block: NDArray[np.int8]
    _derived: dict[str, tuple[Resamples, Resamples]] = field(default_factory=dict, init=False, repr=False)
    _moved: dict[int, tuple[NDArray[np.float64], NDArray[np.float64] | None]] = field(
        default_factory=dict, init=False, repr=False
    )

    def __len__(self) -> int:
        return len(self.block)

    def moved(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of the rows of `values` (one per unit) that are exchanged, one row per permutation.

        Statistics often have equal columns (a text has as many bigrams as words minus one), and columns that no
        permutation changes: each distinct column is multiplied once. The result is stored column by column.
        """
        distinct: dict[bytes, int] = {}
        same = [distinct.setdefault(column.tobytes(), len(distinct)) for column in values.T]
        if len(distinct) < len(same):
            values = values.take([same.index(number) for number in range(len(distinct))], axis=1)
        exact = len(self) >= MANY and sums_stay_exact(values, 1.0)
        return narrow_product(self.doubles, values, self.singles if exact else None).T[same].T

    def moved_between(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return moved(b - a). Integers are summed once per system, for all systems it is compared with."""
        of_a, of_b = self._moved_whole(a), self._moved_whole(b)
        return self.moved(b - a) if of_a is None or of_b is None else of_b - of_a

    def move_together(self, several: Sequence[NDArray[np.float64]]) -> None:
        """Compute the sums of integers of several systems, a few in one product, in advance of `moved_between`."""
        new = list({id(values): values for values in several if id(values) not in self._moved}.values())
        for first in range(0, len(new) if len(self) >= MANY else 0, MOVED_TOGETHER):
            some = new[first : first + MOVED_TOGETHER]
            together = np.concatenate(some, axis=1)
            if len(some) > 1 and sums_stay_exact(together, 2.0):
                ends = np.cumsum([values.shape[1] for values in some])
                pieces = np.hsplit(self.moved(together), ends[:-1])
                self._moved.update({id(v): (v, piece) for v, piece in zip(some, pieces, strict=True)})

    def _moved_whole(self, values: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return exact sums, cached until `release`; None if they would be rounded, which differences would show."""
        if id(values) not in self._moved:
            exact = len(self) >= MANY and sums_stay_exact(values, 2.0)  # then those of b - a are exact, too
            self._moved[id(values)] = values, self.moved(values) if exact else None
        return self._moved[id(values)][1]

    def know(self, values: NDArray[np.float64], moved: NDArray[np.float64]) -> None:
        """Store the result of `moved` for these values, computed elsewhere."""
        self._moved[id(values)] = values, moved

    @cached_property
    def doubles(self) -> NDArray[np.float64]:
        return self.block.astype(np.float64)

    @cached_property
    def singles(self) -> NDArray[np.float32]:
        return self.block.astype(np.float32)

    def resamples(self, n: int, clusters: Codes | None = None) -> tuple[Resamples, Resamples]:
        """Return the permutations as two resamples of 2n rows: n of one system, then n of the other.

        Units are items or clusters. Cached for all metrics on the same items until `release`.
        """
        if "sides" not in self._derived:
            exchanged = (self.block if clusters is None else self.block[:, clusters]).astype(np.intp)
            items = np.arange(n, dtype=np.intp)
            self._derived["sides"] = (
                Resamples(items + exchanged * n, 2 * n),
                Resamples(items + (1 - exchanged) * n, 2 * n),
            )
        return self._derived["sides"]

    def release(self) -> None:
        """Drop all cached values, before other items are permuted."""
        self._derived.clear()
        self._moved.clear()


def permutation_blocks(units: int, samples: int, seed: int) -> Iterator[Permutations]:
    """Yield random permutations in blocks; up to 12 units all permutations, starting with the identity."""
    if is_exhaustive(units):
        yield Permutations(((np.arange(2**units)[:, None] >> np.arange(units)[None, :]) & 1).astype(np.int8))
        return
    if samples * units <= KEPT_CELLS:
        yield from _cached_permutations(units, samples, seed)
        return
    yield from _random_permutations(units, samples, seed)


def _random_permutations(units: int, samples: int, seed: int) -> Iterator[Permutations]:
    random = np.random.default_rng(seed)
    for size in _blocks(samples, units):
        yield Permutations(random.integers(0, 2, size=(size, units), dtype=np.int8))


@lru_cache(maxsize=1)
def _cached_permutations(units: int, samples: int, seed: int) -> list[Permutations]:
    """Return blocks of permutations, cached because many systems are compared on the same ones."""
    return list(_random_permutations(units, samples, seed))


def is_exhaustive(units: int) -> bool:
    """Return whether `permutation_blocks` enumerates all permutations, so that p is exact."""
    return units <= MAX_EXACT_UNITS


def _units(n: int, clusters: Codes | None) -> int:
    return n if clusters is None else int(clusters.max()) + 1


def _blocks(samples: int, n: int) -> Iterator[int]:
    n = max(n, 1)
    block = BLOCK_CELLS // n // TOGETHER * TOGETHER or min(TOGETHER, max(1, TOO_MANY_CELLS // n))
    for start in range(0, samples, block):
        yield min(block, samples - start)


def _members(drawn: NDArray[np.intp], clusters: Codes | None) -> NDArray[np.intp]:
    """Return the items of resampled clusters, in order; shorter rows are padded with -1."""
    if clusters is None:
        return drawn
    order = np.argsort(clusters, kind="stable").astype(np.intp)
    sizes = np.bincount(clusters)
    starts = np.cumsum(sizes) - sizes
    rows = []
    for row in drawn:
        lengths = sizes[row]
        first = np.repeat(starts[row] - (np.cumsum(lengths) - lengths), lengths)
        rows.append(order[first + np.arange(lengths.sum())])
    filled = np.full((len(rows), max(map(len, rows), default=0)), -1, dtype=np.intp)
    for i, row in enumerate(rows):
        filled[i, : len(row)] = row
    return filled
