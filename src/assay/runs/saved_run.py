"""A run folder read again: a result from its manifest and statistics alone."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path

import polars

from assay.errors import AssayError, first_line
from assay.metrics import MetricRequest, resolve
from assay.metrics.base import version_of
from assay.metrics.signatures import same_choices
from assay.metrics.statistics import KINDS, Rows
from assay.results.index import languages_of
from assay.results.measurement import Measurement, Missing
from assay.results.result import Result
from assay.runs.manifest import read_manifest, stored_metrics, stored_requests


def load_run(path: str | PathLike[str], metrics: str | list[str] | None = None) -> Result:
    """A result from the statistics in a run folder alone: no text is read, nothing is computed again.

    `path` is the folder that `assay.score(..., save=...)` or `--save` has written; `metrics` picks some of what is
    stored there. Without it everything is loaded that can be: a metric that is not installed any more, or whose code
    has changed, stands in `failed` with the reason.

    >>> scored = assay.score(["the cat sat"], ["the cat sat"], metrics="rouge", save="runs/cat")
    >>> assay.load_run("runs/cat", "rouge1").scores["rouge1"].value
    1.0
    """
    path = Path(path)
    manifest = read_manifest(path)
    entries = {entry["spec"]: entry for entry in manifest["metrics"]}
    index = _read_frame(path / "items.parquet", manifest["n"])
    languages = languages_of(index)
    measurements = []
    failed = [Missing(**missing) for missing in manifest["failed"]]
    rows_of: dict[str, Rows] = {}
    known, _, gone = stored_metrics(manifest)
    stored = stored_requests({"metrics": known})
    if metrics is None:
        chosen = list(stored.items())
        failed += gone
    else:
        chosen = []
        for request in resolve(metrics):
            match = next((spec for spec, known in stored.items() if known.metric == request.metric), None)
            if match is None:
                raise AssayError(
                    f"{path}: {request.spec} is not stored there, only {', '.join(stored)}; "
                    "score the outputs with it and --save to the same folder"
                )
            chosen.append((match, request))
    for spec, request in chosen:
        signature, file = entries[spec]["signature"], entries[spec]["statistics"]
        why = _other_code(request, entries[spec].get("code"))
        if why is None:
            if file not in rows_of:
                rows_of[file] = read_rows(path / file, len(index))
            why = _other_choices(request, signature, rows_of[file], languages)
        if why is None:
            measurements.append(Measurement(request, signature, rows_of[file], reused=True))
        elif metrics is None:
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
        notes=tuple(manifest["warnings"]),
        ci=manifest["ci"],
        seed=manifest["seed"],
        digest=manifest["examples"],
    )


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


def read_rows(path: Path, n: int) -> Rows:
    frame = _read_frame(path, n).drop("id", strict=False)
    kind = "tokens" if frame.columns == ["tokens"] else "dense"
    return KINDS[kind].from_frame(frame)


def _read_frame(path: Path, n: int) -> polars.DataFrame:
    try:
        frame = polars.read_parquet(path)
    except FileNotFoundError:
        raise AssayError(f"{path}: missing from the run folder; score again with --save to write it anew") from None
    except Exception as error:
        reason = first_line(error)
        raise AssayError(f"{path}: damaged ({reason}); delete it and score again with --save") from None
    if len(frame) != n:
        raise AssayError(f"{path}: damaged ({len(frame)} rows for {n} items); delete it and score again with --save")
    return frame
