"""Verify every digest of a run folder, a results folder or a file of answers.

Each finding has a remedy; `execution.repair` recomputes what can be recomputed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.records.digests import FileDigest, broken_seal
from assay.records.locks import Lock, owner_of
from assay.store.replacement import Replacement
from assay.store.results_manifest import MANIFEST as BENCHMARK
from assay.store.results_manifest import is_results_folder, read_results_manifest
from assay.store.results_record import GROUPS
from assay.store.run_manifest import EXAMPLES, MANIFEST, digests_of, is_run, read_manifest, runs_in, shared_digests
from assay.store.saved_run import load_run
from assay.systems.stored_answers import answers_problems, is_answers

TEXTS = ("outputs.jsonl", EXAMPLES)
CLOSE = 1e-9
"""Tolerance for scores: other versions of numpy sum in another order."""


class Finding(msgspec.Struct, frozen=True):
    """A file that is not as written, or was never finished."""

    file: str
    problem: str
    remedy: str
    repairable: bool = False


class Checked(msgspec.Struct):
    """One folder or file with its findings."""

    path: str
    kind: str
    files: int = 0
    """Number of files compared with their digests."""
    findings: list[Finding] = []
    notes: list[str] = []

    def find(self, file: str, problem: str, remedy: str, repairable: bool = False) -> None:
        self.findings.append(Finding(file, problem, remedy, repairable))


def check(path: Path) -> Iterator[Checked]:
    """Verify everything at a path: a run, a results folder, a folder of runs, a file of answers."""
    if is_results_folder(path):
        yield from check_results_folder(path)
    elif is_run(path) or (path / "content").is_file() or Replacement(path).is_interrupted():
        yield check_run(path)
    elif is_answers(path):
        yield check_answers(path)
    elif runs := [*runs_in(path), *runs_in(path, "*/*")] if path.is_dir() else []:
        for run in runs:
            yield check_run(run)
    else:
        raise AssayError(
            f"{path}: neither a saved run, nor a results folder, nor answers written by assay. "
            "Give the folder of a run (`assay score --save`) or of `assay run`."
        )


def check_run(folder: Path) -> Checked:
    """Verify a run folder: its manifest, every file in it, and whether scores and statistics agree."""
    checked = Checked(str(folder), "run")
    _check_leftovers(folder, checked)
    if not is_run(folder):
        checked.find(MANIFEST, "missing: the run was not finished", "run the same command again to resume")
        return checked
    again = "--repair recomputes it from the texts"
    try:
        manifest = read_manifest(folder)
    except AssayError:
        checked.find(MANIFEST, "damaged: not as written", again, repairable=True)
        return checked
    digests = digests_of(manifest)
    if not digests:
        checked.find(MANIFEST, "saved without digests, so damage cannot be detected", "--repair adds them", True)
    for name, digest in digests.items():
        if name in TEXTS:
            _check_text(folder, name, digest, checked)
        else:
            _check_file(folder, name, digest, checked, again)
    for name, digest in shared_digests(manifest).items():
        _check_text(folder.parent, name, digest, checked)
    named = {*digests, *(entry["statistics"] for entry in manifest["metrics"])}
    for file in sorted((folder / "statistics").glob("*.*[tz]")):
        if f"statistics/{file.name}" not in named:
            checked.notes.append(f"statistics/{file.name}: of a stopped run; the same command resumes from it")
    if not any(finding.file.endswith(".parquet") for finding in checked.findings):
        _check_numbers(folder, manifest, checked, again)
    return checked


def _check_leftovers(folder: Path, checked: Checked) -> None:
    if owner := owner_of(Lock.of_folder(folder).path):
        checked.notes.append(f"is being written by {owner}")
        return
    if Replacement(folder).is_interrupted():
        checked.find(".", "was interrupted while being replaced", "--repair finishes it", repairable=True)
    for litter in sorted((*folder.glob(".*.part"), *folder.glob("statistics/**/.*.part"), *folder.glob(".lock"))):
        name = litter.relative_to(folder).as_posix()
        checked.find(name, "left by a killed process", "--repair removes it", repairable=True)


def _check_file(folder: Path, name: str, digest: FileDigest, checked: Checked, remedy: str) -> None:
    """Check a file that can be recomputed from the texts."""
    file = folder / name
    checked.files += 1
    if not file.is_file():
        checked.find(name, "missing", remedy, repairable=True)
    elif why := digest.change(file):
        checked.find(name, f"damaged: {why}", remedy, repairable=True)


def _check_text(folder: Path, name: str, digest: FileDigest, checked: Checked) -> None:
    """Check a text, which cannot be recomputed. One that was removed on purpose is no damage."""
    file = folder / name
    checked.files += 1
    if not file.is_file():
        checked.notes.append(f"{name}: removed; scores do not need the texts")
    elif why := digest.change(file):
        checked.find(name, f"not the texts that were scored: {why}", "score the original texts again with --save")


def _check_numbers(folder: Path, manifest: Mapping[str, Any], checked: Checked, remedy: str) -> None:
    """Recompute every score of the manifest from the statistics."""
    try:
        result = load_run(folder)
    except AssayError as error:
        checked.find(MANIFEST, f"cannot be loaded: {error}", remedy, repairable=True)
        return
    checked.notes += [f"{missing.metric}: {missing.why}" for missing in result.failed[len(manifest["failed"]) :]]
    for name, value in result.values.items():
        stated = manifest["scores"].get(name, {}).get("value")
        if name not in manifest["scores"] or (stated is None and math.isnan(value)):
            continue
        if stated is None or not math.isclose(value, stated, rel_tol=CLOSE, abs_tol=CLOSE):
            checked.find(MANIFEST, f"has {name} {stated}, the statistics give {value}", remedy, repairable=True)


def check_results_folder(folder: Path) -> Iterator[Checked]:
    """Verify a results folder: its manifest and shared files, then every run."""
    checked = Checked(str(folder), "results folder")
    again = "run the config again; intact runs are reused"
    try:
        manifest = read_results_manifest(folder)
    except AssayError:
        checked.find(BENCHMARK, "damaged: not as written", again)
        yield checked
        yield from map(check_run, runs_in(folder, "*/*"))
        return
    if not manifest.files:
        checked.notes.append("saved without digests: examples and judgements cannot be verified")
    for name, digest in manifest.files.items():
        checked.files += 1
        file = folder / name
        if not file.is_file() or (why := digest.change(file)):
            checked.find(name, "missing" if not file.is_file() else f"damaged: {why}", again)
    _check_groups(folder, checked)
    _check_leftovers(folder, checked)
    runs = [folder / entry.dataset / entry.system for entry in manifest.entries if entry.why is None]
    yield checked
    yield from map(check_run, runs)
    for run in runs:
        if is_answers(run / "answers.jsonl"):
            yield check_answers(run / "answers.jsonl")


def _check_groups(folder: Path, checked: Checked) -> None:
    file = folder / GROUPS
    if not file.is_file():
        return
    checked.files += 1
    try:
        whole = not broken_seal(json.loads(file.read_text(encoding="utf-8")))
    except (ValueError, AttributeError, RecursionError):
        whole = False
    if not whole:
        checked.find(GROUPS, "damaged: not as written", "--repair recomputes it", repairable=True)


def check_answers(file: Path) -> Checked:
    """Verify a file of answers, finished or not."""
    checked = Checked(str(file), "answers", files=1)
    for problem, remedy in answers_problems(file):
        checked.find(file.name, problem, remedy)
    return checked
