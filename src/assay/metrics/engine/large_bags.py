"""The summary of all n-grams of a set too large for bags in memory, equal to that of `bags` over all items."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.metrics._kernels import lanes, spread
from assay.metrics.engine import spill
from assay.metrics.engine.merged_types import Block, Blocks, MergedTypes, count_at_first
from assay.metrics.engine.statistics import Floats, Tokens


class Types(NamedTuple):
    """Some types in their order."""

    counts: NDArray[np.int32]
    """Occurrences of each type."""
    closing: NDArray[np.int32]
    """Number of items that end with it."""
    numbers: NDArray[np.int64]
    items: NDArray[np.int64]
    """The first item that contains it."""


class TokenBlocks(Blocks):
    """Items in blocks of a few million tokens."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.cuts = tokens.cuts()

    def __len__(self) -> int:
        return len(self.cuts)

    def __getitem__(self, number: int) -> Block:
        low, high = self.cuts[number]
        begin, end = self.tokens.starts[[low, high]].tolist()
        ids = np.array(self.tokens.ids[begin:end])
        spill.release_pages(self.tokens.ids)
        return Block(ids, self.tokens.starts[low : high + 1] - begin, np.arange(low, high, dtype=np.int32))


def whole_sums(tokens: Tokens, orders: int) -> list[Floats]:
    """Return the summary of each order from 1 on as a single row, with the columns of `lanes`."""

    def make() -> list[Floats]:
        merged = MergedTypes(TokenBlocks(tokens))
        summaries = [_summary(merged, iter([_words(merged, len(tokens.vocabulary))]), closing=orders > 1)]
        for order in range(2, orders + 1):
            summaries.append(_summary(merged, _types(merged), closing=order < orders))
        return summaries

    return tokens.once(f"sums of {orders}", make)


def _words(merged: MergedTypes, size: int) -> Types:
    """Return the types of order 1, in the order of the vocabulary."""
    counts, closing = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    first = np.full(size, -1, dtype=np.int64)
    for block in merged.blocks:
        counts += np.bincount(block.ids, minlength=size)
        lengths = np.diff(block.starts)
        closing += np.bincount(block.ids[block.starts[1:][lengths > 0] - 1], minlength=size)
        latest = np.full(size, -1, dtype=np.int64)
        latest[block.ids[::-1]] = np.repeat(block.labels, lengths)[::-1]  # reversed, so that the first item wins
        first = np.where(first < 0, latest, first)
    some = np.flatnonzero(counts)
    return Types(counts[some].astype(np.int32), closing[some].astype(np.int32), some, first[some])


def _types(merged: MergedTypes) -> Iterator[Types]:
    """Yield the types of the next order, in order of appearance."""
    for number, at, (counts, closing) in merged.next(count_at_first):
        block = merged.blocks[number]
        places = np.flatnonzero(counts)
        items = block.labels[np.searchsorted(block.starts, places, side="right") - 1].astype(np.int64)
        yield Types(counts[places], closing[places], at[places].astype(np.int64), items)


def _summary(merged: MergedTypes, pieces: Iterator[Types], *, closing: bool) -> Floats:
    few, summary = np.zeros(lanes.BYTE + 1, dtype=np.int64), np.zeros(lanes.COLUMNS)
    large: list[Types] = []
    for piece in pieces:
        ends = piece.closing if closing else np.zeros_like(piece.closing)
        spread.summarise(piece.counts, ends, few, summary)
        over = piece.counts > lanes.BYTE
        large.append(Types(piece.counts[over], ends[over], piece.numbers[over], piece.items[over]))
    counts, times = _kinds(merged, Types(*(np.concatenate(column) for column in zip(*large, strict=True))))
    spread.add_large(counts, times, summary)
    _weigh(few, summary)
    return summary[None, :]


def _weigh(few: NDArray[np.int64], summary: Floats) -> None:
    """Add the histogram of small counts to the summary, in the order of `lanes`."""
    logs = np.log2(np.maximum(np.arange(lanes.BYTE + 1, dtype=np.float64), 1))
    summary[2] += few[1]
    for count in range(1, lanes.BYTE + 1):
        c, times = float(count), float(few[count])
        summary[0] += times * c
        summary[1] += times
        summary[3] += times * (c * logs[count])
        summary[4] += times * c * c


def _kinds(merged: MergedTypes, types: Types) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Merge types that occur in the same items, equally often in each, into one with a multiplicity, at the place of
    the first. A type that ends an item is never merged."""
    keys = np.where(types.closing > 0, -1 - np.arange(len(types.items)), types.items)
    pairs = np.stack([types.counts.astype(np.int64), keys], axis=1)
    _, group, sizes = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    alike = np.flatnonzero(sizes[group.ravel()] > 1)
    times = np.ones(len(keys), dtype=np.int32)
    first: dict[bytes, int] = {}
    digests = _digests(merged, types.numbers[alike]) if len(alike) else []
    for place, digest in zip(alike.tolist(), digests, strict=True):
        kind = first.setdefault(digest, place)
        if kind != place:
            times[kind] += 1
            times[place] = 0
    kept = times > 0
    return types.counts[kept].astype(np.int64), times[kept]


def _digests(merged: MergedTypes, numbers: NDArray[np.int64]) -> list[bytes]:
    """Return a digest of the items in which each of these types occurs."""
    order = np.argsort(numbers)
    wanted = numbers[order]
    made = [hashlib.sha256() for _ in wanted]
    for number, block in enumerate(merged.blocks):
        at = merged.types(number)
        which = np.minimum(np.searchsorted(wanted, at), len(wanted) - 1)
        places = np.flatnonzero(wanted[which] == at)
        which = which[places]
        items = block.labels[np.searchsorted(block.starts, places, side="right") - 1]
        sorted_ = np.argsort(which, kind="stable")
        begins = np.searchsorted(which[sorted_], np.arange(len(wanted) + 1))
        items = np.ascontiguousarray(items[sorted_])
        for k in np.flatnonzero(np.diff(begins)).tolist():
            made[k].update(items[begins[k] : begins[k + 1]].tobytes())
    digests = [b""] * len(made)
    for k, place in enumerate(order.tolist()):
        digests[place] = made[k].digest()
    return digests
