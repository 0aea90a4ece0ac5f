"""Bags of n-grams on disk, for sets too large for memory: one partition of the types at a time is read and counted.

Types are partitioned by hash. Sums over types are computed partition by partition and may therefore differ from those
of bags in memory by rounding (about 1e-15, relative); counts are identical.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.metrics.engine.large_bags import TokenBlocks
from assay.metrics.engine.merged_types import Ints, MergedTypes, Places
from assay.metrics.engine.spill import Spill
from assay.metrics.engine.statistics import Tokens


@dataclass(frozen=True, eq=False)
class Bag:
    """The items of each kind of n-gram of one order, and those that end with it; see `gather` of the kernel `bags`."""

    heads: Places
    times: Ints
    items: Ints
    closed: Places
    closing: Ints

    @property
    def columns(self) -> tuple[Places, Ints, Ints, Places, Ints]:
        """The arrays in the order of the kernel's arguments."""
        return self.heads, self.times, self.items, self.closed, self.closing


class SpilledBag:
    """The n-grams of one order on disk: the count of each type, and for each occurrence its owner (twice the item, plus
    one where the n-gram ends the item)."""

    def __init__(self, closing: bool) -> None:
        """Create an empty bag; `closing` keeps which items each type ends."""
        self.closing = closing
        self._counts, self._owners = Spill(np.int32), Spill(np.int32)
        self._shares: list[tuple[int, int, int, int]] = []

    def add(self, numbers: Ints, owners: Ints, size: int) -> Sequence[Ints]:
        """Add the types of a partition; a tally for `MergedTypes.next` that counts nothing."""
        # Sort by type, then by position: sorting combined integer keys is faster than a stable sort.
        keys = numbers.astype(np.uint64) << np.uint64(32)
        keys |= np.arange(len(numbers), dtype=np.uint64)
        keys.sort()
        places = (keys & np.uint64(0xFFFFFFFF)).astype(np.intp)
        counts = np.bincount(numbers, minlength=size)
        at = self._counts.append(counts), self._owners.append(owners[places])
        self._shares.append((at[0], size, at[1], len(owners)))
        return ()

    def __iter__(self) -> Iterator[Bag]:
        """Yield the bag of each partition."""
        for first, size, begin, occurrences in self._shares:
            counts, owners = self._counts.get(first, size), self._owners.get(begin, occurrences)
            heads = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
            items = owners >> 1
            closers = np.flatnonzero(owners & 1) if self.closing else np.empty(0, dtype=np.int64)
            yield Bag(heads, np.ones(size, np.int32), items, np.searchsorted(closers, heads), items[closers])


def spilled_bags(tokens: Tokens, orders: int) -> list[SpilledBag]:
    """Return the bag of each order from 1 on, computed once for the same tokens."""

    def make() -> list[SpilledBag]:
        merged = MergedTypes(TokenBlocks(tokens), order=0)
        made = []
        for order in range(1, orders + 1):
            bag = SpilledBag(closing=order < orders)
            for _ in merged.next(bag.add):
                pass
            made.append(bag)
        return made

    return tokens.once(f"spilled bags of {orders}", make)
