"""The manifest of a run folder: stored metrics and their scores."""

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
    """Return the run folders below a folder, without those being written or removed."""
    loaded = (file.parent for file in path.glob(f"{depth}/{MANIFEST}") if file.is_file())
    return sorted(folder for folder in loaded if not folder.name.startswith("."))


def stored_requests(*manifests: dict[str, Any]) -> dict[str, MetricRequest]:
    """Return the stored metrics by specification, each once with all its scores."""
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
    """Return the metrics of a manifest that can be loaded, and those that cannot, with the reason."""

    known: list[dict[str, Any]]
    gone: list[dict[str, Any]]
    why: list[Missing]


def stored_metrics(manifest: dict[str, Any]) -> StoredMetrics:
    """Return a metric, or the reason why it can no longer be loaded."""
    loaded = StoredMetrics([], [], [])
    for entry in manifest["metrics"]:
        try:
            resolve([entry["spec"]])
            loaded.known.append(entry)
        except AssayError as error:
            loaded.gone.append(entry)
            loaded.why.append(Missing(entry["spec"], str(error)))
    return loaded


def keep_earlier(manifest: dict[str, Any], before: dict[str, Any]) -> None:
    """Add metrics and scores of an earlier run on the same content to the manifest; every score gets its name among all
    of them. What cannot be loaded keeps its name."""
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
        loaded = [score for metric, own, _, score in values if metric == request.metric and own == part.name]
        if loaded:  # the newest first
            scores[name] = loaded[0]
    earlier = [{**entry, "assay": made_by(before, entry)} for entry in (*known, *gone)]
    entries = {entry["spec"]: entry for entry in (*earlier, *manifest["metrics"])}
    manifest["metrics"] = [{**entries[spec], "parts": stored_part_names(request)} for spec, request in together.items()]
    manifest["metrics"] += earlier[len(known) :]
    if gone:
        attributed = {name for _, _, name, _ in values}
        scores |= {name: score for name, score in before["scores"].items() if name not in attributed | set(scores)}
    manifest["scores"] = scores


def widened(result: Result, before: dict[str, Any]) -> Result:
    """Add every score that another version of assay computed with the same metrics: they have statistics of this
    version now, and all their scores must come from these."""
    older = [entry for entry in stored_metrics(before).known if made_by(before, entry) != VERSION]
    stored = stored_requests({"metrics": older}).values()
    wider: list[Measurement] = []
    for measurement in result.measurements:
        requested = copy(measurement.request)
        for known in stored:
            if known.metric == requested.metric:
                requested.add(known.part_names)
        wider.append(replace(measurement, request=requested))
    return replace(result, measurements=tuple(wider), named_among=()) if older else result


def stored_part_names(request: MetricRequest) -> list[str] | None:
    return None if request.part_names is None else sorted(request.part_names)


def described(result: Result, statistics_of: Callable[[Metric], str], before: dict[str, Any] | None) -> dict[str, Any]:
    """Return the manifest entries of a result; earlier statistics keep the version that computed them."""
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
    """Return what was done, with everything needed to repeat it."""
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


def read_manifest(path: Path) -> dict[str, Any]:
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
    return manifest


def digests_of(manifest: dict[str, Any]) -> dict[str, FileDigest]:
    """Return the digests of a run's files by name; empty for runs saved before digests existed."""
    return msgspec.convert(manifest.get("files", {}), dict[str, FileDigest])


def shared_digests(manifest: dict[str, Any]) -> dict[str, FileDigest]:
    """Return the digests of shared files one folder up."""
    return msgspec.convert(manifest.get("beside", {}), dict[str, FileDigest])


def made_by(manifest: dict[str, Any], entry: dict[str, Any]) -> str:
    """Return the version of assay that computed a metric."""
    return str(entry.get("assay", manifest.get("assay")))
