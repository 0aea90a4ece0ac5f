"""Update the manifest of a results folder, safely with concurrent writers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from assay.errors import AssayError
from assay.records.digests import FileDigest, seal
from assay.records.files import to_json, write_text
from assay.records.locks import Lock
from assay.store.config_records import Config, Dataset, System
from assay.store.repeated_runs import group_cell, grouped, members
from assay.store.results_folder import load_results
from assay.store.results_manifest import (
    Entry,
    ResultsManifest,
    is_results_folder,
    read_results_manifest,
    write_results_manifest,
)
from assay.store.run_manifest import is_run

GROUPS = "groups.json"
WAIT = 60.0
"""Seconds to wait for other writers, which hold the lock briefly."""
Named = TypeVar("Named", bound=Dataset | System)
Pair = tuple[str, str]


def manifest_before(out: Path, strict: bool) -> ResultsManifest | None:
    """Return the manifest of a folder; a damaged one is ignored, or an error if `strict`."""
    try:
        return read_results_manifest(out) if is_results_folder(out) else None
    except AssayError:
        if strict:
            raise
        return None


def record(
    out: Path, config: Config, outcomes: Sequence[Entry], busy: Collection[Pair], files: Mapping[str, FileDigest]
) -> ResultsManifest:
    """Write the outcome of some pairs into the manifest. Entries of other pairs stay, as does an intact run whose
    replacement was refused or failed; `busy` pairs are written by other processes."""
    with folder_lock(out):
        before = manifest_before(out, strict=False)
        merged = _merged(out, config, outcomes, busy, files, before)
        if merged != before:
            write_results_manifest(out, merged)
    return merged


def folder_lock(out: Path) -> Lock:
    """Return the lock of a results folder; runs have their own locks."""
    return Lock.of_folder(out).waiting(WAIT)


def _merged(
    out: Path, config: Config, outcomes: Sequence[Entry], busy: Collection[Pair], files: Mapping[str, FileDigest],
    before: ResultsManifest | None,
) -> ResultsManifest:  # fmt: skip
    old = before.by_pair if before else {}
    entries: dict[Pair, Entry] = {}
    fresh: set[Pair] = set()
    for entry in outcomes:
        pair = (entry.dataset, entry.system)
        is_kept = pair in old and old[pair].why is None and is_run(out.joinpath(*pair))
        if entry.why is None:
            entries[pair] = entry
            fresh.add(pair)
        elif is_kept:
            entries[pair] = old[pair]
        elif pair not in busy:
            entries[pair] = entry
    named = {(dataset.name, system.name) for dataset in config.datasets for system in config.systems}
    for pair, entry in old.items():
        if pair in named or is_run(out.joinpath(*pair)):
            entries.setdefault(pair, entry)
    new, used = ([{pair[i] for pair in pairs} for i in (0, 1)] for pairs in (fresh, entries))
    datasets = _together(config.datasets, before.datasets if before else [], new[0], used[0])
    systems = _together(config.systems, before.systems if before else [], new[1], used[1])
    ordered = [entries[d.name, s.name] for d in datasets for s in systems if (d.name, s.name) in entries]
    kept = {name: digest for name, digest in (before.files if before else {}).items() if name not in files}
    name = config.name if fresh or before is None else before.name
    return ResultsManifest(name, datasets, systems, ordered, files={**kept, **files})


def _together(
    now: Sequence[Named], before: Sequence[Named], fresh: Collection[str], used: Collection[str]
) -> list[Named]:
    """Merge the entries of the config with earlier ones that have a run. Entries without a new result keep their
    description."""
    old = {one.name: one for one in before}
    mine = [old[one.name] if one.name in old and one.name not in fresh else one for one in now]
    names = {one.name for one in now}
    return [*mine, *(one for one in before if one.name not in names and one.name in used)]


def write_groups(out: Path, say: Callable[[str], None]) -> None:
    """Write the means of all metrics, and print those that tables show. Repeated if a run is added meanwhile."""
    manifest = read_results_manifest(out)
    groups = members(manifest.systems)
    if not groups:
        return
    results = {dataset.name: load_results(out, manifest, dataset.name) for dataset in manifest.datasets}
    by_dataset = {dataset: grouped(groups, by_system) for dataset, by_system in results.items()}
    rows = [
        {"dataset": dataset, "group": group, "number": name, **row}
        for dataset, by_group in by_dataset.items()
        for group, numbers in by_group.items()
        for name, row in numbers.items()
    ]
    if not rows:
        return
    with folder_lock(out):
        if same := read_results_manifest(out) == manifest:
            write_text(out / GROUPS, to_json(seal({"groups": rows})) + "\n")
    if not same:
        write_groups(out, say)
        return
    for dataset, by_group in by_dataset.items():
        for group, numbers in by_group.items():
            some = next(results[dataset][name] for name in groups[group] if name in results[dataset])
            cells = [group_cell(name, numbers[name], some) for name in some.shown if name in numbers]
            runs = max(row["runs"] for row in numbers.values())
            say(f"{dataset:<12} {group:<12} mean of {runs}: {' · '.join(cells[:6])}")
