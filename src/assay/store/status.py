"""State of the runs in a results folder: finished, running, stopped, or not started."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from assay.errors import AssayError
from assay.records.locks import owner_of
from assay.records.size_limit import read_regular
from assay.store.results_manifest import ResultsManifest, is_results_folder, read_results_manifest
from assay.store.run_manifest import is_run, read_manifest
from assay.store.unfinished import UNFINISHED

State = Literal["finished", "running", "stopped", "failed", "skipped"]

SHOWN = 5
"""Number of files to name for a folder without runs."""


@dataclass
class RunStatus:
    """One run."""

    dataset: str
    system: str
    state: State
    items: int | None = None
    metrics: list[str] = field(default_factory=list)
    """Stored metrics."""
    shards: dict[str, int] = field(default_factory=dict)
    """Number of finished shards of unfinished metrics."""
    answers: int | None = None
    """Number of answers so far, if a system is generating."""
    by: str | None = None
    """Process that is writing."""
    why: str | None = None
    setting: dict[str, str] = field(default_factory=dict)
    """Setting of a run of a matrix."""

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def status(results: Path) -> list[RunStatus]:
    """Return the state of every run of a results folder, those in its manifest first; or of one run folder."""
    if results.is_file():
        raise AssayError(f"{results}: is a file. Pass the results folder of `assay run`.")
    if not results.is_dir():
        raise AssayError(f"{results}: no such folder. Pass the results folder of `assay run`.")
    if is_run(results) or (results / "content").is_file():
        return [_of(results, results.parent.name, results.name)]
    manifest = read_results_manifest(results) if is_results_folder(results) else None
    runs_found: dict[tuple[str, str], RunStatus] = {}
    for entry in manifest.entries if manifest else ():
        run = _of(results / entry.dataset / entry.system, entry.dataset, entry.system)
        if entry.why is not None and run.state not in ("running", "finished"):
            run.state, run.why = "failed" if entry.failed else "skipped", entry.why
        runs_found[entry.dataset, entry.system] = run
    single_runs = [] if manifest else sorted(results.glob("*"))  # runs that were saved one by one
    for folder in [*single_runs, *sorted(results.glob("*/*"))]:
        pair = folder.parent.name, folder.name
        if pair not in runs_found and _is_begun(folder):
            runs_found[pair] = _of(folder, *pair)
    if not runs_found and _is_begun(results):  # one run, which was killed before there was anything to show
        return [_of(results, results.parent.name, results.name)]
    if not runs_found:
        content = f"it contains {', '.join(kept)}" if (kept := _files(results)) else "it is empty"
        raise AssayError(f"{results}: no run was started in it ({content}). Pass the results folder of `assay run`.")
    _add_settings(runs_found, manifest)
    if getattr(results, "label", "") and (writer := owner_of(results / ".lock")):  # at a URL one lock is for all runs
        for run in runs_found.values():
            if run.state == "stopped":
                run.state, run.by = "running", str(writer)
    return list(runs_found.values())


def _add_settings(runs_found: dict[tuple[str, str], RunStatus], manifest: ResultsManifest | None) -> None:
    settings = {system.name: system.setting for system in manifest.systems} if manifest else {}
    for run in runs_found.values():
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
        run.why = f"ended before the first shard was finished; {kept} is kept"
    return run


def _files(folder: Path) -> list[str]:
    """Return the first few names in a folder."""
    hidden = (".lock", ".part")
    names = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    shown = [name for name in names if not name.endswith(hidden)]
    return [*shown[:SHOWN], *([f"{len(shown) - SHOWN} more"] if len(shown) > SHOWN else [])]


def _shards(folder: Path) -> dict[str, int]:
    """Return the finished shards in the journal of an unfinished run, by metric."""
    try:
        lines = read_regular(folder / UNFINISHED).split(b"\n")
    except OSError:
        return {}
    partial: dict[str, set[str]] = {}
    for line in lines:
        try:
            name = str(msgspec.json.decode(line, type=dict[str, object]).get("file", ""))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        parts = Path(name).parts
        if len(parts) == 3 and (folder / name).is_file():
            partial.setdefault(parts[1].removesuffix(".partial"), set()).add(name)
    metrics = Counter(_metric(stem) for stem in partial)  # of two variants of one metric the files tell which
    return {stem if metrics[_metric(stem)] > 1 else _metric(stem): len(files) for stem, files in partial.items()}


def _metric(stem: str) -> str:
    return stem.rpartition("-")[0]
