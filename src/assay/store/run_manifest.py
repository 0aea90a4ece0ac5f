"""The manifest of a run folder: which metrics are stored there, and what they gave."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from assay.errors import AssayError
from assay.metrics import Metric, MetricRequest, resolve
from assay.records.digests import FileDigest, broken_seal
from assay.records.documents import parse_json
from assay.records.size_limit import read_regular
from assay.records.types import Score
from assay.results.measurement import Measurement, Missing, named_parts
from assay.results.result import Result
from assay.version import VERSION

FORMAT = 2
MANIFEST = "run.json"
EXAMPLES = "examples.jsonl"


def is_run(path: Path) -> bool:
    return (path / MANIFEST).is_file()


def runs_in(path: Path, depth: str = "*") -> list[Path]:
    """The run folders below a folder; none that is being made, or being taken away."""
    found = (file.parent for file in path.glob(f"{depth}/{MANIFEST}") if file.is_file())
    return sorted(folder for folder in found if not folder.name.startswith("."))


def stored_requests(*manifests: dict[str, Any]) -> dict[str, MetricRequest]:
    """What is stored, by spec. A metric that was asked for more than once stands there once, with all its numbers."""
    stored: dict[str, MetricRequest] = {}
    for entry in (entry for manifest in manifests for entry in manifest["metrics"]):
        request = resolve([entry["spec"]])[0]
        part_names = None if entry.get("parts") is None else frozenset(entry["parts"])
        same = next((known for known in stored.values() if known.metric == request.metric), None)
        if same is None:
            request.part_names = part_names
            stored[entry["spec"]] = request
        else:
            same.add(part_names)
    return stored


class StoredMetrics(NamedTuple):
    """What a manifest names: metrics that there still are, and those that cannot be loaded here, with the reason."""

    known: list[dict[str, Any]]
    gone: list[dict[str, Any]]
    why: list[Missing]


def stored_metrics(manifest: dict[str, Any]) -> StoredMetrics:
    """A metric that is not installed any more stands in the way of no other."""
    found = StoredMetrics([], [], [])
    for entry in manifest["metrics"]:
        try:
            resolve([entry["spec"]])
            found.known.append(entry)
        except AssayError as error:
            found.gone.append(entry)
            found.why.append(Missing(entry["spec"], str(error)))
    return found


def keep_earlier(manifest: dict[str, Any], before: dict[str, Any]) -> None:
    """Put metrics and scores of an earlier run on the same content into the manifest; every number gets the name it
    has among all of them. What cannot be loaded now stays under the name it had."""
    known, gone, _ = stored_metrics(before)
    before = {**before, "metrics": known}
    together = stored_requests(manifest, before)
    values = [
        (request.metric, part.name, name, each["scores"][name])
        for each in (manifest, before)
        for name, (request, part) in named_parts(list(stored_requests(each).values())).items()
        if name in each["scores"]
    ]
    scores = {}
    for name, (request, part) in named_parts(list(together.values())).items():
        found = [score for metric, own, _, score in values if metric == request.metric and own == part.name]
        if found:  # the newest first
            scores[name] = found[0]
    earlier = [{**entry, "assay": made_by(before, entry)} for entry in (*known, *gone)]
    entries = {entry["spec"]: entry for entry in (*earlier, *manifest["metrics"])}
    manifest["metrics"] = [{**entries[spec], "parts": stored_part_names(request)} for spec, request in together.items()]
    manifest["metrics"] += earlier[len(known) :]
    if gone:
        attributed = {name for _, _, name, _ in values}
        scores |= {name: score for name, score in before["scores"].items() if name not in attributed | set(scores)}
    manifest["scores"] = scores


def widened(result: Result, before: dict[str, Any]) -> Result:
    """With every number that another version of assay had computed with the same metrics: these have statistics of
    this version now, and all their numbers must come from them."""
    older = [entry for entry in stored_metrics(before).known if made_by(before, entry) != VERSION]
    stored = stored_requests({"metrics": older}).values()
    wider: list[Measurement] = []
    for measurement in result.measurements:
        asked = copy(measurement.request)
        for known in stored:
            if known.metric == asked.metric:
                asked.add(known.part_names)
        wider.append(replace(measurement, request=asked))
    return replace(result, measurements=tuple(wider), named_among=()) if older else result


def stored_part_names(request: MetricRequest) -> list[str] | None:
    return None if request.part_names is None else sorted(request.part_names)


def described(result: Result, statistics_of: Callable[[Metric], str], before: dict[str, Any] | None) -> dict[str, Any]:
    """What a manifest says of a result; statistics that were there before keep the version that computed them."""
    earlier = {entry["statistics"]: made_by(before, entry) for entry in before["metrics"]} if before else {}
    metrics = []
    for measurement in result.measurements:
        file = statistics_of(measurement.metric)
        code = measurement.metric.code()
        entry = {
            "spec": str(measurement.request.spec),
            "parts": stored_part_names(measurement.request),
            "signature": measurement.signature,
            "statistics": file,
            "assay": earlier.get(file, VERSION) if measurement.reused else VERSION,
        }
        metrics.append(entry | ({"code": code} if code else {}))
    return {
        "format": FORMAT,
        "assay": VERSION,
        "python": platform.python_version(),
        "packages": {name: version(name) for name in ("numpy", "polars", "sacrebleu")},
        "ci": result.ci,
        "seed": result.seed,
        **result.to_dict(),
        "metrics": metrics,
    }


def log_entry(result: Result) -> dict[str, Any]:
    """What was done now, and all that it takes to do it again."""
    specs = {str(measurement.request.spec): measurement for measurement in result.measurements}
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "computed": [spec for spec, measurement in specs.items() if not measurement.reused],
        "reused": [spec for spec, measurement in specs.items() if measurement.reused],
        "parts": {spec: stored_part_names(measurement.request) for spec, measurement in specs.items()},
        "ci": result.ci,
        "seed": result.seed,
    }


class StoredMetric(msgspec.Struct):
    """Where the statistics of one metric stand."""

    spec: str
    signature: str
    statistics: str
    parts: list[str] | None = None
    code: str | None = None
    assay: str = ""


class StoredMissing(msgspec.Struct, forbid_unknown_fields=True):
    """A metric without numbers, and why."""

    metric: str
    why: str


MAX_RESAMPLES = 10_000_000
"""A manifest that asks for more would only keep its reader busy."""
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Needed(msgspec.Struct):
    """What a manifest must hold, whoever wrote it; what else it says is kept as it is."""

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


def read_manifest(path: Path) -> dict[str, Any]:
    """What a run folder says of itself, as it was written: a word that has changed since is damage."""
    try:
        manifest = parse_json(read_regular(path / MANIFEST), path / MANIFEST)
    except (FileNotFoundError, NotADirectoryError):
        raise AssayError(f"{path}: no {MANIFEST} in it, so it is not a finished run; score again with --save") from None
    except AssayError:
        manifest = None
    again = "score again with --save and --force to write it anew"
    if not isinstance(manifest, dict):
        raise AssayError(f"{path / MANIFEST}: damaged; {again}")
    if manifest.get("format") != FORMAT:
        raise AssayError(f"{path / MANIFEST}: format {manifest.get('format')} is not ours ({FORMAT}); {again}")
    if broken_seal(manifest):
        mend = f"`assay store verify {path} --mend` computes it again"
        raise AssayError(f"{path / MANIFEST}: damaged (it is not what was written); {mend}, or {again}")
    try:
        msgspec.convert(manifest, Needed)
    except msgspec.ValidationError as error:
        raise AssayError(f"{path / MANIFEST}: damaged ({error}); {again}") from None
    return manifest


def digests_of(manifest: dict[str, Any]) -> dict[str, FileDigest]:
    """What the files of a run must be, by name; empty for runs that were saved before there were digests."""
    return msgspec.convert(manifest.get("files", {}), dict[str, FileDigest])


def beside(manifest: dict[str, Any]) -> dict[str, FileDigest]:
    """The same of the files one folder up that several runs share."""
    return msgspec.convert(manifest.get("beside", {}), dict[str, FileDigest])


def made_by(manifest: dict[str, Any], entry: dict[str, Any]) -> str:
    """The version of assay that computed a metric: of its own entry, since others may have been added later."""
    return str(entry.get("assay", manifest.get("assay")))
