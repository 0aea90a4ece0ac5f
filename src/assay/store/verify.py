"""Whether what is stored is what was written: every digest of a run folder, a results folder or a file of answers.

What is found is named with a remedy; `mend` computes again what can be.
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
from assay.store.run_manifest import EXAMPLES, MANIFEST, beside, digests_of, is_run, read_manifest, runs_in
from assay.store.saved_run import load_run
from assay.systems.stored_answers import answers_problems, is_answers

TEXTS = ("outputs.jsonl", EXAMPLES)
CLOSE = 1e-9
"""How far a number may be from the one that was written: other versions of numpy add up in another order."""


class Finding(msgspec.Struct, frozen=True):
    """Something that is not as it was written, or was never finished."""

    file: str
    problem: str
    remedy: str
    mendable: bool = False


class Checked(msgspec.Struct):
    """One folder or file, and what was found."""

    path: str
    kind: str
    files: int = 0
    """How many were compared with their digests."""
    findings: list[Finding] = []
    notes: list[str] = []

    def find(self, file: str, problem: str, remedy: str, mendable: bool = False) -> None:
        self.findings.append(Finding(file, problem, remedy, mendable))


def check(path: Path) -> Iterator[Checked]:
    """Everything that stands at a path: a run, a manifest with its runs, a folder of runs, a file of answers."""
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
        raise AssayError(f"{path}: neither a saved run, nor a results folder, nor answers that assay has written")


def check_run(folder: Path) -> Checked:
    """A run folder: its manifest, every file the manifest names, and whether numbers and statistics agree."""
    checked = Checked(str(folder), "run")
    _check_leftovers(folder, checked)
    if not is_run(folder):
        checked.find(MANIFEST, "there is none: the run was not finished", "give the same command again; it goes on")
        return checked
    again = "--repair computes it again from the texts"
    try:
        manifest = read_manifest(folder)
    except AssayError:
        checked.find(MANIFEST, "damaged: it is not what was written", again, mendable=True)
        return checked
    digests = digests_of(manifest)
    if not digests:
        checked.find(
            MANIFEST, "saved before digests were kept, so damage would not be seen", "--repair adds them", True
        )
    for name, digest in digests.items():
        if name in TEXTS:
            _check_text(folder, name, digest, checked)
        else:
            _check_file(folder, name, digest, checked, again)
    for name, digest in beside(manifest).items():
        _check_text(folder.parent, name, digest, checked)
    named = {*digests, *(entry["statistics"] for entry in manifest["metrics"])}
    for file in sorted((folder / "statistics").glob("*.*[tz]")):
        if f"statistics/{file.name}" not in named:
            checked.notes.append(f"statistics/{file.name}: of a run that was stopped; the same command goes on from it")
    if not any(finding.file.endswith(".parquet") for finding in checked.findings):
        _check_numbers(folder, manifest, checked, again)
    return checked


def _check_leftovers(folder: Path, checked: Checked) -> None:
    if owner := owner_of(Lock.of_folder(folder).path):
        checked.notes.append(f"is being written by {owner}")
        return
    if Replacement(folder).is_interrupted():
        checked.find(".", "was stopped while it was replaced", "--repair brings that to its end", mendable=True)
    for litter in sorted((*folder.glob(".*.part"), *folder.glob("statistics/**/.*.part"), *folder.glob(".lock"))):
        name = litter.relative_to(folder).as_posix()
        checked.find(name, "left by a process that was killed", "--repair takes it away", mendable=True)


def _check_file(folder: Path, name: str, digest: FileDigest, checked: Checked, remedy: str) -> None:
    """A file that can be made anew from the texts."""
    file = folder / name
    checked.files += 1
    if not file.is_file():
        checked.find(name, "missing", remedy, mendable=True)
    elif why := digest.change(file):
        checked.find(name, f"damaged: {why}", remedy, mendable=True)


def _check_text(folder: Path, name: str, digest: FileDigest, checked: Checked) -> None:
    """A text, which nothing here can make anew. One that was taken away on purpose is no damage."""
    file = folder / name
    checked.files += 1
    if not file.is_file():
        checked.notes.append(f"{name}: not here any more; numbers need no texts")
    elif why := digest.change(file):
        checked.find(name, f"not the texts that were scored: {why}", "score the original texts again with --save")


def _check_numbers(folder: Path, manifest: Mapping[str, Any], checked: Checked, remedy: str) -> None:
    """Every number that the manifest says, folded again from the statistics."""
    try:
        result = load_run(folder)
    except AssayError as error:
        checked.find(MANIFEST, f"cannot be loaded: {error}", remedy, mendable=True)
        return
    checked.notes += [f"{missing.metric}: {missing.why}" for missing in result.failed[len(manifest["failed"]) :]]
    for name, value in result.values.items():
        said = manifest["scores"].get(name, {}).get("value")
        if name not in manifest["scores"] or (said is None and math.isnan(value)):
            continue
        if said is None or not math.isclose(value, said, rel_tol=CLOSE, abs_tol=CLOSE):
            checked.find(MANIFEST, f"says {name} {said}, and the statistics {value}", remedy, mendable=True)


def check_results_folder(folder: Path) -> Iterator[Checked]:
    """A results folder: its manifest and shared files, then every run in it."""
    checked = Checked(str(folder), "results folder")
    again = "run the benchmark again; what is whole is used again"
    try:
        manifest = read_results_manifest(folder)
    except AssayError:
        checked.find(BENCHMARK, "damaged: it is not what was written", again)
        yield checked
        yield from map(check_run, runs_in(folder, "*/*"))
        return
    if not manifest.files:
        checked.notes.append("saved before digests were kept: examples and judgements cannot be checked")
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
        checked.find(GROUPS, "damaged: it is not what was written", "--repair computes it again", mendable=True)


def check_answers(file: Path) -> Checked:
    """Answers, finished or not."""
    checked = Checked(str(file), "answers", files=1)
    for problem, remedy in answers_problems(file):
        checked.find(file.name, problem, remedy)
    return checked
