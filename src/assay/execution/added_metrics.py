"""Add metrics to a saved run, computed from its stored texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor
from assay.execution.loading import load_items
from assay.execution.request import choose
from assay.execution.scoring import score_items
from assay.metrics import MetricRequest
from assay.records.digests import FileDigest
from assay.records.size_limit import read_regular
from assay.results.measurement import Missing
from assay.results.result import Result
from assay.store.manifest_metrics import stored_metrics, stored_requests
from assay.store.run_folder import RunFolder
from assay.store.run_manifest import (
    EXAMPLES,
    RunManifest,
    digests_of,
    read_manifest,
    shared_digests,
)
from assay.store.saved_run import load_run

TEXTS = "outputs.jsonl"
TREATED = re.compile(r"\|text:([^|]*)\|")
"""What was done to the texts of a run before it was scored, in its signatures."""


def open_again(folder: Path, manifest: RunManifest, *, force: bool = False) -> RunFolder:
    """Open a run to extend it, or with `force` to make it again, from its own texts; an AssayError if they are not the
    texts that were scored. `manifest` is that of the folder, empty if damaged."""
    shared = not (folder / EXAMPLES).is_file()
    examples = folder.parent / EXAMPLES if shared else folder / EXAMPLES
    for name, file in ((TEXTS, folder / TEXTS), (EXAMPLES, examples)):
        digest = {**(shared_digests(manifest) if shared else {}), **digests_of(manifest)}.get(name)
        if not file.is_file() or (digest and digest.change(file)):
            raise AssayError(f"{file}: missing or damaged, so nothing can be computed. Score the original texts again.")
    items = load_items(folder / TEXTS, examples=examples, allow_missing=shared, system=manifest.get("system"))
    digest = FileDigest.of(examples) if shared else None
    run = RunFolder(folder, items, force=force, shared_examples=digest)
    items_stored = manifest.get("content") or read_regular(folder / "content").decode("utf-8", "replace").strip()
    if run.content != items_stored:
        raise AssayError(f"{folder}: its texts are not those that were scored. Score the original texts again.")
    return run


def not_stored(folder: Path, metrics: str | Sequence[str]) -> list[MetricRequest]:
    """Return the metrics without statistics in a run."""
    stored = stored_requests({"metrics": stored_metrics(read_manifest(folder)).known}).values()
    items_stored = [request.metric for request in stored]
    return [request for request in choose(metrics) if request.metric not in items_stored]


def add_metrics(folder: Path, metrics: str | Sequence[str], *, executor: Executor = SERIAL) -> list[Missing]:
    """Compute missing metrics of a run and store them; return what could not be computed, and why."""
    missing = not_stored(folder, metrics)
    if not missing:
        return []
    manifest = read_manifest(folder)
    run = open_again(folder, manifest)
    signatures = (str(each.get("signature", "")) for each in stored_metrics(manifest).known)
    treated = next((match[1] for one in signatures if (match := TREATED.search(one))), "")
    result = score_items(
        replace(run.items, treatment=treated), missing, ci=manifest["ci"], seed=manifest["seed"], executor=executor,
        folder=run, command=["assay", "score", folder.name, "-m", ",".join(str(request.spec) for request in missing)],
    )  # fmt: skip
    return [*result.skipped, *result.failed]


def load_with(folder: Path, metrics: str | list[str] | None, *, executor: Executor = SERIAL) -> tuple[Result, bool]:
    """Load a saved run with these metrics; return also whether some were computed from its texts."""
    if metrics is None or not not_stored(folder, metrics):
        return load_run(folder, metrics), False
    if failed := add_metrics(folder, metrics, executor=executor):
        raise AssayError(f"{folder}: {failed[0].metric} cannot be computed from its texts ({failed[0].why})")
    return load_run(folder, metrics), True
