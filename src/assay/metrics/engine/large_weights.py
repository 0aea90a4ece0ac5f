"""Rows of NIST and CIDEr for sets too large for memory: reference counts are merged on disk, then each item is weighted
with them, as among all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.metrics._kernels import spread
from assay.metrics.engine.layout import Layout, from_rows
from assay.metrics.engine.merged_types import (
    Block,
    Blocks,
    MergedTypes,
    TypeCounts,
    count_in_references,
    count_items,
)
from assay.metrics.engine.spill import Spill
from assay.metrics.engine.statistics import Floats, Tokens

Places = NDArray[np.int64]


class _Stored(NamedTuple):
    """Where the three arrays of a layout are on disk."""

    begins: tuple[int, int, int]
    lengths: tuple[int, int, int]
    low: int
    """First item."""
    size: int
    """Number of different words."""


class Layouts(Blocks):
    """Layouts of outputs and references in blocks on disk. As texts of `MergedTypes`, references are labelled with
    their item; outputs have a negative label and are not counted."""

    def __init__(self, rows: Tokens, lay: Callable[[Layout], Layout]) -> None:
        self._spills = Spill(np.int32), Spill(np.int64), Spill(np.int64)
        self._stored: list[_Stored] = []
        self.items = len(rows)
        self.size = 0
        for low, high in rows.cuts():
            layout = lay(from_rows(rows.cut(low, high)))
            ids, starts, first = self._spills
            begins = ids.append(layout.ids), starts.append(layout.starts), first.append(layout.first)
            lengths = len(layout.ids), len(layout.starts), len(layout.first)
            self._stored.append(_Stored(begins, lengths, low, layout.size))
            self.size = max(self.size, layout.size)

    def __len__(self) -> int:
        return len(self._stored)

    def layout(self, number: int) -> Layout:
        stored = self._stored[number]
        each = zip(self._spills, stored.begins, stored.lengths, strict=True)
        ids, starts, first = (spill.get(begin, length) for spill, begin, length in each)
        return Layout(ids, starts, first, stored.size)

    def span(self, number: int) -> slice:
        """Return the range of items of a block."""
        low = self._stored[number].low
        return slice(low, low + self._stored[number].lengths[2] - 1)

    def __getitem__(self, number: int) -> Block:
        layout = self.layout(number)
        labels = np.full(len(layout.starts) - 1, -1, dtype=np.int32)
        span = self.span(number)
        labels[layout.items :][: layout.first[-1]] = np.repeat(np.arange(span.start, span.stop), np.diff(layout.first))
        return Block(layout.ids, layout.starts, labels)


def _word_counts(layouts: Layouts, of_block: Callable[[Block], NDArray[Any]]) -> Iterator[TypeCounts]:
    """Yield the counts of words at their positions, block by block."""
    counts = np.zeros(layouts.size, dtype=np.int32)
    for block in layouts:
        counts += of_block(block).astype(np.int32)
    for number in range(len(layouts)):
        ids = layouts.layout(number).ids
        yield TypeCounts(number, ids.astype(np.uint32), (counts[ids],))


def _owners(block: Block) -> NDArray[np.int32]:
    return np.repeat(2 * block.labels, np.diff(block.starts))


def information(layouts: Layouts, order: int, total: int) -> Iterator[tuple[int, slice, Floats]]:
    """Yield for each order and block of items the information of the matches (NIST); `total` is the number of words in
    all references."""
    merged = MergedTypes(layouts)
    below = Spill(np.int64)
    for block in layouts:
        below.append(np.full(len(block.ids), total))

    def words(block: Block) -> NDArray[Any]:
        return np.bincount(block.ids[_owners(block) >= 0], minlength=layouts.size)

    for k in range(order):
        counted = Spill(np.int64)
        for number, at, (occurrences,) in merged.next(count_in_references) if k else _word_counts(layouts, words):
            layout = layouts.layout(number)
            counts = occurrences.astype(np.int64)
            before = below.get(merged.places[number], len(counts))
            yield (
                k,
                layouts.span(number),
                spread.information(at, counts, before, layout.starts, layout.first, _room(layout)),
            )
            counted.append(counts)
        below = counted


def consensus(layouts: Layouts, order: int, clip: bool, sigma: float) -> Iterator[tuple[slice, Floats]]:
    """Yield for each order and block of items the similarity to the references (CIDEr)."""
    merged = MergedTypes(layouts)

    def words(block: Block) -> NDArray[Any]:
        return spread.holders(block.ids, _owners(block).astype(np.int32), layouts.size)

    for k in range(order):
        for number, at, (documents,) in merged.next(count_items) if k else _word_counts(layouts, words):
            layout = layouts.layout(number)
            lengths = np.maximum(layout.lengths - 1, 0)  # the authors' code measures length in bigrams
            yield (
                layouts.span(number),
                spread.consensus(
                    at, documents, layout.starts, layout.first, _room(layout), layouts.items, clip, sigma, lengths
                ),
            )


def _room(layout: Layout) -> int:
    """Return the size of a hash table for the types of any item: a power of two, at most half full."""
    lengths, n = layout.lengths, layout.items
    totals = np.concatenate([[0], np.cumsum(lengths[n:])])
    most = int((lengths[:n] + totals[layout.first[1:]] - totals[layout.first[:-1]]).max(initial=0))
    return 1 << max(4, (2 * most).bit_length())
