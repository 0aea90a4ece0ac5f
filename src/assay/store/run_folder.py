"""A run folder: texts, settings and statistics of a scored run, so that nothing is computed twice.

    run.json              the manifest: versions, digests of all files, seed, signatures, command, scores
    items.parquet         ids and tags, no text
    outputs.jsonl         the system's texts
    examples.jsonl        references and sources
    statistics/*.parquet  one row per item, named by metric and content (above 100,000 items: *.npz, mapped)
    content               digest of the content, until there is a manifest
    unfinished.jsonl      digests of computed files, until they are in the manifest
    log.jsonl             times of what was computed or reused (times are only here)

One process writes at a time (`.lock`). Files are written to a temporary name and renamed. A killed run leaves only
complete files, from which the next call resumes; a run that replaces another is made next to it (`replacement`).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from assay.errors import AssayError, ChangedError
from assay.metrics.engine.statistics import Rows
from assay.records.digests import FileDigest, seal
from assay.records.files import append_line, digest_of, sync_folder, to_json, write_text
from assay.records.items import Items
from assay.records.locks import Lock
from assay.records.size_limit import read_regular
from assay.records.types import Output
from assay.results.index import index_of
from assay.results.result import Result
from assay.store.column_files import SUFFIX
from assay.store.manifest_metrics import described, keep_earlier, log_entry, widened
from assay.store.replacement import Replacement, link
from assay.store.run_manifest import (
    EXAMPLES,
    MANIFEST,
    RunManifest,
    digests_of,
    is_run,
    read_manifest,
)
from assay.store.statistics_folder import StatisticsFolder
from assay.store.stored_rows import write_frame, write_texts
from assay.store.unfinished import Unfinished


class RunFolder(StatisticsFolder):
    """One system on one set of items, written in a `with` block; the store of `measure`. Files are written to the
    folder itself, or to one next to it if they replace others."""

    def __init__(
        self, path: Path, items: Items, *, force: bool = False, shared_examples: FileDigest | None = None
    ) -> None:
        self.path = path
        self.examples_digest = items.digest
        super().__init__(path, items, digest_of(items.outputs, self.examples_digest))
        self.shared_examples = shared_examples
        """Digest of examples one folder up that several systems share."""
        self.force = force
        self._lock = Lock.of_folder(path)
        self._begun = False
        self._replacement: Replacement | None = None

    def __enter__(self) -> RunFolder:
        if self.path.exists() and not self.path.is_dir():
            raise AssayError(f"{self.path}: is a file. Pass a folder to save to.")
        self._lock.acquire()
        try:
            self._open()
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def _open(self) -> None:
        """Check the folder now rather than after everything is computed."""
        replacement = Replacement(self.path)
        replacement.settle()
        for litter in (*self.path.glob(".*.part"), *self.path.glob("statistics/**/.*.part")):
            litter.unlink(missing_ok=True)  # left by a killed process: the lock is ours
        manifest, stored = None, None
        try:
            manifest = read_manifest(self.path) if is_run(self.path) else None
            stored = self._stored_content() if manifest is None else manifest["content"]
        except AssayError:
            if not self.force:
                raise
            stored = ""  # damaged, and to be replaced
        if stored not in (None, self.content) and not self.force:
            raise ChangedError(
                f"{self.path}: contains a run of other outputs or references; save to another folder, "
                "or replace it with --force"
            )
        if stored == self.content:
            self._before = manifest
        replacing_it = self.force and stored is not None
        self._replacement = replacement if replacing_it else None
        self._work = replacement.begin() if replacing_it else self.path
        self._unfinished = Unfinished(self._work)
        self._known = {} if replacing_it or manifest is None else digests_of(manifest)

    def _stored_content(self) -> str | None:
        try:
            return read_regular(self.path / "content").decode("utf-8", "replace").strip()
        except FileNotFoundError:
            return None

    def begin(self) -> None:
        """Write what is known without computing; called before anything else is written, never for a run without
        result."""
        if self._begun:
            return
        if not all(self._is_whole(name) for name in self._texts()):
            system = self.items.system
            pairs = zip(self.items.ids, self.items.outputs, strict=True)
            rows = (Output(id=id, output=text, system=system) for id, text in pairs)
            digests = {"outputs.jsonl": write_texts(self._work / "outputs.jsonl", rows)}
            if not self.shared_examples:
                digests[EXAMPLES] = write_texts(self._work / EXAMPLES, self.items.examples)
            write_frame(self._work / "items.parquet", index_of(self.items).frame)
            write_text(self._work / "content", self.content + "\n")
            for name in self._texts():
                self._unfinished.add(self._work / name, digests.get(name))
        self._begun = True

    def _texts(self) -> Iterator[str]:
        yield from ("outputs.jsonl", "items.parquet", "content")
        if not self.shared_examples:
            yield EXAMPLES

    def _is_whole(self, name: str) -> bool:
        """Return whether a file exists as written, as far as its digest is known."""
        file = self._work / name
        if self._before is not None and not self._known:  # saved before there were digests
            return file.is_file()
        known = self._known.get(name)
        if known is None:
            return self._unfinished.has_whole(file)
        return file.is_file() and known.change(file) is None

    @property
    def place(self) -> str:
        """Return where finished shards are; nowhere if the run replaces another, which then starts again."""
        return "" if self._replacement else getattr(self.path, "label", "") or str(self.path)

    def get(self, key: str) -> Rows | None:
        return None if self._replacement else super().get(key)

    def stored_keys(self, keys: list[str]) -> set[str] | None:
        """Return the stored statistics by the manifest; None if the run is of other outputs or references. Takes no
        lock."""
        manifest = read_manifest(self.path)
        if manifest["content"] != self.content:
            return None
        there = {entry["statistics"] for entry in manifest["metrics"]}
        return {key for key in keys if self._name(key) in there}

    def finish(self, result: Result, command: list[str]) -> None:
        """Write the manifest. Metrics of earlier runs on the same content stay in it."""
        self.begin()
        if self._before:
            result = widened(result, self._before)
        manifest = described(result, self._statistics_of, self._before)
        manifest |= {"command": command, "content": self.content, "examples": self.examples_digest}
        if self._before:
            keep_earlier(manifest, self._before)
        manifest["files"] = digests = self._digests(manifest)
        if self.shared_examples:
            manifest["beside"] = {EXAMPLES: self.shared_examples}
        for part in (self._work / "statistics", self._work):  # what the manifest names must be there before it
            sync_folder(part)
        write_text(self._work / MANIFEST, to_json(seal(manifest)) + "\n")
        sync_folder(self._work)
        for entry in manifest["metrics"]:  # of one who was killed between putting shards together and taking them away
            whole = self._work / "statistics" / Path(entry["statistics"]).name
            shutil.rmtree(whole.with_suffix(".partial"), ignore_errors=True)
        self._unfinished.settle(digests)
        if self._replacement:
            self._replacement.swap_in()
        elif self._before:
            self._remove_replaced(manifest, self._before)
        append_line(self.path / "log.jsonl", to_json(log_entry(result), indent=None))

    def _digests(self, manifest: RunManifest) -> dict[str, FileDigest]:
        """Return the digest of every file of the run, as written by this or an earlier run."""
        earlier = digests_of(self._before) if self._before else {}
        digests: dict[str, FileDigest] = {}
        for name in (*self._texts(), *(entry["statistics"] for entry in manifest["metrics"])):
            file = self._work / name
            if not file.exists() and (self.path / name).is_file():  # of a metric that is not computed again
                link(self.path / name, file)
            recorded = self._unfinished.get(file) or earlier.get(name)
            if recorded is None and file.is_file():
                recorded = FileDigest.of(file)
            if recorded is not None:
                digests[name] = recorded
        return digests

    def _remove_replaced(self, manifest: RunManifest, before: RunManifest) -> None:
        """Return statistics that only the earlier manifest names: other code made them, and they are no longer used.
        Those that no manifest names belong to an interrupted run."""
        now, then = ({Path(entry["statistics"]).name for entry in each["metrics"]} for each in (manifest, before))
        for name in then - now:  # their names alone: never a file of another folder
            if name.endswith((".parquet", SUFFIX)):
                (self.path / "statistics" / name).unlink(missing_ok=True)
