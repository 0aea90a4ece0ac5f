"""Where finished shards go: into a run folder, or into memory with a copy in the scratch folder.

Both are written as soon as a shard is finished, so that an interrupted run resumes with what is missing.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from assay.interruption import forget, keeps
from assay.metrics.engine.row_collectors import DiskRowCollector, MemoryRowCollector, is_large_set
from assay.metrics.engine.statistics import Rows
from assay.records.cache_folder import UNFINISHED_RUNS, cache_home
from assay.records.items import Items, Span

if TYPE_CHECKING:
    from assay.store.scratch import Scratch

AFTER = 1.0
"""Seconds of work after which a scratch folder is made; shorter runs are repeated faster than they are stored."""


class StatisticsStore(Protocol):
    """Storage of statistics between runs."""

    @property
    def place(self) -> str: ...
    def get(self, key: str) -> Rows | None: ...
    def put(self, key: str, rows: Rows) -> None: ...
    def has_shard(self, key: str, span: Span) -> bool: ...
    def get_shard(self, key: str, span: Span) -> Rows: ...
    def put_shard(self, key: str, span: Span, rows: Rows) -> None: ...
    def put_together(self, key: str, spans: Sequence[Span]) -> Rows: ...


Spans = Mapping[str, Sequence[Span]]
"""The shards of each metric, by the key of its statistics."""


class InStore:
    """Keeps shards in a run folder, and there only: all shards of all metrics would be more than their sum."""

    def __init__(self, store: StatisticsStore, spans: Spans) -> None:
        self.store, self.spans = store, spans
        self.whole: dict[str, Rows] = {}

    @property
    def place(self) -> str:
        return self.store.place

    def has(self, key: str, span: Span) -> bool:
        return len(self.spans[key]) > 1 and self.store.has_shard(key, span)

    def add(self, key: str, span: Span, rows: Rows) -> None:
        if len(self.spans[key]) > 1:
            self.store.put_shard(key, span, rows)
        else:
            self.store.put(key, rows)
            self.whole[key] = rows

    def rows(self, key: str) -> Rows:
        return self.whole.pop(key) if key in self.whole else self.store.put_together(key, self.spans[key])

    def finish(self) -> None: ...

    def interrupt(self) -> None: ...


class InMemory:
    """Collects shards in memory (on disk for large sets), and copies them to a scratch folder after a second."""

    def __init__(self, items: Items, spans: Spans) -> None:
        self.items, self.spans = items, spans
        self.large = is_large_set(len(items))
        self.done: dict[str, MemoryRowCollector | DiskRowCollector] = {}
        self.next = dict.fromkeys(spans, 0)
        self.early: list[tuple[str, Span, Rows]] = []
        """Shards that are finished before there is a scratch folder."""
        self.start = time.monotonic()
        self.scratch: Scratch | None = None
        if (cache_home() / UNFINISHED_RUNS).is_dir():
            from assay.store.scratch import Scratch

            self.scratch = Scratch.left_by_earlier(items)
        self.failed = False

    @property
    def place(self) -> str:
        return "" if self.scratch is None or self.failed else "the cache folder"

    def has(self, key: str, span: Span) -> bool:
        return self.scratch is not None and self.scratch.has_shard(key, span)

    def add(self, key: str, span: Span, rows: Rows) -> None:
        self._fill(key, span)
        self._collect(key, rows)
        self.early.append((key, span, rows))
        self._copy()

    def rows(self, key: str) -> Rows:
        self._fill(key)
        return self.done.pop(key).rows()

    def finish(self) -> None:
        if self.scratch is not None:
            self.scratch.finish()

    def interrupt(self) -> None:
        """Leave finished shards to the next run, also those of the first second."""
        self.start -= AFTER
        self._copy()
        if self.scratch is not None:
            self.scratch.close()

    def _fill(self, key: str, until: Span | None = None) -> None:
        """Collect the shards of an earlier run that precede a new one."""
        spans = self.spans[key]
        while self.next[key] < len(spans) and spans[self.next[key]] != until:
            assert self.scratch is not None
            self._collect(key, self.scratch.get_shard(key, spans[self.next[key]]))

    def _collect(self, key: str, rows: Rows) -> None:
        if key not in self.done:
            self.done[key] = DiskRowCollector() if self.large else MemoryRowCollector()
        self.done[key].add(rows)
        self.next[key] += 1

    def _copy(self) -> None:
        """Write what is not written yet, once there is enough of it."""
        if self.scratch is None and (not self.early or time.monotonic() - self.start < AFTER):
            return
        try:
            if self.scratch is None and not self.failed:
                from assay.store.scratch import Scratch

                self.scratch = Scratch.made(self.items)
            if self.scratch is not None and not self.failed:
                for shard in self.early:
                    self.scratch.put_shard(*shard)
        except OSError as error:
            self.failed = True
            warnings.warn(
                f"finished shards cannot be kept ({error.strerror}): an interrupted run starts again. "
                "Set ASSAY_CACHE to a folder with space.",
                stacklevel=2,
            )
        self.failed = self.failed or self.scratch is None
        self.early.clear()


class Count:
    """The number of kept shards, for the message of an interrupted command."""

    def __init__(self, kept: InStore | InMemory, system: str, total: int, done: int) -> None:
        self.kept, self.system, self.total, self.done = kept, system, total, done
        keeps(self, self.describe)

    def describe(self) -> str:
        if not self.done:
            return "nothing was finished"
        if not self.kept.place:
            return "nothing is kept"
        verb = "is" if self.done == 1 else "are"
        where = f"{self.done} of {self.total} shards of {self.system} {verb} kept in {self.kept.place}"
        return f"{where}, and the same command continues"

    def end(self) -> None:
        forget(self)
