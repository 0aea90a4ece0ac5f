"""Concatenation of shards of rows as they arrive: in memory, or on disk for sets that do not fit in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.metrics.engine.spill import Spill
from assay.metrics.engine.statistics import Dense, Rows, Tokens, concat

LARGE_SET = 100_000
"""Number of items from which statistics are merged on disk and stay there."""


def is_large_set(items: int) -> bool:
    return items > LARGE_SET


class MemoryRowCollector:
    """Collects shards in memory."""

    def __init__(self) -> None:
        self._shards: list[Rows] = []

    def add(self, rows: Rows) -> None:
        self._shards.append(rows)

    def rows(self) -> Rows:
        return concat(self._shards)


class DiskRowCollector:
    """Collects shards in a temporary file, which the resulting rows are mapped onto."""

    def __init__(self) -> None:
        self._columns: tuple[str, ...] | None = None
        self._values = Spill(np.float64)
        self._numbers: dict[str, int] = {}
        self._ids = Spill(np.int32)
        self._lengths: list[NDArray[np.int64]] = []

    def add(self, rows: Rows) -> None:
        if isinstance(rows, Dense):
            if self._columns not in (None, rows.columns):
                raise AssayError(f"shards have different columns ({', '.join(rows.columns)}); score again")
            self._columns = rows.columns
            self._values.append(rows.values.ravel())
            return
        renumber = [self._numbers.setdefault(word, len(self._numbers)) for word in rows.vocabulary]
        self._ids.append(np.array(renumber, dtype=np.int32)[rows.ids] if renumber else rows.ids)
        self._lengths.append(rows.lengths())

    def rows(self) -> Rows:
        if self._columns is not None:
            return Dense(self._columns, self._values.mapped().reshape(-1, len(self._columns)))
        starts = np.concatenate([[0], np.cumsum(np.concatenate(self._lengths))]).astype(np.int64)
        return Tokens(self._ids.mapped(), starts, tuple(self._numbers))
