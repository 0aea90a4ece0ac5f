"""Permutations of many systems on very many units: every column is multiplied once for all pairs.

The sum that is exchanged between two systems is the difference of a sum of each, so the work grows with the number of
systems, not of pairs. Counts are added in single precision, in chunks small enough that no sum is rounded, and chunks
in double precision: exact, and twice as fast. Other numbers are added in double precision.
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
"""Number of units from which this is used; with fewer, one pair after the other is fast enough."""
CHUNK = 4096
"""Units that are multiplied at once."""
ROWS = 1024
"""Permutations that are multiplied at once."""
EXACT = 2.0**24
"""Largest integer up to which single precision is exact."""


class StackedColumns:
    """The distinct columns of several tables over the same units."""

    def __init__(self, tables: Sequence[Values]) -> None:
        kept: dict[bytes, int] = {}
        columns: list[Values] = []
        self._of: list[list[int]] = []
        for table in tables:
            numbers = []
            for column in map(np.ascontiguousarray, table.T):
                key = hashlib.sha256(column.tobytes()).digest()
                if key not in kept:
                    kept[key] = len(columns)
                    columns.append(column)
                numbers.append(kept[key])
            self._of.append(numbers)
        counts = np.array([_are_counts(column) for column in columns], dtype=bool)
        self._kinds = [
            (numbers, np.stack([columns[number] for number in numbers]).astype(kind, copy=False))
            for numbers, kind in ((np.flatnonzero(counts), np.float32), (np.flatnonzero(~counts), np.float64))
            if len(numbers)
        ]
        self._size = len(columns)

    def moved(self, blocks: Iterable[Permutations]) -> Iterator[tuple[Permutations, list[Values]]]:
        """Yield each block of permutations with the exchanged sums of each table, computed on threads."""
        return map_in_order(lambda permutations: (permutations, self.sums(permutations.block)), blocks)

    def sums(self, chosen: NDArray[np.int8]) -> list[Values]:
        """Return for each table the sums of the rows that each row of `chosen` selects."""
        every = np.empty((len(chosen), self._size))
        for numbers, columns in self._kinds:
            sums = np.zeros((len(chosen), len(numbers)))
            for first in range(0, chosen.shape[1], CHUNK):
                chunk = slice(first, first + CHUNK)
                sums += chosen[:, chunk].astype(columns.dtype) @ columns[:, chunk].T
            every[:, numbers] = sums
        return [every[:, numbers] for numbers in self._of]


def _are_counts(column: Values) -> bool:
    return bool(np.abs(column).max(initial=0.0) * CHUNK < EXACT and (column == np.rint(column)).all())


def wide_blocks(blocks: Iterable[Permutations]) -> Iterator[Permutations]:
    """Yield the same permutations in larger blocks."""
    left = iter(blocks)
    while first := next(left, None):
        more = islice(left, max(0, ROWS // max(1, len(first)) - 1))
        yield Permutations(np.concatenate([first.block, *(each.block for each in more)]))
