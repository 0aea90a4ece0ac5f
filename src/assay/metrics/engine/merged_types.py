"""The n-gram types of texts that do not fit in memory, one order after the other.

Texts are read in blocks. The n-grams of each block are partitioned by hash onto disk. The types of one partition at a
time are numbered and counted in memory. Numbers and counts are then written back to the positions of the n-grams, block
by block. All reads and writes are sequential, and time and disk space are linear in the size of the texts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.metrics._kernels import spread
from assay.metrics.engine.spill import Spill

PARTITION = 1_000_000
"""N-grams per partition, so that its hash table fits in the processor's cache."""

Types = NDArray[np.uint32]
Ints = NDArray[np.int32]
Places = NDArray[np.int64]
Tally = Callable[[Ints, Ints, int], Sequence[Ints]]
"""From the type number and the owner of each n-gram of a partition, and the number of types, to counts per n-gram."""


class Block(NamedTuple):
    """Some texts: their words, where each text begins, and a label for each text."""

    ids: Ints
    starts: Places
    labels: Ints


class Blocks(ABC):
    """Texts in blocks, which may be read from disk on each access."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, number: int) -> Block: ...

    def __iter__(self) -> Iterator[Block]:
        return map(self.__getitem__, range(len(self)))


class TypeCounts(NamedTuple):
    """The n-grams that begin at each position of a block."""

    block: int
    at: Types
    """Number of the type at each position."""
    counts: tuple[Ints, ...]
    """What was counted of it."""


class MergedTypes:
    """The n-gram types of blocks of texts; `next` advances to n-grams that are one word longer."""

    def __init__(self, blocks: Blocks, order: int = 1) -> None:
        """Start with words (order 1), or before them (order 0)."""
        self.blocks = blocks
        self.order = order
        self.places = [0]
        self.at = Spill(np.uint32)
        for block in blocks:
            self.places.append(self.places[-1] + len(block.ids))
            self.at.append(block.ids if order else np.zeros(len(block.ids), dtype=np.uint32))

    def types(self, block: int) -> Types:
        """Return the type that begins at each position of a block."""
        return self.at.get(self.places[block], self.places[block + 1] - self.places[block])

    def next(self, tally: Tally) -> Iterator[TypeCounts]:
        """Yield the types of the next order block by block, with what `tally` counts. Must be exhausted."""
        self.order += 1
        partitions = max(1, min(-(-self.places[-1] // PARTITION), 4096))
        keys, owners, places = Spill(np.uint64), Spill(np.int32), Spill(np.int32)
        begins: list[int] = []
        bounds: list[Places] = []
        for number, block in enumerate(self.blocks):
            pairs, block_owners, block_places, bound = spread.deal(
                self.types(number), block.ids, block.starts, block.labels, self.order, partitions
            )
            begins.append(keys.append(pairs))
            owners.append(block_owners)
            places.append(block_places)
            bounds.append(bound)
        numbered, counted = Spill(np.uint32), list[Spill]()
        size = 0
        for k in range(partitions):
            each = zip(begins, bounds, strict=True)
            cuts = [(begin + int(bound[k]), int(bound[k + 1] - bound[k])) for begin, bound in each]
            numbers, kinds = spread.number(_gather(keys, cuts))
            if size + kinds >= spread.NONE:
                raise AssayError(
                    f"more than {spread.NONE} different n-grams of order {self.order}; score the set in parts"
                )
            tallies = tally(numbers, _gather(owners, cuts), kinds)
            counted = counted or [Spill(np.int32) for _ in tallies]
            _scatter(numbered, cuts, numbers.astype(np.uint32) + np.uint32(size))
            for spill, values in zip(counted, tallies, strict=True):
                _scatter(spill, cuts, values)
            size += kinds
        self.at = Spill(np.uint32)
        for number, begin in enumerate(begins):
            length, count = self.places[number + 1] - self.places[number], int(bounds[number][-1])
            where = places.get(begin, count)
            at = _placed(np.full(length, spread.NONE, dtype=np.uint32), where, numbered.get(begin, count))
            self.at.append(at)
            counts = (_placed(np.zeros(length, dtype=np.int32), where, spill.get(begin, count)) for spill in counted)
            yield TypeCounts(number, at, tuple(counts))


def _gather(spill: Spill, cuts: Sequence[tuple[int, int]]) -> NDArray[Any]:
    return np.concatenate([spill.get(*cut) for cut in cuts])


def _scatter(spill: Spill, cuts: Sequence[tuple[int, int]], values: NDArray[Any]) -> None:
    at = 0
    for begin, count in cuts:
        spill.put(begin, values[at : at + count])
        at += count


def _placed(array: NDArray[Any], where: Ints, values: NDArray[Any]) -> NDArray[Any]:
    array[where] = values
    return array


def count_in_references(numbers: Ints, owners: Ints, size: int) -> Sequence[Ints]:
    """Count the occurrences of each type in labelled texts (references)."""
    return (np.bincount(numbers[owners >= 0], minlength=size).astype(np.int32)[numbers],)


def count_items(numbers: Ints, owners: Ints, size: int) -> Sequence[Ints]:
    """Count the labels (items) in whose texts each type occurs."""
    return (spread.holders(numbers, owners, size)[numbers],)


def count_at_first(numbers: Ints, owners: Ints, size: int) -> Sequence[Ints]:
    """Count the occurrences of each type, and the texts that it ends, at its first position; 0 at all others."""
    first = np.flatnonzero(numbers > np.concatenate([[-1], np.maximum.accumulate(numbers)[:-1]]))
    counts, closing = np.zeros(len(numbers), dtype=np.int32), np.zeros(len(numbers), dtype=np.int32)
    counts[first] = np.bincount(numbers, minlength=size)  # types are numbered in order of appearance
    closing[first] = np.bincount(numbers[(owners & 1) > 0], minlength=size)
    return counts, closing
