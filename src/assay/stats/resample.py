"""Random draws of items, shared by every metric and every system so that comparisons are paired."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.stats.threads import compute_once

BLOCK_CELLS = 500_000
"""How many drawn indices are held at once; results do not depend on it. Few enough for the memory to be used again."""
KEPT_CELLS = 2_000_000
"""How many of the latest are kept."""
CACHED_CELLS = 60_000
"""How many drawn indices are counted at once."""
TOGETHER = 64
"""How many draws some metrics count side by side; blocks are so large while that is not too much."""
TOO_MANY_CELLS = 8_000_000
MANY = 256
"""From so many draws on it pays to look whether single precision is enough."""
ALONE = 200_000
"""Matrix products of more multiplications than about this are shared by threads, which wait for each other longer than
they work when the matrix is as narrow as statistics are."""
ALONE_EXACTLY = 1 << 18
"""Where OpenBLAS itself draws that line."""
LEAST_TOGETHER = 32
"""Products of fewer rows spend more on being called than on multiplying."""

MOVED_TOGETHER = 5
"""Systems whose rows are moved in one product: few, so that it stays in the nearest memory."""
MAX_EXACT_UNITS = 12
"""Up to so many units all swaps are enumerated instead of drawn."""

Codes = NDArray[np.int64]
T = TypeVar("T")


@dataclass(frozen=True)
class Resamples:
    """Some resamples of `n` items: which item stands where (`indices`, -1 for nobody) and how often each was drawn
    (`weights`)."""

    indices: NDArray[np.intp]
    n: int
    _derived: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.indices)

    def once(self, key: str, make: Callable[[], T]) -> T:
        """What was derived from these draws under this key, made once: one metric after the other asks for it."""
        return compute_once(self._derived, key, make)

    @cached_property
    def is_sorted(self) -> bool:
        """Whether every draw takes items once at most, and in their own order."""
        return bool((self.indices[:, 1:] > self.indices[:, :-1]).all() and (self.indices[:, :1] >= 0).all())

    @cached_property
    def is_all_items(self) -> bool:
        """Whether it is the one draw of every item, in order."""
        return len(self) == 1 and self.indices.shape[1] == self.n and bool((self.indices[0] == np.arange(self.n)).all())

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        return self.counts(np.dtype(np.float64))

    @property
    def small_weights(self) -> NDArray[np.unsignedinteger[Any]]:
        """`weights` in an eighth of the room; not kept."""
        small = self.counts(np.dtype(np.uint8))
        # a number of draws that does not fit a byte comes back as less
        return small if int(small.sum(dtype=np.int64)) == self.indices.size else self.weights.astype(np.uint32)

    def counts(self, kind: np.dtype[Any]) -> NDArray[Any]:
        """How often each item was drawn, in numbers of this kind."""
        nobody = bool((self.indices < 0).any())
        places = self.n + nobody  # one column more catches the places where nobody stands
        weights = np.empty((len(self), self.n), dtype=kind)
        step = max(1, CACHED_CELLS // max(1, places))
        for start in range(0, len(self), step):
            drawn = self.indices[start : start + step]
            rows = (np.arange(len(drawn)) * places)[:, None]
            cells = (np.where(drawn < 0, self.n, drawn) if nobody else drawn) + rows
            counts = np.bincount(cells.ravel(), minlength=len(drawn) * places)
            weights[start : start + step] = counts.reshape(len(drawn), places)[:, : self.n]
        return weights

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weighted sums of the columns of `values` (one row an item), one row a draw: weights @ values."""
        single = None
        if len(self) >= MANY and self.exact(values):
            single = self.once("single", lambda: self.weights.astype(np.float32))
        return narrow_product(self.weights, values, single)

    def exact(self, values: NDArray[np.float64]) -> bool:
        """Whether single precision holds every sum of these values."""
        most = self.once("most", lambda: self.weights.max(initial=0.0))
        return sums_stay_exact(values, most)


def narrow_product(
    weights: NDArray[np.float64] | NDArray[np.float32],
    values: NDArray[np.float64],
    single: NDArray[np.float32] | None = None,
) -> NDArray[np.float64]:
    """weights @ values for few columns, in pieces that one thread multiplies faster than several would; in single
    precision where those weights are given, because they are known to give the same sums."""
    items, columns = values.shape
    columns_together = min(columns, ALONE_EXACTLY // max(1, items * LEAST_TOGETHER))
    if single is not None and columns_together >= min(columns, LEAST_TOGETHER // 2):
        # exact sums are the same however they are cut
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
    """Whether single precision holds every sum exactly: whole numbers that stay small when each is taken `most` times.
    It adds twice as fast, and in any order to the same result."""
    return bool(most * np.abs(values).sum(axis=0).max(initial=0.0) < 2**24 and (values == np.rint(values)).all())


@lru_cache(maxsize=4)
def all_items(n: int) -> Resamples:
    """The one draw that takes every item once, in order: the plain score."""
    return Resamples(np.arange(n, dtype=np.intp)[None, :], n)


def selected_items(indices: NDArray[np.intp], n: int) -> Resamples:
    """One draw of a subset, in the order given."""
    return Resamples(np.asarray(indices, dtype=np.intp)[None, :], n)


def bootstrap(n: int, samples: int, seed: int, clusters: Codes | None = None) -> Iterator[Resamples]:
    """`samples` draws with replacement, in blocks; the same numbers as one `Generator.integers` call.

    With `clusters` (a number for each item) whole clusters are drawn, as many as there are.
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
    """The latest draws, where they are few enough: many systems are compared over the same ones."""
    drawn = np.random.default_rng(seed).integers(0, n, size=(samples, n), dtype=np.int64).astype(np.intp, copy=False)
    return Resamples(drawn, n)


def subsamples(n: int, samples: int, seed: int, share: float, clusters: Codes | None = None) -> Iterator[Resamples]:
    """`samples` draws of a share of the items (or clusters), without replacement and in their own order, in blocks.

    For values that a repeated item would distort (numbers of types, distinct-n, entropy); `subsample_scale` turns their
    deviations into those that n new items would make.
    """
    random = np.random.default_rng(seed)
    units = _units(n, clusters)
    kept = subsample_size(units, share)
    for size in _blocks(samples, n):
        yield Resamples(_members(_smallest(random.random((size, units)), kept), clusters), n)


def halves(n: int, samples: int, seed: int, other: bool, clusters: Codes | None = None) -> Iterator[Resamples]:
    """`samples` halves of the items (or clusters) in their own order, in blocks; with `other`, of each the other half.

    Two halves are as independent as two sets of items, so half of their difference varies as a value of all items does,
    whatever their order does to it.
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
    """Where the `m` smallest keys of each row stand, in order; of equal keys the first."""
    if not m:
        return np.empty((len(keys), 0), dtype=np.intp)
    highest = np.partition(keys, m - 1, axis=1)[:, m - 1 : m]
    selected_items = keys <= highest
    for row in np.flatnonzero(np.count_nonzero(selected_items, axis=1) > m):
        equal = np.flatnonzero(keys[row] == highest[row])
        selected_items[row, equal[m - np.count_nonzero(selected_items[row]) :]] = False
    places = np.flatnonzero(selected_items).reshape(len(keys), m)
    places -= np.arange(len(keys))[:, None] * keys.shape[1]
    return places


def subsample_scale(units: int, share: float) -> float:
    """What a deviation of `subsamples` is to be multiplied by: m of n items without replacement have a mean whose
    variance is (1/m - 1/n) against 1/n of n new items."""
    m = subsample_size(units, share)
    return float(np.sqrt(m / (units - m))) if units else 0.0


@dataclass(frozen=True, eq=False)
class Permutations:
    """Some swaps of two systems: which unit (column) changes sides in each of them (row).

    This is the null hypothesis of a paired permutation test: the two systems are exchangeable unit by unit.
    """

    block: NDArray[np.int8]
    _derived: dict[str, tuple[Resamples, Resamples]] = field(default_factory=dict, init=False, repr=False)
    _moved: dict[int, tuple[NDArray[np.float64], NDArray[np.float64] | None]] = field(
        default_factory=dict, init=False, repr=False
    )

    def __len__(self) -> int:
        return len(self.block)

    def moved(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sums of the rows of `values` (one a unit) that change sides, one row a swap; each column in one piece.

        Statistics often have the same column several times (a text has as many bigrams as words but one), and some
        that no swap changes: each is multiplied once.
        """
        places: dict[bytes, int] = {}
        same = [places.setdefault(column.tobytes(), len(places)) for column in values.T]
        if len(places) < len(same):
            values = values.take([same.index(place) for place in range(len(places))], axis=1)
        exact = len(self) >= MANY and sums_stay_exact(values, 1.0)
        return narrow_product(self.doubles, values, self.singles if exact else None).T[same].T

    def moved_between(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        """moved(b - a). Whole numbers are moved once for each system, however many others it is compared with."""
        of_a, of_b = self._moved_whole(a), self._moved_whole(b)
        return self.moved(b - a) if of_a is None or of_b is None else of_b - of_a

    def move_together(self, several: Sequence[NDArray[np.float64]]) -> None:
        """Move the whole numbers of several systems, a few in one product, for `moved_between` to find."""
        new = list({id(values): values for values in several if id(values) not in self._moved}.values())
        for first in range(0, len(new) if len(self) >= MANY else 0, MOVED_TOGETHER):
            some = new[first : first + MOVED_TOGETHER]
            together = np.concatenate(some, axis=1)
            if len(some) > 1 and sums_stay_exact(together, 2.0):
                ends = np.cumsum([values.shape[1] for values in some])
                pieces = np.hsplit(self.moved(together), ends[:-1])
                self._moved.update({id(v): (v, piece) for v, piece in zip(some, pieces, strict=True)})

    def _moved_whole(self, values: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Exact sums, kept until `release`; None where they would be rounded, which a difference would show."""
        if id(values) not in self._moved:
            exact = len(self) >= MANY and sums_stay_exact(values, 2.0)  # those of b - a are exact, too
            self._moved[id(values)] = values, self.moved(values) if exact else None
        return self._moved[id(values)][1]

    def know(self, values: NDArray[np.float64], moved: NDArray[np.float64]) -> None:
        """What `moved` gives for these values, found elsewhere."""
        self._moved[id(values)] = values, moved

    @cached_property
    def doubles(self) -> NDArray[np.float64]:
        return self.block.astype(np.float64)

    @cached_property
    def singles(self) -> NDArray[np.float32]:
        return self.block.astype(np.float32)

    def resamples(self, n: int, clusters: Codes | None = None) -> tuple[Resamples, Resamples]:
        """As a pair of draws over 2n rows (n of one system, then n of the other), whose units are items or clusters;
        made once, for all metrics over the same items, until `release`."""
        if "sides" not in self._derived:
            swapped = (self.block if clusters is None else self.block[:, clusters]).astype(np.intp)
            items = np.arange(n, dtype=np.intp)
            self._derived["sides"] = Resamples(items + swapped * n, 2 * n), Resamples(items + (1 - swapped) * n, 2 * n)
        return self._derived["sides"]

    def release(self) -> None:
        """Drop what was derived for the items at hand: others are swapped next."""
        self._derived.clear()
        self._moved.clear()


def permutation_blocks(units: int, samples: int, seed: int) -> Iterator[Permutations]:
    """`samples` random swaps of so many units, in blocks; up to 12 units every swap there is, the one that changes
    nothing first."""
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
    """The latest swaps, where they are few enough: many systems are compared over the same ones."""
    return list(_random_permutations(units, samples, seed))


def is_exhaustive(units: int) -> bool:
    """Whether `permutation_blocks` enumerates, so that its p is exact."""
    return units <= MAX_EXACT_UNITS


def _units(n: int, clusters: Codes | None) -> int:
    return n if clusters is None else int(clusters.max()) + 1


def _blocks(samples: int, n: int) -> Iterator[int]:
    n = max(n, 1)
    block = BLOCK_CELLS // n // TOGETHER * TOGETHER or min(TOGETHER, max(1, TOO_MANY_CELLS // n))
    for start in range(0, samples, block):
        yield min(block, samples - start)


def _members(drawn: NDArray[np.intp], clusters: Codes | None) -> NDArray[np.intp]:
    """From drawn clusters to their items, one after the other; shorter draws are filled up with -1."""
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
