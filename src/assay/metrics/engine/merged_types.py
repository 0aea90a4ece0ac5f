"""The n-gram types of texts that do not fit in memory, order after order.

Texts come in blocks. The n-grams of a block are dealt out by hash onto disk; the types of one hand after the other are
numbered and counted in memory; numbers and counts then come back to their places, block after block. Everything is read
and written in long stretches, and all of it grows with the texts alone, not with their square.
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

HAND = 1_000_000
"""N-grams of a hand: as many as a table in the processor's cache can number."""

Types = NDArray[np.uint32]
Ints = NDArray[np.int32]
Places = NDArray[np.int64]
Tally = Callable[[Ints, Ints, int], Sequence[Ints]]
"""From the number and the owner of each n-gram of a hand, and how many types there are: some numbers for each."""


class Block(NamedTuple):
    """Some texts: their words, where each begins, and a label for each."""

    ids: Ints
    starts: Places
    labels: Ints


class Blocks(ABC):
    """Texts in blocks, which may be read from disk each time they are asked for."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, number: int) -> Block: ...

    def __iter__(self) -> Iterator[Block]:
        return map(self.__getitem__, range(len(self)))


class Brought(NamedTuple):
    """What came back to the places of a block: the type that begins there, and what was counted of it."""

    block: int
    at: Types
    counts: tuple[Ints, ...]


class MergedTypes:
    """Begins with words, or before them; `next` goes on to the n-grams that are one word longer."""

    def __init__(self, blocks: Blocks, begun: int = 1) -> None:
        self.blocks = blocks
        self.order = begun
        self.places = [0]
        self.at = Spill(np.uint32)
        for block in blocks:
            self.places.append(self.places[-1] + len(block.ids))
            self.at.append(block.ids if begun else np.zeros(len(block.ids), dtype=np.uint32))

    def types(self, block: int) -> Types:
        """The type that begins at each place of a block."""
        return self.at.get(self.places[block], self.places[block + 1] - self.places[block])

    def next(self, tally: Tally) -> Iterator[Brought]:
        """The types of the next order, and what `tally` counts of them. To be taken to its end."""
        self.order += 1
        hands = max(1, min(-(-self.places[-1] // HAND), 4096))
        dealt, owners, places = Spill(np.uint64), Spill(np.int32), Spill(np.int32)
        begins: list[int] = []
        bounds: list[Places] = []
        for number, block in enumerate(self.blocks):
            pairs, *beside, bound = spread.deal(
                self.types(number), block.ids, block.starts, block.labels, self.order, hands
            )
            begins.append(dealt.append(pairs))
            for spill, numbers in zip((owners, places), beside, strict=True):
                spill.append(numbers)
            bounds.append(bound)
        numbered, counted = Spill(np.uint32), list[Spill]()
        size = 0
        for hand in range(hands):
            each = zip(begins, bounds, strict=True)
            cuts = [(begin + int(bound[hand]), int(bound[hand + 1] - bound[hand])) for begin, bound in each]
            numbers, kinds = spread.number(_together(dealt, cuts))
            if size + kinds >= spread.NONE:
                raise AssayError(
                    f"more than {spread.NONE} different n-grams of {self.order} words; score parts of the set"
                )
            found = tally(numbers, _together(owners, cuts), kinds)
            counted = counted or [Spill(np.int32) for _ in found]
            _apart(numbered, cuts, numbers.astype(np.uint32) + np.uint32(size))
            for spill, values in zip(counted, found, strict=True):
                _apart(spill, cuts, values)
            size += kinds
        self.at = Spill(np.uint32)
        for number, begin in enumerate(begins):
            length, count = self.places[number + 1] - self.places[number], int(bounds[number][-1])
            where = places.get(begin, count)
            at = _placed(np.full(length, spread.NONE, dtype=np.uint32), where, numbered.get(begin, count))
            self.at.append(at)
            counts = (_placed(np.zeros(length, dtype=np.int32), where, spill.get(begin, count)) for spill in counted)
            yield Brought(number, at, tuple(counts))


def _together(spill: Spill, cuts: Sequence[tuple[int, int]]) -> NDArray[Any]:
    return np.concatenate([spill.get(*cut) for cut in cuts])


def _apart(spill: Spill, cuts: Sequence[tuple[int, int]], values: NDArray[Any]) -> None:
    at = 0
    for begin, count in cuts:
        spill.put(begin, values[at : at + count])
        at += count


def _placed(array: NDArray[Any], where: Ints, values: NDArray[Any]) -> NDArray[Any]:
    array[where] = values
    return array


def in_references(numbers: Ints, owners: Ints, size: int) -> Sequence[Ints]:
    """How often a type stands in texts that have a label."""
    return (np.bincount(numbers[owners >= 0], minlength=size).astype(np.int32)[numbers],)


def in_items(numbers: Ints, owners: Ints, size: int) -> Sequence[Ints]:
    """How many labels have a type."""
    return (spread.holders(numbers, owners, size)[numbers],)


def where_first(numbers: Ints, owners: Ints, size: int) -> Sequence[Ints]:
    """Where a type stands first, how often it occurs, and how many texts it ends; 0 everywhere else."""
    first = np.flatnonzero(numbers > np.concatenate([[-1], np.maximum.accumulate(numbers)[:-1]]))
    counts, closing = np.zeros(len(numbers), dtype=np.int32), np.zeros(len(numbers), dtype=np.int32)
    counts[first] = np.bincount(numbers, minlength=size)  # numbers are given in the order of appearance
    closing[first] = np.bincount(numbers[(owners & 1) > 0], minlength=size)
    return counts, closing
