"""The manifest of a run folder: which metrics are stored there, and what they gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.metrics import Request, resolve
from assay.results.result import labelled

FORMAT = 2
MANIFEST = "run.json"


def is_run(path: Path) -> bool:
    return (path / MANIFEST).is_file()


def stored_requests(*manifests: dict[str, Any]) -> dict[str, Request]:
    """What is stored, by spec. A metric that was asked for more than once stands there once, with all its numbers."""
    stored: dict[str, Request] = {}
    for entry in (entry for manifest in manifests for entry in manifest["metrics"]):
        request = resolve([entry["spec"]])[0]
        wanted = None if entry.get("parts") is None else frozenset(entry["parts"])
        same = next((known for known in stored.values() if known.metric == request.metric), None)
        if same is None:
            request.wanted = wanted
            stored[entry["spec"]] = request
        elif same.wanted is not None:
            same.wanted = None if wanted is None else same.wanted | wanted
    return stored


def keep_earlier(manifest: dict[str, Any], before: dict[str, Any]) -> None:
    """Put metrics and scores of an earlier run on the same content into the manifest; every number gets the name it
    has among all of them."""
    together = stored_requests(manifest, before)
    values = [
        (request.metric, part.name, each["scores"][label])
        for each in (manifest, before)
        for label, (request, part) in labelled(list(stored_requests(each).values())).items()
        if label in each["scores"]
    ]
    scores = {}
    for label, (request, part) in labelled(list(together.values())).items():
        found = [score for metric, name, score in values if metric == request.metric and name == part.name]
        if found:  # the newest first
            scores[label] = found[0]
    entries = {entry["spec"]: entry for entry in (*before["metrics"], *manifest["metrics"])}
    manifest["metrics"] = [{**entries[spec], "parts": wanted_parts(request)} for spec, request in together.items()]
    manifest["scores"] = scores


def wanted_parts(request: Request) -> list[str] | None:
    return None if request.wanted is None else sorted(request.wanted)


def read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise AssayError(f"{path}: no {MANIFEST} in it, so it is not a finished run; score again with --save") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        manifest = None
    again = "score again with --save and --force to write it anew"
    if not isinstance(manifest, dict):
        raise AssayError(f"{path / MANIFEST}: damaged; {again}")
    if manifest.get("format") != FORMAT:
        raise AssayError(f"{path / MANIFEST}: format {manifest.get('format')} is not ours ({FORMAT}); {again}")
    return manifest
