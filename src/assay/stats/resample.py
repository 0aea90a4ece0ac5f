"""Random draws of items, shared by every metric and every system so that comparisons are paired."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

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

EXACT_SWAPS = 12
"""Up to so many units all swaps are enumerated instead of drawn."""

Codes = NDArray[np.int64]
T = TypeVar("T")


@dataclass(frozen=True)
class Draws:
    """Some resamples of `n` items: which item stands where (`indices`, -1 for nobody) and how often each was drawn
    (`weights`)."""

    indices: NDArray[np.intp]
    n: int
    _derived: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.indices)

    def once(self, key: str, make: Callable[[], T]) -> T:
        """What was derived from these draws under this key, made once: one metric after the other asks for it."""
        if key not in self._derived:
            self._derived[key] = make()
        made: T = self._derived[key]
        return made

    @cached_property
    def in_order(self) -> bool:
        """Whether every draw takes items once at most, and in their own order."""
        return bool((self.indices[:, 1:] > self.indices[:, :-1]).all() and (self.indices[:, :1] >= 0).all())

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        nobody = bool((self.indices < 0).any())
        places = self.n + nobody  # one column more catches the places where nobody stands
        weights = np.empty((len(self), self.n))
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
        weights, together = self.weights, TOGETHER
        if len(self) >= MANY and self.exact(values):
            weights = self.once("single", lambda: self.weights.astype(np.float32))
            values = values.astype(np.float32)
            # exact sums are the same however they are cut: as many rows as stay alone
            together = max(TOGETHER, ALONE_EXACTLY // max(1, values.size))
        sums = np.zeros((len(self), values.shape[1]))
        step = self.n if together > TOGETHER else max(1, ALONE // (together * max(1, values.shape[1])))
        for first in range(0, len(self), together):
            rows = slice(first, first + together)
            for start in range(0, self.n, step):
                sums[rows] += weights[rows, start : start + step] @ values[start : start + step]
        return sums

    def exact(self, values: NDArray[np.float64]) -> bool:
        """Whether single precision holds every sum exactly: whole numbers that stay small. It adds twice as fast, and
        in any order to the same result."""
        most = self.once("most", lambda: self.weights.max(initial=0.0))
        return bool(most * np.abs(values).sum(axis=0).max(initial=0.0) < 2**24 and (values == np.rint(values)).all())


@lru_cache(maxsize=4)
def whole(n: int) -> Draws:
    """The one draw that takes every item once, in order: the plain score."""
    return Draws(np.arange(n, dtype=np.intp)[None, :], n)


def chosen(indices: NDArray[np.intp], n: int) -> Draws:
    """One draw of a subset, in the order given."""
    return Draws(np.asarray(indices, dtype=np.intp)[None, :], n)


def bootstrap(n: int, samples: int, seed: int, clusters: Codes | None = None) -> Iterator[Draws]:
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
        yield Draws(_members(drawn, clusters), n)


@lru_cache(maxsize=1)
def _bootstrap_block(n: int, samples: int, seed: int) -> Draws:
    """The latest draws, where they are few enough: many systems are compared over the same ones."""
    drawn = np.random.default_rng(seed).integers(0, n, size=(samples, n), dtype=np.int64).astype(np.intp, copy=False)
    return Draws(drawn, n)


def halves(n: int, samples: int, seed: int, clusters: Codes | None = None) -> Iterator[Draws]:
    """`samples` draws of half of the items (or clusters), without replacement and in their own order, in blocks.

    For values that a repeated item would distort (numbers of types, distinct-n, entropy). Leaving out half of n
    items moves a value about as much as drawing n new ones would: the variance is (1/m - 1/n) against 1/n.
    """
    random = np.random.default_rng(seed)
    units = _units(n, clusters)
    for size in _blocks(samples, n):
        yield Draws(_members(_smallest(random.random((size, units)), units // 2), clusters), n)


def _smallest(keys: NDArray[np.float64], m: int) -> NDArray[np.intp]:
    """Where the `m` smallest keys of each row stand, in order; of equal keys the first."""
    if not m:
        return np.empty((len(keys), 0), dtype=np.intp)
    highest = np.partition(keys, m - 1, axis=1)[:, m - 1 : m]
    chosen = keys <= highest
    for row in np.flatnonzero(np.count_nonzero(chosen, axis=1) > m):
        equal = np.flatnonzero(keys[row] == highest[row])
        chosen[row, equal[m - np.count_nonzero(chosen[row]) :]] = False
    places = np.flatnonzero(chosen).reshape(len(keys), m)
    places -= np.arange(len(keys))[:, None] * keys.shape[1]
    return places


def half_scale(units: int) -> float:
    """What a deviation of `halves` is to be multiplied by; 1 for an even number of units."""
    m = units // 2
    return float(np.sqrt(m / (units - m))) if units else 0.0


def swaps(n: int, samples: int, seed: int, clusters: Codes | None = None) -> Iterator[tuple[Draws, Draws]]:
    """Pairs of draws over 2n rows (n of one system, then n of the other), each item's two rows swapped at random.

    This is the null hypothesis of a paired permutation test: the two systems are exchangeable item by item (or
    cluster by cluster). Up to 12 units all swaps are enumerated instead.
    """
    random = np.random.default_rng(seed)
    units = _units(n, clusters)
    items = np.arange(n, dtype=np.intp)
    if all_swaps(units):
        swapped = (np.arange(2**units)[:, None] >> np.arange(units)[None, :]) & 1
        blocks = iter([swapped])
    else:
        sizes = _blocks(samples, n)
        blocks = (random.integers(0, 2, size=(size, units), dtype=np.int8) for size in sizes)
    for block in blocks:
        swapped = block.astype(np.intp) if clusters is None else block.astype(np.intp)[:, clusters]
        yield Draws(items + swapped * n, 2 * n), Draws(items + (1 - swapped) * n, 2 * n)


def all_swaps(units: int) -> bool:
    """Whether `swaps` enumerates, so that its p is exact."""
    return units <= EXACT_SWAPS


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
