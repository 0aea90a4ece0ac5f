"""The manifest of a results folder: datasets, systems, and the state of each pair."""

from __future__ import annotations

from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.records.digests import FileDigest, broken_seal, seal
from assay.records.documents import parse_json
from assay.records.files import sync_folder, to_json, write_text
from assay.records.size_limit import read_regular
from assay.store.config_records import Dataset, System

FORMAT = 1
MANIFEST = "results.json"
JUDGEMENTS = "judgements.jsonl"


class Entry(msgspec.Struct, frozen=True):
    """One system on one dataset."""

    dataset: str
    system: str
    why: str | None = None
    """Why there is no run; None if there is one."""
    failed: bool = False
    """Whether the run failed; missing outputs are only skipped."""


class ResultsManifest(msgspec.Struct, frozen=True):
    """Content of a results folder."""

    name: str
    datasets: list[Dataset]
    systems: list[System]
    entries: list[Entry]
    format: int = FORMAT
    files: dict[str, FileDigest] = {}
    """Digests of the files that the runs of a dataset share: examples, judgements."""

    @property
    def by_pair(self) -> dict[tuple[str, str], Entry]:
        return {(entry.dataset, entry.system): entry for entry in self.entries}


def is_results_folder(path: Path) -> bool:
    return (path / MANIFEST).is_file()


def read_results_manifest(path: Path) -> ResultsManifest:
    try:
        raw = parse_json(read_regular(path / MANIFEST), path / MANIFEST)
        if isinstance(raw, dict) and broken_seal(raw):
            raise AssayError(f"{path / MANIFEST}: damaged (not as written). Run the config again.")
        return msgspec.convert(raw, ResultsManifest)
    except msgspec.ValidationError as error:
        raise AssayError(f"{path / MANIFEST}: damaged ({error}). Run the config again.") from None


def write_results_manifest(path: Path, manifest: ResultsManifest) -> None:
    write_text(path / MANIFEST, to_json(seal(msgspec.to_builtins(manifest))) + "\n")
    sync_folder(path)
