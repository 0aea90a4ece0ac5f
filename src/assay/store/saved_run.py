"""Load a saved run: a result from its manifest and statistics alone."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path

from assay.errors import AssayError
from assay.metrics import MetricRequest, resolve
from assay.metrics.engine.base import version_of
from assay.metrics.engine.signatures import same_choices
from assay.metrics.engine.statistics import Rows
from assay.records.digests import FileDigest
from assay.records.files import digest_of
from assay.records.id_column import Ids
from assay.records.items import Items
from assay.records.read import read_examples, read_outputs
from assay.records.remote import local, path_of
from assay.records.types import Example
from assay.results.index import ItemIndex, languages_of
from assay.results.measurement import Measurement, Missing
from assay.results.reference_digest import ReferenceDigest
from assay.results.result import Result
from assay.store.column_files import SUFFIX, read_columns
from assay.store.manifest_metrics import stored_metrics, stored_requests
from assay.store.run_manifest import (
    EXAMPLES,
    MANIFEST,
    RunManifest,
    digests_of,
    made_by,
    read_manifest,
    shared_digests,
)
from assay.store.stored_rows import read_frame, read_rows
from assay.version import VERSION

OUTPUTS = "outputs.jsonl"
PATIENCE, PAUSE = 5.0, 0.02
"""Seconds to retry, and between retries, while another process writes the folder."""


def load_run(path: str | PathLike[str], metrics: str | list[str] | None = None) -> Result:
    """Load a saved run from its statistics; no text is read and nothing is recomputed.

    Args:
        path: Folder written by `assay.score(..., save=...)` or `--save`.
        metrics: Metrics to load (default: all). Metrics that are no longer installed, or whose code has changed, are in
            `failed` with the reason.

    Example:

        >>> scored = assay.score(["the cat sat"], ["the cat sat"], metrics="rouge", save="runs/cat")
        >>> assay.load_run("runs/cat", "rouge1").scores["rouge1"].value
        1.0
    """
    return _patiently(path_of(local(path)), lambda folder: _load(folder, metrics))


def load_metric(path: Path, spec: str) -> Result:
    """Load one stored metric with the requested scores; others may be damaged."""
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
            time.sleep(PAUSE)  # replaced while it was read


def _stamp(path: Path) -> tuple[int, ...] | None:
    """Return a value that changes whenever the run in a folder changes."""
    try:
        about = (path / MANIFEST).stat()
    except OSError:
        return None
    return about.st_ino, about.st_mtime_ns, about.st_size


def _load(path: Path, metrics: str | list[str] | None, only: str | None = None) -> Result:
    manifest = read_manifest(path)
    entries = {entry["spec"]: entry for entry in manifest["metrics"]}
    digests = digests_of(manifest)
    index = ItemIndex(read_frame(path, "items.parquet", manifest["n"], digests))
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
                again = f"`assay store verify {path} --repair` recomputes it"
                raise AssayError(f"{path / file}: damaged ({misfit}: belongs to another metric); {again}")
            why = _other_choices(request, signature, rows_of[file], languages)
        if why is None:
            measurements.append(Measurement(request, signature, rows_of[file], reused=True))
        elif metrics is None and only is None:
            failed.append(Missing(spec, why))
        else:
            raise AssayError(f"{path}: {why}")
    if not measurements and len(failed) > len(manifest["failed"]):
        raise AssayError(f"{path}: nothing can be loaded: {failed[len(manifest['failed'])].why}")
    return Result(
        system=manifest["system"],
        index=index,
        measurements=tuple(measurements),
        skipped=tuple(Missing(**missing) for missing in manifest["skipped"]),
        failed=tuple(failed),
        notes=(*_about(manifest["warnings"], entries, measurements), *notes_on(path, manifest)),
        ci=manifest["ci"],
        seed=manifest["seed"],
        cluster=manifest.get("cluster_by"),
        numbered=manifest.get("numbered", False),
        digest=ReferenceDigest.stored(manifest["examples"] or "", partial(_examples, path, manifest)),
        texts=partial(_texts, path, manifest),
    )


def _about(warnings: Sequence[str], entries: Iterable[str], loaded: Sequence[Measurement]) -> list[str]:
    """Return the warnings of a saved run without those about metrics that were not loaded."""
    names = {spec.partition(":")[0] for spec in entries}
    absent = names - {measurement.metric.name for measurement in loaded}
    return [note for note in warnings if not set(note.partition(":")[0].split(", ")) <= absent]


def _rows(path: Path, file: str, index: ItemIndex, digests: Mapping[str, FileDigest]) -> Rows:
    if file.endswith(SUFFIX):
        return read_columns(path, file, digest_of(Ids(index["id"])), digests)
    return read_rows(path, file, index.ids, digests)


AGAIN = "score again with --save to the same folder"


def _other_code(request: MetricRequest, code: str | None) -> str | None:
    """Return why stored statistics no longer belong to this metric, or None."""
    if code == request.metric.code():
        return None
    version = version_of(type(request.metric))
    return f"the statistics of {request.spec} were computed by other code ({version}); {AGAIN}"


def _other_choices(request: MetricRequest, stored: str, rows: Rows, languages: list[str | None]) -> str | None:
    """Return why the metric would give another score than the one whose signature is stored, or None."""
    nrefs = re.search(r"(?:^|\|)nrefs:([^|]*)", stored)
    now = request.metric.signed(request.metric.signature(nrefs[1] if nrefs else "any"), rows, languages)
    if same_choices(now, stored):
        return None
    return (
        f"{request.spec} would give another score, because its rule or a file that it names has changed "
        f"(stored: {stored}, now: {now}); {AGAIN}"
    )


def _examples(path: Path, manifest: RunManifest) -> list[Example] | None:
    """Return the examples of a run; None if they are missing or changed."""
    for file, digests in ((path / EXAMPLES, digests_of(manifest)), (path.parent / EXAMPLES, shared_digests(manifest))):
        try:
            if EXAMPLES in digests and digests[EXAMPLES].change(file) is None:
                return read_examples(file).examples
        except (OSError, AssayError):
            continue
    return None


def _texts(path: Path, manifest: RunManifest) -> Items | None:
    """Return the texts of a run; None if they are missing or changed."""
    file, digests = path / OUTPUTS, digests_of(manifest)
    try:
        if OUTPUTS in digests and digests[OUTPUTS].change(file) is not None:
            return None
        outputs = {output.id: output.output for output in read_outputs(file).outputs}
    except (OSError, AssayError):
        return None
    examples = tuple(each for each in _examples(path, manifest) or () if each.id in outputs)
    return Items(tuple(outputs[each.id] for each in examples), examples, manifest["system"]) if examples else None


def notes_on(path: Path, manifest: RunManifest) -> list[str]:
    """Return warnings about a run folder, without reading its texts."""
    notes = []
    digests = digests_of(manifest)
    if not digests:
        notes.append(
            f"{path}: saved without digests, so damage cannot be detected; "
            f"`assay store verify {path} --repair` adds them"
        )
    for name in (OUTPUTS, EXAMPLES):
        file = path / name
        if name in digests and file.is_file() and (why := digests[name].resized(file)):
            notes.append(f"{path / name}: not the texts that were scored ({why}); scores are of the original texts")
    others: dict[str, list[str]] = {}
    for entry in manifest["metrics"]:
        if (made := made_by(manifest, entry)) != VERSION:
            others.setdefault(made, []).append(entry["spec"])
    notes += [f"{', '.join(specs)}: computed by assay {made}, as the signature says" for made, specs in others.items()]
    return notes
