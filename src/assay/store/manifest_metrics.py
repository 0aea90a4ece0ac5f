"""Describe the metrics of a run in its manifest, and add them to those of an earlier run."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import NamedTuple, cast

import msgspec

from assay.errors import AssayError
from assay.metrics import Metric, MetricRequest, resolve
from assay.results.measurement import Measurement, Missing, named_parts
from assay.results.result import Result
from assay.store.run_manifest import FORMAT, MetricEntry, RunManifest, made_by
from assay.version import VERSION


def stored_requests(*manifests: RunManifest) -> dict[str, MetricRequest]:
    """Return the stored metrics by specification, each once with all its scores."""
    stored: dict[str, MetricRequest] = {}
    for entry in (entry for manifest in manifests for entry in manifest["metrics"]):
        request = resolve([entry["spec"]])[0]
        names = entry.get("parts")
        part_names = None if names is None else frozenset(names)
        same = next((known for known in stored.values() if known.metric == request.metric), None)
        if same is None:
            request.part_names = part_names
            stored[entry["spec"]] = request
        else:
            same.add(part_names)
    return stored


class StoredMetrics(NamedTuple):
    """The metrics of a manifest that can be loaded, and those that cannot, with the reason."""

    known: list[MetricEntry]
    gone: list[MetricEntry]
    why: list[Missing]


def stored_metrics(manifest: RunManifest) -> StoredMetrics:
    """Return the metrics of a manifest by whether they can still be loaded."""
    loaded = StoredMetrics([], [], [])
    for entry in manifest["metrics"]:
        try:
            resolve([entry["spec"]])
            loaded.known.append(entry)
        except AssayError as error:
            loaded.gone.append(entry)
            loaded.why.append(Missing(entry["spec"], str(error)))
    return loaded


def keep_earlier(manifest: RunManifest, before: RunManifest) -> None:
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
    earlier: list[MetricEntry] = [{**entry, "assay": made_by(before, entry)} for entry in (*known, *gone)]
    entries = {entry["spec"]: entry for entry in (*earlier, *manifest["metrics"])}
    manifest["metrics"] = [{**entries[spec], "parts": stored_part_names(request)} for spec, request in together.items()]
    manifest["metrics"] += earlier[len(known) :]
    if gone:
        attributed = {name for _, _, name, _ in values}
        scores |= {name: score for name, score in before["scores"].items() if name not in attributed | set(scores)}
    manifest["scores"] = scores


def widened(result: Result, before: RunManifest) -> Result:
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


def packages() -> dict[str, str]:
    """Return the versions of the packages that scores depend on."""
    from importlib.metadata import version

    return {name: version(name) for name in ("numpy", "polars", "sacrebleu")}


def described(result: Result, statistics_of: Callable[[Metric], str], before: RunManifest | None) -> RunManifest:
    """Return the manifest entries of a result; earlier statistics keep the version that computed them."""
    earlier = {entry["statistics"]: made_by(before, entry) for entry in before["metrics"]} if before else {}
    metrics: list[MetricEntry] = []
    for measurement in result.measurements:
        file = statistics_of(measurement.metric)
        entry: MetricEntry = {
            "spec": str(measurement.request.spec),
            "parts": stored_part_names(measurement.request),
            "signature": measurement.signature,
            "statistics": file,
            "assay": earlier.get(file, VERSION) if measurement.reused else VERSION,
        }
        if code := measurement.metric.code():
            entry["code"] = code
        metrics.append(entry)
    manifest = {
        "format": FORMAT,
        "assay": VERSION,
        "python": platform.python_version(),
        "packages": packages(),
        "ci": result.ci,
        "seed": result.seed,
        "cluster_by": result.cluster,
        "numbered": result.numbered,
    }
    return cast("RunManifest", manifest | result.to_dict() | {"metrics": metrics})


class LogEntry(msgspec.Struct, frozen=True):
    """A line of the log of a run: what was done, with everything needed to repeat it."""

    time: str
    computed: list[str]
    reused: list[str]
    parts: dict[str, list[str] | None] = {}
    ci: int = 0
    seed: int = 0


def log_entry(result: Result) -> LogEntry:
    """Return the line of the log about a result."""
    specs = {str(measurement.request.spec): measurement for measurement in result.measurements}
    return LogEntry(
        time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        computed=[spec for spec, measurement in specs.items() if not measurement.reused],
        reused=[spec for spec, measurement in specs.items() if measurement.reused],
        parts={spec: stored_part_names(measurement.request) for spec, measurement in specs.items()},
        ci=result.ci,
        seed=result.seed,
    )
