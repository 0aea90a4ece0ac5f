"""The manifest of a run folder: its form, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NotRequired, TypedDict, cast

import msgspec

from assay.errors import AssayError
from assay.records.digests import FileDigest, broken_seal
from assay.records.documents import parse_json
from assay.records.size_limit import read_regular
from assay.records.types import Score
from assay.results.result_record import MissingRecord, ScoreRecord

FORMAT = 2
MANIFEST = "run.json"
EXAMPLES = "examples.jsonl"


def is_run(path: Path) -> bool:
    return (path / MANIFEST).is_file()


def runs_in(path: Path, depth: str = "*") -> list[Path]:
    """Return the run folders below a folder, without those being written or removed."""
    loaded = (file.parent for file in path.glob(f"{depth}/{MANIFEST}") if file.is_file())
    return sorted(folder for folder in loaded if not folder.name.startswith("."))


class MetricEntry(TypedDict):
    """One metric of a manifest, as it is written; `StoredMetric` says what is required of one that is read."""

    spec: str
    parts: list[str] | None
    signature: str
    statistics: str
    assay: NotRequired[str]
    code: NotRequired[str]


class RunManifest(TypedDict, total=False):
    """Content of a manifest. One that was read has every field that `Needed` requires, a damaged one is empty, and
    further fields are kept as they are."""

    format: int
    assay: str
    python: str
    packages: dict[str, str]
    command: list[str]
    n: int
    clusters: int | None
    cluster: str | None
    cluster_by: str | None
    numbered: bool
    system: str
    content: str
    examples: str | None
    ci: int
    seed: int
    scores: dict[str, ScoreRecord]
    metrics: list[MetricEntry]
    skipped: list[MissingRecord]
    failed: list[MissingRecord]
    warnings: list[str]
    files: Mapping[str, object]
    """Digests of the files, which `digests_of` reads."""
    beside: Mapping[str, object]


class StoredMetric(msgspec.Struct):
    """Location of the statistics of one metric."""

    spec: str
    signature: str
    statistics: str
    parts: list[str] | None = None
    code: str | None = None
    assay: str = ""


class StoredMissing(msgspec.Struct, forbid_unknown_fields=True):
    """A metric without scores, and the reason."""

    metric: str
    why: str


MAX_RESAMPLES = 10_000_000
"""Maximum number of resamples in a manifest, against malicious files."""
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Needed(msgspec.Struct):
    """Required fields of a manifest; further ones are kept unchanged."""

    n: Count
    system: str
    content: str
    examples: str | None
    ci: Annotated[int, msgspec.Meta(ge=0, le=MAX_RESAMPLES)]
    seed: Count
    scores: dict[str, Score]
    metrics: list[StoredMetric]
    skipped: list[StoredMissing]
    failed: list[StoredMissing]
    warnings: list[str]
    files: dict[str, FileDigest] = {}
    beside: dict[str, FileDigest] = {}
    numbered: bool = False
    cluster_by: str | None = None
    """Requested cluster field; None for the default."""


def read_manifest(path: Path) -> RunManifest:
    """Read the manifest of a run folder; any later change is damage."""
    try:
        manifest = parse_json(read_regular(path / MANIFEST), path / MANIFEST)
    except (FileNotFoundError, NotADirectoryError):
        raise AssayError(f"{path}: no {MANIFEST}: not a finished run. Score again with --save.") from None
    except AssayError:
        manifest = None
    again = "score again with --save and --force"
    if not isinstance(manifest, dict):
        raise AssayError(f"{path / MANIFEST}: damaged; {again}")
    if manifest.get("format") != FORMAT:
        raise AssayError(f"{path / MANIFEST}: format {manifest.get('format')} is not supported ({FORMAT}); {again}")
    if broken_seal(manifest):
        repair = f"`assay store verify {path} --repair` recomputes it"
        raise AssayError(f"{path / MANIFEST}: damaged (not as written); {repair}, or {again}")
    try:
        msgspec.convert(manifest, Needed)
    except msgspec.ValidationError as error:
        raise AssayError(f"{path / MANIFEST}: damaged ({error}); {again}") from None
    return cast("RunManifest", manifest)


def digests_of(manifest: RunManifest) -> dict[str, FileDigest]:
    """Return the digests of a run's files by name; empty for runs saved before digests existed."""
    return msgspec.convert(manifest.get("files", {}), dict[str, FileDigest])


def shared_digests(manifest: RunManifest) -> dict[str, FileDigest]:
    """Return the digests of shared files one folder up."""
    return msgspec.convert(manifest.get("beside", {}), dict[str, FileDigest])


def with_shared_digest(manifest: RunManifest, name: str, digest: FileDigest) -> RunManifest:
    """Return a manifest with another digest of a shared file, if it has one."""
    known = shared_digests(manifest)
    return {**manifest, "beside": {**known, name: digest}} if name in known else manifest


def made_by(manifest: RunManifest, entry: MetricEntry) -> str:
    """Return the version of assay that computed a metric."""
    return str(entry.get("assay", manifest.get("assay")))
