"""A run folder read again: a result from its manifest and statistics alone."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import polars

from assay.errors import AssayError
from assay.metrics import MetricRequest, resolve
from assay.metrics.engine.base import version_of
from assay.metrics.engine.signatures import same_choices
from assay.metrics.engine.statistics import Rows
from assay.records.digests import FileDigest
from assay.records.files import digest_of
from assay.records.id_column import Ids
from assay.records.read import read_examples
from assay.records.remote import local, path_of
from assay.records.types import Example
from assay.results.index import languages_of
from assay.results.measurement import Measurement, Missing
from assay.results.reference_digest import ReferenceDigest
from assay.results.result import Result
from assay.store.column_files import SUFFIX, read_columns
from assay.store.run_manifest import (
    EXAMPLES,
    MANIFEST,
    beside,
    digests_of,
    made_by,
    read_manifest,
    stored_metrics,
    stored_requests,
)
from assay.store.stored_rows import read_frame, read_rows
from assay.version import VERSION

PATIENCE, PAUSE = 5.0, 0.02
"""For how many seconds, and after how many, a folder is read again that somebody writes while it is read."""


def load_run(path: str | PathLike[str], metrics: str | list[str] | None = None) -> Result:
    """A result from the statistics in a run folder alone: no text is read, nothing is computed again.

    `path` is the folder that `assay.score(..., save=...)` or `--save` has written; `metrics` picks some of what is
    stored there. Without it everything is loaded that can be: a metric that is not installed any more, or whose code
    has changed, stands in `failed` with the reason.

    >>> scored = assay.score(["the cat sat"], ["the cat sat"], metrics="rouge", save="runs/cat")
    >>> assay.load_run("runs/cat", "rouge1").scores["rouge1"].value
    1.0
    """
    return _patiently(path_of(local(path)), lambda folder: _load(folder, metrics))


def load_metric(path: Path, spec: str) -> Result:
    """One metric as it is stored, with the numbers that were asked for; the others may be damaged."""
    return _patiently(path, lambda folder: _load(folder, None, spec))


def _patiently(path: Path, load: Callable[[Path], Result]) -> Result:
    until = time.monotonic() + PATIENCE
    while True:
        before = _stamp(path)
        try:
            return load(path)
        except AssayError:
            if _stamp(path) == before or time.monotonic() > until:
                raise
            time.sleep(PAUSE)  # somebody has replaced what was read first


def _stamp(path: Path) -> tuple[int, ...] | None:
    """Changes whenever the run in a folder does."""
    try:
        about = (path / MANIFEST).stat()
    except OSError:
        return None
    return about.st_ino, about.st_mtime_ns, about.st_size


def _load(path: Path, metrics: str | list[str] | None, only: str | None = None) -> Result:
    manifest = read_manifest(path)
    entries = {entry["spec"]: entry for entry in manifest["metrics"]}
    digests = digests_of(manifest)
    index = read_frame(path, "items.parquet", manifest["n"], digests)
    languages = languages_of(index)
    measurements = []
    failed = [Missing(**missing) for missing in manifest["failed"]]
    rows_of: dict[str, Rows] = {}
    known, _, gone = stored_metrics(manifest)
    stored = stored_requests({"metrics": known})
    if only is not None:
        chosen = list(stored_requests({"metrics": [entries[only]]}).items())
    elif metrics is None:
        chosen = list(stored.items())
        failed += gone
    else:
        chosen = []
        for request in resolve(metrics):
            match = next((spec for spec, known in stored.items() if known.metric == request.metric), None)
            if match is None:
                raise AssayError(
                    f"{path}: {request.spec} is not stored there, only {', '.join(stored)}; "
                    f"`assay score {path} -m {request.spec}` computes it from the texts that are"
                )
            chosen.append((match, request))
    for spec, request in chosen:
        signature, file = entries[spec]["signature"], entries[spec]["statistics"]
        why = _other_code(request, entries[spec].get("code"))
        if why is None:
            if file not in rows_of:
                rows_of[file] = _rows(path, file, index, digests)
            if misfit := request.metric.misfit(rows_of[file]):
                again = f"`assay store verify {path} --mend` computes it again"
                raise AssayError(f"{path / file}: damaged ({misfit}: it is of another metric); {again}")
            why = _other_choices(request, signature, rows_of[file], languages)
        if why is None:
            measurements.append(Measurement(request, signature, rows_of[file], reused=True))
        elif metrics is None and only is None:
            failed.append(Missing(spec, why))
        else:
            raise AssayError(f"{path}: {why}")
    if not measurements and len(failed) > len(manifest["failed"]):
        raise AssayError(f"{path}: nothing in it can be loaded: {failed[len(manifest['failed'])].why}")
    return Result(
        system=manifest["system"],
        index=index,
        measurements=tuple(measurements),
        skipped=tuple(Missing(**missing) for missing in manifest["skipped"]),
        failed=tuple(failed),
        notes=(*_about(manifest["warnings"], entries, measurements), *notes_on(path, manifest)),
        ci=manifest["ci"],
        seed=manifest["seed"],
        digest=ReferenceDigest.stored(manifest["examples"] or "", partial(_examples, path, manifest)),
    )


def _about(warnings: Sequence[str], entries: Iterable[str], loaded: Sequence[Measurement]) -> list[str]:
    """The warnings of a saved run without those about stored metrics that were not loaded."""
    names = {spec.partition(":")[0] for spec in entries}
    absent = names - {measurement.metric.name for measurement in loaded}
    return [note for note in warnings if not set(note.partition(":")[0].split(", ")) <= absent]


def _rows(path: Path, file: str, index: polars.DataFrame, digests: Mapping[str, FileDigest]) -> Rows:
    if file.endswith(SUFFIX):
        return read_columns(path, file, digest_of(Ids(index["id"])), digests)
    return read_rows(path, file, index["id"].to_list(), digests)


AGAIN = "score again with --save to the same folder"


def _other_code(request: MetricRequest, code: str | None) -> str | None:
    """Why stored statistics are not those of this metric any more, or None."""
    if code == request.metric.code():
        return None
    version = version_of(type(request.metric))
    return f"the statistics of {request.spec} were made by other code than there is now ({version}); {AGAIN}"


def _other_choices(request: MetricRequest, stored: str, rows: Rows, languages: list[str | None]) -> str | None:
    """Why they would give another number now than the one whose signature is stored, or None."""
    nrefs = re.search(r"(?:^|\|)nrefs:([^|]*)", stored)
    now = request.metric.signed(request.metric.signature(nrefs[1] if nrefs else "any"), rows, languages)
    if same_choices(now, stored):
        return None
    return (
        f"{request.spec} would be another number now, because its rule or a file that it names has changed "
        f"(stored is {stored}, now it is {now}); {AGAIN}"
    )


def _examples(path: Path, manifest: dict[str, Any]) -> list[Example] | None:
    """What the outputs of a run were judged against; None where that is gone, or is not what it was."""
    for file, digests in ((path / EXAMPLES, digests_of(manifest)), (path.parent / EXAMPLES, beside(manifest))):
        try:
            if EXAMPLES in digests and digests[EXAMPLES].change(file) is None:
                return read_examples(file).examples
        except (OSError, AssayError):
            continue
    return None


def notes_on(path: Path, manifest: dict[str, Any]) -> list[str]:
    """What to know of a run folder before believing it, without reading its texts."""
    notes = []
    digests = digests_of(manifest)
    if not digests:
        notes.append(
            f"{path}: saved before digests were kept, so damage would not be seen; "
            f"`assay store verify {path} --mend` adds them"
        )
    for name in ("outputs.jsonl", "examples.jsonl"):
        file = path / name
        if name in digests and file.is_file() and (why := digests[name].resized(file)):
            notes.append(f"{path / name}: not the texts that were scored ({why}); the numbers are of what was scored")
    others: dict[str, list[str]] = {}
    for entry in manifest["metrics"]:
        if (made := made_by(manifest, entry)) != VERSION:
            others.setdefault(made, []).append(entry["spec"])
    notes += [f"{', '.join(specs)}: computed by assay {made}, as the signature says" for made, specs in others.items()]
    return notes
