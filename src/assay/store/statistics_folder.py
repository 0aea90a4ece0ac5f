"""Statistics of one set of items as files: complete for finished metrics, by shard for others.

The store of `measure`. Every file is recorded in the journal (`unfinished`) as soon as it is in place.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from assay.metrics import Metric
from assay.metrics.engine.row_collectors import DiskRowCollector, MemoryRowCollector, is_large_set
from assay.metrics.engine.statistics import Rows
from assay.records.digests import FileDigest
from assay.records.files import digest_of, replacing
from assay.records.items import Items, Span
from assay.store.column_files import SUFFIX, read_columns, write_columns
from assay.store.run_manifest import RunManifest
from assay.store.stored_rows import read_rows, read_shard, write_frame
from assay.store.unfinished import Unfinished


class StatisticsFolder:
    """Files of statistics, by metric key and measured content."""

    def __init__(self, folder: Path, items: Items, content: str) -> None:
        self.items = items
        self.content = content
        self._work = folder
        """Folder to write to."""
        self._before: RunManifest | None = None
        """Manifest of a run with the same content, which is extended."""
        self._known: Mapping[str, FileDigest] = {}
        """Digests in that manifest."""
        self._unfinished: Unfinished

    @property
    def place(self) -> str:
        """Return where finished shards are kept, for messages."""
        return str(self._work)

    def begin(self) -> None:
        """Function called before anything is written."""

    def _file(self, key: str) -> Path:
        name = key.split("|", 1)[0].split(":", 1)[0]
        file = self._work / "statistics" / f"{name}-{digest_of(key, self.content)}.parquet"
        return file.with_suffix(SUFFIX) if self._large and not file.exists() else file

    def _name(self, key: str) -> str:
        """Return the file name in a manifest."""
        return self._file(key).relative_to(self._work).as_posix()

    def _statistics_of(self, metric: Metric) -> str:
        return self._name(metric.stored_as())

    def _shard(self, key: str, span: Span) -> Path:
        return self._file(key).with_suffix(".partial") / f"{span}.npz"

    def get(self, key: str) -> Rows | None:
        file, name = self._file(key), self._name(key)
        named = self._before is not None and any(entry["statistics"] == name for entry in self._before["metrics"])
        if not file.exists():
            return None
        if not named and not self._unfinished.has_whole(file):
            return None  # its digest is unknown
        return self._read(name, self._known)

    def has_shard(self, key: str, span: Span) -> bool:
        """Return whether it is computed and intact, perhaps by an earlier unfinished run."""
        return self._unfinished.has_whole(self._shard(key, span))

    def get_shard(self, key: str, span: Span) -> Rows:
        return read_shard(self._shard(key, span))

    def put(self, key: str, rows: Rows) -> None:
        self.begin()
        file = self._file(key)
        if file.suffix == SUFFIX:
            write_columns(file, rows, self._ids_digest)
        else:
            import polars

            frame = rows.to_frame()
            frame.insert_column(0, polars.Series("id", list(self.items.ids)))
            write_frame(file, frame)
        self._unfinished.add(file)
        shutil.rmtree(file.with_suffix(".partial"), ignore_errors=True)

    def put_together(self, key: str, spans: Sequence[Span]) -> Rows:
        """Merge all shards into one file; return its rows, mapped if there are many."""
        together = DiskRowCollector() if self._large else MemoryRowCollector()
        for span in spans:
            together.add(self.get_shard(key, span))
        rows = together.rows()
        self.put(key, rows)
        return self._read(self._name(key), {}) if self._file(key).suffix == SUFFIX else rows

    def put_shard(self, key: str, span: Span, rows: Rows) -> None:
        self.begin()
        with replacing(self._shard(key, span), "wb") as stream:
            np.savez(stream, allow_pickle=False, **rows.to_arrays())
        self._unfinished.add(self._shard(key, span))

    def _read(self, name: str, digests: Mapping[str, FileDigest]) -> Rows:
        if name.endswith(SUFFIX):
            return read_columns(self._work, name, self._ids_digest, digests)
        return read_rows(self._work, name, list(self.items.ids), digests)

    @property
    def _large(self) -> bool:
        return is_large_set(len(self.items))

    @cached_property
    def _ids_digest(self) -> str:
        return digest_of(self.items.ids)
