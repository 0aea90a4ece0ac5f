"""A run folder: what was scored, how, and the statistics, so that nothing has to be computed twice.

    run.json              the manifest: versions, digests, seed, signatures, command, scores
    items.parquet         ids and tags, no text
    outputs.jsonl         the system's texts
    examples.jsonl        what they were judged against
    statistics/*.parquet  one row an item, named by metric and content
    log.jsonl             when what was computed or reused (times stand here and nowhere else)

Every file is written beside its place and renamed. A run that is killed leaves whole files only, and the next
call goes on from them.
"""

from __future__ import annotations

import platform
import shutil
import time
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars

from assay.errors import AssayError, first_line
from assay.metrics.statistics import KINDS, Rows
from assay.records.files import digest_of, replacing, to_json, write_jsonl, write_text
from assay.records.items import Items
from assay.records.types import Output
from assay.results.index import index_of
from assay.results.result import Result
from assay.runs.manifest import (
    FORMAT,
    MANIFEST,
    is_run,
    keep_earlier,
    read_manifest,
    stored_part_names,
)
from assay.runs.saved_run import read_rows
from assay.version import VERSION


class RunFolder:
    """One system on one set of items. It is the store of `measure`."""

    def __init__(self, path: Path, items: Items, *, force: bool = False, shared_examples: bool = False) -> None:
        self.path = path
        self.items = items
        self.examples_digest = items.digest
        self.content = digest_of(items.outputs, self.examples_digest)
        self.shared_examples = shared_examples
        """Whether the examples stand one folder up, for several systems together."""
        self._anew: set[Path] | None = set() if force else None
        """With force, the files that were written since: nothing else is used again."""
        if path.exists() and not path.is_dir():
            raise AssayError(f"{path}: is a file; give a folder to save to")
        held = self._held_content()
        if held is not None and held != self.content:
            if not force:
                raise AssayError(
                    f"{path}: holds a run of other outputs or references; save to another folder, "
                    "or replace it with --force"
                )
            shutil.rmtree(path / "statistics", ignore_errors=True)
            (path / MANIFEST).unlink(missing_ok=True)
        if is_run(path):
            try:
                read_manifest(path)  # now rather than when everything is computed
            except AssayError:
                if not force:
                    raise
                (path / MANIFEST).unlink()

    def _held_content(self) -> str | None:
        if not (self.path / "content").exists():
            return None
        return (self.path / "content").read_text(encoding="utf-8").strip()

    def begin(self) -> None:
        """Write what is known without computing; called before anything else is written, never for a run that
        comes to nothing."""
        if self._held_content() == self.content and (self.path / "outputs.jsonl").exists():
            return
        system = self.items.system
        pairs = zip(self.items.ids, self.items.outputs, strict=True)
        write_jsonl(self.path / "outputs.jsonl", (Output(id=id, output=text, system=system) for id, text in pairs))
        if not self.shared_examples:
            write_jsonl(self.path / "examples.jsonl", self.items.examples)
        _write_frame(self.path / "items.parquet", index_of(self.items))
        write_text(self.path / "content", self.content + "\n")

    def _file(self, key: str) -> Path:
        name = key.split("|", 1)[0].split(":", 1)[0]
        return self.path / "statistics" / f"{name}-{digest_of(key, self.content)}.parquet"

    def _shard(self, key: str, shard: int) -> Path:
        return self._file(key).with_suffix(".partial") / f"{shard:05d}.npz"

    def get(self, key: str) -> Rows | None:
        path = self._file(key)
        return read_rows(path, len(self.items)) if self._may_use(path) else None

    def _may_use(self, path: Path) -> bool:
        return path.exists() and (self._anew is None or path in self._anew)

    def has_shard(self, key: str, shard: int) -> bool:
        """Whether it was computed, perhaps by an earlier run that did not come to its end."""
        return self._may_use(self._shard(key, shard))

    def get_shard(self, key: str, shard: int) -> Rows:
        path = self._shard(key, shard)
        try:
            with np.load(path, allow_pickle=False) as arrays:
                return KINDS["tokens" if "ids" in arrays else "dense"].from_arrays(arrays)
        except (OSError, ValueError, KeyError, zipfile.BadZipFile, msgspec.DecodeError) as error:
            raise AssayError(f"{path}: damaged ({error}); delete it and score again with --save") from None

    def put(self, key: str, rows: Rows) -> None:
        self.begin()
        frame = rows.to_frame()
        frame.insert_column(0, polars.Series("id", self.items.ids))
        _write_frame(self._file(key), frame)
        if self._anew is not None:
            self._anew.add(self._file(key))
        shutil.rmtree(self._file(key).with_suffix(".partial"), ignore_errors=True)

    def put_shard(self, key: str, shard: int, rows: Rows) -> None:
        self.begin()
        with replacing(self._shard(key, shard), "wb") as stream:
            np.savez(stream, allow_pickle=False, **rows.to_arrays())
        if self._anew is not None:
            self._anew.add(self._shard(key, shard))

    def finish(self, result: Result, command: list[str]) -> None:
        """The manifest. Metrics of earlier runs on the same content stay in it."""
        self.begin()
        manifest = self._manifest(result, command)
        before = read_manifest(self.path) if is_run(self.path) else None
        if before and before.get("content") == self.content and before.get("assay") == VERSION:
            keep_earlier(manifest, before)
        write_text(self.path / MANIFEST, to_json(manifest) + "\n")
        if before:
            self._remove_replaced(manifest, before)
        entry = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "computed": [str(m.request.spec) for m in result.measurements if not m.reused],
            "reused": [str(m.request.spec) for m in result.measurements if m.reused],
        }
        with (self.path / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(to_json(entry, indent=None) + "\n")

    def _remove_replaced(self, manifest: dict[str, Any], before: dict[str, Any]) -> None:
        """Statistics that only the manifest before has named: other code made them, and nobody will ask for them. Those
        that no manifest has named are of a run that was killed, and wait for it."""
        held = {Path(entry["statistics"]).name for entry in manifest["metrics"]}
        for entry in before.get("metrics", ()):
            name = Path(str(entry.get("statistics"))).name  # its name alone: never a file of another folder
            if name not in held and name.endswith(".parquet"):
                (self.path / "statistics" / name).unlink(missing_ok=True)

    def _manifest(self, result: Result, command: list[str]) -> dict[str, Any]:
        metrics = [
            {
                "spec": str(m.request.spec),
                "parts": stored_part_names(m.request),
                "signature": m.signature,
                "statistics": f"statistics/{self._file(m.metric.stored_as()).name}",
                **({"code": code} if (code := m.metric.code()) else {}),
            }
            for m in result.measurements
        ]
        return {
            "format": FORMAT,
            "assay": VERSION,
            "python": platform.python_version(),
            "packages": {name: version(name) for name in ("numpy", "polars", "sacrebleu")},
            "command": command,
            "content": self.content,
            "examples": self.examples_digest,
            "ci": result.ci,
            "seed": result.seed,
            **result.to_dict(),
            "metrics": metrics,
        }


def _write_frame(path: Path, frame: polars.DataFrame) -> None:
    try:
        with replacing(path, "wb") as stream:
            frame.write_parquet(stream, compression="lz4")
    except polars.exceptions.PolarsError as error:  # which is how a full disk looks from there
        raise AssayError(f"{path}: cannot be written ({first_line(error)})") from None
