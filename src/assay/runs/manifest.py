"""The manifest of a run folder: which metrics are stored there, and what they gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.metrics import MetricRequest, resolve
from assay.results.measurement import Missing, named_parts

FORMAT = 2
MANIFEST = "run.json"


def is_run(path: Path) -> bool:
    return (path / MANIFEST).is_file()


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
    entries = {entry["spec"]: entry for entry in (*before["metrics"], *manifest["metrics"])}
    manifest["metrics"] = [{**entries[spec], "parts": stored_part_names(request)} for spec, request in together.items()]
    manifest["metrics"] += gone
    if gone:
        attributed = {name for _, _, name, _ in values}
        scores |= {name: score for name, score in before["scores"].items() if name not in attributed | set(scores)}
    manifest["scores"] = scores


def stored_part_names(request: MetricRequest) -> list[str] | None:
    return None if request.part_names is None else sorted(request.part_names)


def read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise AssayError(f"{path}: no {MANIFEST} in it, so it is not a finished run; score again with --save") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        manifest = None
    again = "score again with --save and --force to write it anew"
    if not isinstance(manifest, dict):
        raise AssayError(f"{path / MANIFEST}: damaged; {again}")
    if manifest.get("format") != FORMAT:
        raise AssayError(f"{path / MANIFEST}: format {manifest.get('format')} is not ours ({FORMAT}); {again}")
    return manifest
