"""Swaps of many systems on very many units: every column is multiplied once, for all pairs.

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

from assay.stats.resample import Permutations
from assay.stats.threads import map_in_order

Values = NDArray[np.float64]

MANY_UNITS = 20_000
"""Units from which on this is how it is done; below, memory is fast enough for one pair after the other."""
STRETCH = 4096
"""Units that are multiplied at once."""
ROWS = 1024
"""Swaps that are multiplied at once."""
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
        counts = np.array([_are_counts(column) for column in columns], dtype=bool)
        self._kinds = [
            (places, np.stack([columns[place] for place in places]).astype(kind, copy=False))
            for places, kind in ((np.flatnonzero(counts), np.float32), (np.flatnonzero(~counts), np.float64))
            if len(places)
        ]
        self._size = len(columns)

    def moved(self, blocks: Iterable[Permutations]) -> Iterator[tuple[Permutations, list[Values]]]:
        """Each block of swaps, and for each table what they move; the next are made meanwhile."""
        return map_in_order(lambda permutations: (permutations, self.sums(permutations.block)), blocks)

    def sums(self, chosen: NDArray[np.int8]) -> list[Values]:
        """For each table, the sums of the rows that each row of `chosen` takes."""
        found = np.empty((len(chosen), self._size))
        for places, columns in self._kinds:
            sums = np.zeros((len(chosen), len(places)))
            for first in range(0, chosen.shape[1], STRETCH):
                stretch = slice(first, first + STRETCH)
                sums += chosen[:, stretch].astype(columns.dtype) @ columns[:, stretch].T
            found[:, places] = sums
        return [found[:, places] for places in self._of]


def _are_counts(column: Values) -> bool:
    return bool(np.abs(column).max(initial=0.0) * STRETCH < EXACT and (column == np.rint(column)).all())


def wide_blocks(blocks: Iterable[Permutations]) -> Iterator[Permutations]:
    """The same swaps, more of them at a time."""
    left = iter(blocks)
    while first := next(left, None):
        more = islice(left, max(0, ROWS // max(1, len(first)) - 1))
        yield Permutations(np.concatenate([first.block, *(each.block for each in more)]))
