"""Repair damaged runs: recompute statistics, items and scores from the stored texts."""

from __future__ import annotations

from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.execution.added_metrics import open_again
from assay.execution.scoring import score_items
from assay.metrics import MetricRequest
from assay.records.digests import FileDigest, seal
from assay.records.files import to_json, write_text
from assay.records.locks import Lock
from assay.store.manifest_metrics import LogEntry, stored_metrics, stored_requests
from assay.store.replacement import Replacement
from assay.store.results_record import GROUPS, write_groups
from assay.store.run_manifest import (
    EXAMPLES,
    MANIFEST,
    MetricEntry,
    RunManifest,
    is_run,
    read_manifest,
)
from assay.store.verify import Checked


def repair(checked: Checked) -> list[str]:
    """Repair what can be repaired; return what was done. Raises AssayError if required texts are damaged."""
    folder = Path(checked.path)
    done = []
    if any(finding.file == GROUPS for finding in checked.findings):
        write_groups(folder, lambda line: None)
        done.append(f"{folder / GROUPS}: recomputed")
    with Lock.of_folder(folder):  # one that a dead process left is gone afterwards
        if Replacement(folder).is_interrupted():
            Replacement(folder).settle()
            done.append(f"{folder}: interrupted replacement finished")
        for litter in (*folder.glob(".*.part"), *folder.glob("statistics/**/.*.part")):
            litter.unlink(missing_ok=True)
            done.append(f"{litter}: removed")
        done += [f"{folder / name}: removed" for name in (".lock",) if any(f.file == name for f in checked.findings)]
    damaged = [finding for finding in checked.findings if finding.repairable and not _is_leftover(finding.file)]
    if any("digests" not in finding.problem for finding in damaged):
        _score_again(folder)
        done.append(f"{folder}: recomputed from its texts")
    elif damaged:
        _add_digests(folder)
        done.append(f"{folder}: digests added")
    return done


def _add_digests(folder: Path) -> None:
    """Add digests to a folder saved without, if its scores and statistics agree."""
    with Lock.of_folder(folder):
        manifest = read_manifest(folder)
        names = ["outputs.jsonl", "items.parquet", "content", EXAMPLES]
        names += [entry["statistics"] for entry in manifest["metrics"]]
        manifest["files"] = {name: FileDigest.of(folder / name) for name in names if (folder / name).is_file()}
        if EXAMPLES not in manifest["files"] and (folder.parent / EXAMPLES).is_file():
            manifest["beside"] = {EXAMPLES: FileDigest.of(folder.parent / EXAMPLES)}
        write_text(folder / MANIFEST, to_json(seal(manifest)) + "\n")


def _score_again(folder: Path) -> None:
    """Recompute a run next to the damaged one, and replace it when finished."""
    manifest = _readable(folder)
    run = open_again(folder, manifest, force=True)
    requests, ci, seed = _computed(folder, manifest)
    command = manifest.get("command") or ["assay", "store", "verify", str(folder), "--repair"]
    result = score_items(run.items, requests, ci=ci, seed=seed, folder=run, command=command)
    if not result.measurements:
        raise AssayError(f"{folder}: no metric could be computed. Score the original texts again.")


def _readable(folder: Path) -> RunManifest:
    """Return the manifest, empty if damaged."""
    try:
        return read_manifest(folder) if is_run(folder) else {}
    except AssayError:
        return {}


def _computed(folder: Path, manifest: RunManifest) -> tuple[list[MetricRequest], int, int]:
    """Return what was computed and how, from the manifest or the log."""
    if manifest:
        known = stored_metrics(manifest).known
        return list(stored_requests({"metrics": known}).values()), manifest["ci"], manifest["seed"]
    entries: list[LogEntry] = []
    log = folder / "log.jsonl"
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if log.is_file() else ():
        try:
            entries.append(msgspec.json.decode(line, type=LogEntry))
        except ValueError:  # damaged too
            continue
    metrics: list[MetricEntry] = [  # without what only the manifest knows
        {"spec": spec, "parts": entry.parts.get(spec), "signature": "", "statistics": ""}
        for entry in entries
        for spec in (*entry.computed, *entry.reused)
    ]
    known = stored_metrics({"metrics": metrics}).known
    if not known:
        raise AssayError(f"{folder / MANIFEST}: damaged, and log.jsonl has no record of the metrics. Score again.")
    return list(stored_requests({"metrics": known}).values()), entries[-1].ci, entries[-1].seed


def _is_leftover(name: str) -> bool:
    """Return whether a file is not derived from texts: leftovers of killed processes (lock, partial file,
    replacement)."""
    return Path(name).name.startswith(".") or name in (".", GROUPS)
