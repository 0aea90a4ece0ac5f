"""How far the runs of a results folder are: finished, being worked on, stopped, or never begun."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from assay.errors import AssayError
from assay.records.locks import owner_of
from assay.records.size_limit import read_regular
from assay.store.results_manifest import ResultsManifest, is_results_folder, read_results_manifest
from assay.store.run_manifest import is_run, read_manifest
from assay.store.unfinished import UNFINISHED

State = Literal["finished", "running", "stopped", "failed", "skipped"]

SHOWN = 5
"""Files that are named of a folder that holds no run."""


@dataclass
class RunStatus:
    """One run."""

    dataset: str
    system: str
    state: State
    items: int | None = None
    metrics: list[str] = field(default_factory=list)
    """Those that are stored."""
    shards: dict[str, int] = field(default_factory=dict)
    """Of metrics that are not finished: how many shards are."""
    answers: int | None = None
    """Of a system that is being asked: answers so far."""
    by: str | None = None
    """Who is at it."""
    why: str | None = None
    setting: dict[str, str] = field(default_factory=dict)
    """Of a run of a matrix."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def status(results: Path) -> list[RunStatus]:
    """Every run of a results folder, those that its manifest knows first; or of a single run folder."""
    if results.is_file():
        raise AssayError(f"{results}: is a file; give the results folder of `assay run`")
    if not results.is_dir():
        raise AssayError(f"{results}: no such folder; give the results folder of `assay run`")
    if is_run(results) or (results / "content").is_file():
        return [_of(results, results.parent.name, results.name)]
    manifest = read_results_manifest(results) if is_results_folder(results) else None
    found: dict[tuple[str, str], RunStatus] = {}
    for entry in manifest.entries if manifest else ():
        run = _of(results / entry.dataset / entry.system, entry.dataset, entry.system)
        if entry.why is not None and run.state not in ("running", "finished"):
            run.state, run.why = "failed" if entry.failed else "skipped", entry.why
        found[entry.dataset, entry.system] = run
    beside = [] if manifest else sorted(results.glob("*"))  # runs that were saved one by one
    for folder in [*beside, *sorted(results.glob("*/*"))]:
        pair = folder.parent.name, folder.name
        if pair not in found and _is_begun(folder):
            found[pair] = _of(folder, *pair)
    if not found and _is_begun(results):  # one run, which was killed before there was anything to show
        return [_of(results, results.parent.name, results.name)]
    if not found:
        held = f"there is {', '.join(kept)}" if (kept := _files(results)) else "it is empty"
        raise AssayError(f"{results}: no run was begun in it, {held}; give the results folder of `assay run`")
    _tell_settings(found, manifest)
    if getattr(results, "label", "") and (writer := owner_of(results / ".lock")):  # at a URL one lock is for all runs
        for run in found.values():
            if run.state == "stopped":
                run.state, run.by = "running", str(writer)
    return list(found.values())


def _tell_settings(found: dict[tuple[str, str], RunStatus], manifest: ResultsManifest | None) -> None:
    settings = {system.name: system.setting for system in manifest.systems} if manifest else {}
    for run in found.values():
        run.setting = dict(settings.get(run.system, {}))


def _is_begun(folder: Path) -> bool:
    names = ("run.json", "content", UNFINISHED, ".lock", "answers.jsonl", "answers.jsonl.part")
    own = folder.is_dir() and not folder.name.startswith(".") and folder.parent.name != "models"
    return own and any((folder / name).exists() for name in names)


def _of(folder: Path, dataset: str, system: str) -> RunStatus:
    owner = owner_of(folder / ".lock") or owner_of(folder / ".answers.jsonl.lock")
    run = RunStatus(dataset, system, "running" if owner else "stopped", by=str(owner) if owner else None)
    if is_run(folder):
        try:
            manifest = read_manifest(folder)
            run.items, run.metrics = manifest["n"], [entry["spec"] for entry in manifest["metrics"]]
            run.state = "running" if owner else "finished"
        except AssayError as error:  # one damaged folder must not hide the others
            run.state, run.why = "failed", str(error)
    run.shards = _shards(folder)
    part = folder / "answers.jsonl.part"
    if part.is_file():
        run.answers = max(0, read_regular(part).count(b"\n") - 1)
    if run.state == "stopped" and not run.shards and run.answers is None:
        kept = ", ".join(_files(folder)) or "nothing"
        run.why = f"ended before a first shard was finished; {kept} is kept"
    return run


def _files(folder: Path) -> list[str]:
    """What is in a folder, the first few by name."""
    hidden = (".lock", ".part")
    names = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    shown = [name for name in names if not name.endswith(hidden)]
    return [*shown[:SHOWN], *([f"{len(shown) - SHOWN} more"] if len(shown) > SHOWN else [])]


def _shards(folder: Path) -> dict[str, int]:
    """What the journal of an unfinished run speaks of, by metric: a folder of parts each."""
    try:
        lines = read_regular(folder / UNFINISHED).split(b"\n")
    except OSError:
        return {}
    partial: dict[str, set[str]] = {}
    for line in lines:
        try:
            name = str(msgspec.json.decode(line, type=dict[str, Any]).get("file", ""))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        parts = Path(name).parts
        if len(parts) == 3 and (folder / name).is_file():
            partial.setdefault(parts[1].removesuffix(".partial"), set()).add(name)
    metrics = Counter(_metric(stem) for stem in partial)  # of two variants of one metric the files tell which
    return {stem if metrics[_metric(stem)] > 1 else _metric(stem): len(files) for stem, files in partial.items()}


def _metric(stem: str) -> str:
    return stem.rpartition("-")[0]
