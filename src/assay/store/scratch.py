"""Scratch folders: statistics of unfinished runs that are not saved, in the cache folder.

    unfinished/CONTENT/statistics/*.partial/*.npz   finished shards
    unfinished/CONTENT/unfinished.jsonl             their digests

The same command finds them by the content of its outputs and examples. They are removed when the command has ended
well, or after a week.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

from assay.interruption import remove_at_exit, removed
from assay.metrics.engine.statistics import Rows
from assay.records.cache_folder import UNFINISHED_RUNS, cache_home, cache_limit
from assay.records.files import digest_of
from assay.records.items import Items, Span
from assay.records.locks import BusyError, Lock
from assay.store.statistics_folder import StatisticsFolder
from assay.store.unfinished import Unfinished

WEEK = 7 * 24 * 3600.0


class Scratch(StatisticsFolder):
    """Shards of one unfinished run. One process at a time uses it; another computes without."""

    def __init__(self, folder: Path, items: Items) -> None:
        super().__init__(folder, items, folder.name)
        self._lock = Lock.of_folder(folder)
        self._lock.acquire()
        self._unfinished = Unfinished(folder)
        self._room = cache_limit()
        """Bytes that may still be written."""

    @staticmethod
    def home() -> Path:
        return cache_home() / UNFINISHED_RUNS

    @classmethod
    def left_by_earlier(cls, items: Items) -> Scratch | None:
        """Return the folder that an interrupted run of these items has left, if there is one."""
        try:
            if not any(cls.home().iterdir()):
                return None  # the usual case: nothing is read of the items
        except OSError:
            return None
        folder = cls._of(items)
        if removed(folder) or not folder.is_dir():  # a run of this process that has ended
            return None
        return cls._opened(folder, items)

    @classmethod
    def made(cls, items: Items) -> Scratch | None:
        """Return a new folder; None if the cache is turned off or another process has the folder."""
        if not cache_limit():
            return None
        cls._remove_old()
        return cls._opened(cls._of(items), items)

    @classmethod
    def _of(cls, items: Items) -> Path:
        return cls.home() / digest_of(items.outputs, items.digest)

    @classmethod
    def _opened(cls, folder: Path, items: Items) -> Scratch | None:
        with suppress(BusyError):
            return cls(folder, items)
        return None

    @classmethod
    def _remove_old(cls) -> None:
        with suppress(OSError):
            for folder in cls.home().iterdir():
                if time.time() - folder.stat().st_mtime > WEEK:
                    shutil.rmtree(folder, ignore_errors=True)

    def put_shard(self, key: str, span: Span, rows: Rows) -> None:
        size = sum(array.nbytes for array in rows.to_arrays().values())
        if size > self._room:
            return
        super().put_shard(key, span, rows)
        self._room -= size
        os.utime(self._work)

    def close(self) -> None:
        """Leave the folder to the next run."""
        self._lock.release()

    def finish(self) -> None:
        """End the run: the folder is removed at the end of the process, which may have more to compute."""
        self.close()
        remove_at_exit(self._work, lambda: shutil.rmtree(self._work, ignore_errors=True))
