"""Swaps and resamples of many systems on very many units: every column is multiplied once, for all pairs.

What moves between two systems is what moves of the one less what moves of the other, so that the work grows with the
systems, not with their pairs. Counts are added in single precision, in stretches so short that no sum is rounded, and
the stretches in double precision: exact sums, twice as fast. Other numbers are added in double precision.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from assay.stats.pivot import Pivot, pivots_from
from assay.stats.resample import Swaps

Values = NDArray[np.float64]

BIG = 20_000
"""Units from which on this is how it is done; below, memory is fast enough for one pair after the other."""
STRETCH = 4096
"""Units that are multiplied at once."""
ROWS = 1024
"""Swaps or resamples that are multiplied at once."""
EXACT = 2.0**24
"""Up to here single precision counts without rounding."""


class StackedColumns:
    """The columns of several tables over the same units, each different column once."""

    def __init__(self, tables: Sequence[Values]) -> None:
        kept: dict[bytes, int] = {}
        columns: list[Values] = []
        self._of: list[list[int]] = []
        for table in tables:
            places = []
            for column in map(np.ascontiguousarray, table.T):
                key = hashlib.sha256(column.tobytes()).digest()
                if key not in kept:
                    kept[key] = len(columns)
                    columns.append(column)
                places.append(kept[key])
            self._of.append(places)
        counts = [_are_counts(column) for column in columns]
        self._narrow = [i for i, count in enumerate(counts) if count]
        self._wide = [i for i, count in enumerate(counts) if not count]
        self._counts = np.stack([columns[i] for i in self._narrow], axis=1).astype(np.float32) if self._narrow else None
        self._others = np.stack([columns[i] for i in self._wide], axis=1) if self._wide else None
        self._size = len(columns)

    def sums(self, chosen: NDArray[np.int8]) -> list[Values]:
        """For each table, the sums of the rows that each row of `chosen` takes."""
        units = chosen.shape[1]
        found = np.zeros((len(chosen), self._size))
        for first in range(0, units, STRETCH):
            stretch = slice(first, first + STRETCH)
            if self._counts is not None:
                found[:, self._narrow] += chosen[:, stretch].astype(np.float32) @ self._counts[stretch]
            if self._others is not None:
                found[:, self._wide] += chosen[:, stretch].astype(np.float64) @ self._others[stretch]
        return [found[:, places] for places in self._of]


def _are_counts(column: Values) -> bool:
    return bool(np.abs(column).max(initial=0.0) * STRETCH < EXACT and (column == np.rint(column)).all())


def wide_blocks(blocks: Iterable[Swaps]) -> Iterator[Swaps]:
    """The same swaps, more of them at a time."""
    left = iter(blocks)
    while first := next(left, None):
        more = islice(left, max(0, ROWS // max(1, len(first)) - 1))
        yield Swaps(np.concatenate([first.block, *(each.block for each in more)]))


def studentized_pairs(
    columns: Sequence[Values], pairs: Sequence[tuple[int, int]], blocks: Iterable[Values]
) -> list[Pivot | None]:
    """What `pivot.studentized` gives for columns[j] - columns[i] of each pair (i, j), without holding any of them."""
    n = len(columns[0])
    if n < 2:
        return [None] * len(pairs)
    means, errors = np.empty(len(pairs)), np.empty(len(pairs))
    for place, (i, j) in enumerate(pairs):
        gap = columns[j] - columns[i]
        means[place] = gap.mean()
        errors[place] = np.sqrt(((gap - means[place]) ** 2).sum() / (n - 1) / n)
    centred = np.stack([column - column.mean() for column in columns], axis=1)
    first, second = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    drawn = []
    for weights in _together(blocks):
        shifts, squares = np.zeros((len(weights), len(columns))), np.zeros((len(weights), len(pairs)))
        for start in range(0, n, STRETCH):
            part, of = weights[:, start : start + STRETCH].astype(np.float64), centred[start : start + STRETCH]
            shifts += part @ of
            squares += part @ (of[:, second] - of[:, first]) ** 2
        moved = (shifts[:, second] - shifts[:, first]) / n
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn.append(moved / np.sqrt(np.maximum(squares / n - moved**2, 0.0) / (n - 1)))
    return pivots_from(means, errors, np.concatenate(drawn), n)


def _together(blocks: Iterable[Values]) -> Iterator[NDArray[np.uint16]]:
    """How often units are drawn, in small numbers; more resamples at a time."""
    held: list[NDArray[np.uint16]] = []
    for weights in blocks:
        held.append(weights.astype(np.uint16))
        if sum(map(len, held)) >= ROWS // 2:
            yield np.concatenate(held)
            held = []
    if held:
        yield np.concatenate(held)
