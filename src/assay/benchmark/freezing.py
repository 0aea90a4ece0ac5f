"""Freezing a benchmark: what its data, cards and metrics are, written down; and whether they still are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

import msgspec

from assay.benchmark.cards.card import read_card
from assay.benchmark.cards.check import check_card
from assay.benchmark.manifest import Manifest, Task, read_manifest, sealed
from assay.benchmark.submission import Finding
from assay.challenges import perturbation
from assay.challenges.perturbation import challenge_set
from assay.errors import AssayError
from assay.execution.loading import read_examples
from assay.execution.measure import reason_to_skip
from assay.metrics import SUITES, resolve
from assay.metrics.engine.base import count_references
from assay.records.digests import FileDigest
from assay.records.files import digest_of, jsonl_chunks
from assay.records.items import Items
from assay.records.read import ExampleFile
from assay.records.types import Example
from assay.store.run_manifest import EXAMPLES

STORED = "results"
"""The results folder of a version in a store; it holds the items, too."""
DATA_CARDS = ("hf", "gem", "gem2022")


class Frozen(NamedTuple):
    manifest: Manifest
    """Sealed, if nothing is wrong."""
    findings: list[Finding]
    examples: dict[str, list[Example]]

    @property
    def valid(self) -> bool:
        return not any(finding.grave for finding in self.findings)


def place_of(base: Path, given: str) -> Path:
    """A path as a manifest has it: from its own folder, behind the name of a dataset too."""
    name, colon, path = given.rpartition(":")
    return Path(f"{name}:{base / path}") if colon and not (base / given).exists() else base / given


def task_examples(manifest: Manifest, base: Path) -> dict[str, list[Example]]:
    """The items of every task; those of challenge sets are made from their parents', by their seed."""
    found: dict[str, list[Example]] = {}
    for task in manifest.tasks:
        if not task.challenge:
            found[task.name] = list(read_examples(place_of(base, task.examples)).records)
    for task in manifest.tasks:
        if task.challenge:
            if task.parent not in found:
                raise AssayError(f"task {task.name}: {task.parent} is a challenge set itself; name the task it is from")
            chosen = perturbation(task.challenge)
            found[task.name] = challenge_set(chosen, found[task.parent], size=task.size, seed=task.seed).examples
    return {task.name: found[task.name] for task in manifest.tasks}


def content_hash(examples: Sequence[Example]) -> str:
    return FileDigest.of_chunks(jsonl_chunks(examples)).sha256


def freeze(manifest: Manifest, base: Path) -> Frozen:
    """The manifest with hashes and signatures, sealed; or what keeps it from that, each with its remedy."""
    findings: list[Finding] = []
    examples = task_examples(manifest, base)
    tasks = []
    for task in manifest.tasks:
        own = examples[task.name]
        if not own:
            findings.append(Finding(task.name, None, "no items", "name examples that hold some"))
            continue
        items = Items(("",) * len(own), tuple(own))
        open_metrics = _signatures(task, _asked(task), items, findings)
        held = _signatures(task, task.held_back, items, findings)
        for spec in (spec for spec in held if spec in open_metrics):
            findings.append(Finding(task.name, None, f"{spec} is held back and open", "name it in one place"))
        if not open_metrics:
            findings.append(Finding(task.name, None, "no metric to be seen", "give it metrics or a suite"))
        content = content_hash(own)
        since = task.since if task.sha256 == content and task.since else manifest.version
        salt = (task.held_back_salt or token_hex(16)) if held else ""
        digest, complete = _card(manifest, task, base, findings)
        tasks.append(
            msgspec.structs.replace(
                task, items=len(own), sha256=content, card_sha256=digest, card_complete=complete,
                signatures=open_metrics, held_back_signatures=held,
                held_back_digest=digest_of(salt, held) if held else "", held_back_salt=salt, since=since,
            )
        )  # fmt: skip
    if not manifest.tasks:
        findings.append(Finding("", None, "no tasks", "add one with `assay benchmark add`"))
    if any(finding.grave for finding in findings):
        return Frozen(manifest, findings, examples)
    return Frozen(sealed(msgspec.structs.replace(manifest, tasks=tasks)), findings, examples)


def _asked(task: Task) -> list[str]:
    if task.suite is None:
        return task.metrics
    if task.suite not in SUITES:
        raise AssayError(f"task {task.name}: no suite called {task.suite}; there are {', '.join(SUITES)}")
    return [spec.removesuffix("?") for spec in SUITES[task.suite]]


def _signatures(task: Task, specs: Sequence[str], items: Items, findings: list[Finding]) -> dict[str, str]:
    """By metric, as it was asked for: how it is computed of these items."""
    found = {}
    references = count_references(items)
    for spec in specs:
        metric = resolve([spec])[0].metric
        why = reason_to_skip(metric, items)
        if why and task.suite is None:
            findings.append(Finding(task.name, None, f"{spec} cannot be computed: {why}", "give that, or another"))
        elif why:
            problem = f"{spec} of the suite cannot be computed: {why}"
            findings.append(Finding(task.name, None, problem, "it is left out of this version", grave=False))
        else:
            found[spec] = metric.signature(references)
    return found


def _card(manifest: Manifest, task: Task, base: Path, findings: list[Finding]) -> tuple[str, float]:
    given = task.card or (manifest.task(task.parent).card if task.parent else "")
    begin = "write one: `assay benchmark card new --template gem`, fill, check"
    if not given:
        findings.append(Finding(task.name, None, "no data card, and without one it cannot join", begin))
        return "", 0.0
    try:
        card = read_card(base / given)
        checked = check_card(card)
    except AssayError as error:
        findings.append(Finding(task.name, None, str(error), begin))
        return "", 0.0
    if checked.template not in DATA_CARDS:
        findings.append(Finding(task.name, None, f"{given} is no data card ({checked.template})", begin))
    complete = round(100 * checked.complete, 1)
    if complete < manifest.cards_at_least:
        lacking = ", ".join(dict.fromkeys(each.section for each in checked.findings if each.grave))
        problem = f"its card is {complete:g} % complete, and {manifest.cards_at_least:g} % are asked for"
        findings.append(Finding(task.name, None, problem, f"write: {lacking[:200]}"))
    return FileDigest.of(base / given).sha256, complete


def changes(frozen: Manifest, base: Path) -> tuple[list[Finding], dict[str, list[Example]]]:
    """What is not any more what it was when the manifest was frozen, and the items as they are now."""
    draft = msgspec.structs.replace(frozen, digest="")
    now = freeze(draft, base)
    if not now.valid:
        return now.findings, now.examples
    current = {task.name: task for task in now.manifest.tasks}
    return [found for task in frozen.tasks for found in _changed(task, current[task.name])], now.examples


def _changed(then: Task, now: Task) -> Iterator[Finding]:
    version = "put it back, or make a new version"
    if then.sha256 != now.sha256:
        problem = (
            f"its items changed ({then.items:,} then, {now.items:,} now; sha256 {then.sha256[:12]}, {now.sha256[:12]})"
        )
        yield Finding(then.name, None, problem, version)
    if then.card_sha256 != now.card_sha256:
        yield Finding(
            then.name, None, "its card changed", "numbers stand; freeze it with the next version", grave=False
        )
    pairs: tuple[tuple[Mapping[str, str], Mapping[str, str]], ...] = (
        (then.signatures, now.signatures),
        (then.held_back_signatures, now.held_back_signatures),
    )
    for before, after in pairs:
        for spec, signature in before.items():
            if after.get(spec) != signature:
                problem = f"{spec} would be computed otherwise now ({after.get(spec, 'not at all')}, then {signature})"
                yield Finding(then.name, None, problem, "use what it was frozen with, or make a new version")


def frozen_examples(path: Path) -> tuple[Manifest, dict[str, ExampleFile]]:
    """A frozen manifest with the items of its tasks; an AssayError where they are not those it was frozen with.

    The manifest of a store finds them beside itself, wherever they came from.
    """
    manifest = read_manifest(path, frozen=True)
    stored = {task.name: path.parent / STORED / task.name / EXAMPLES for task in manifest.tasks}
    if manifest.tasks and all(file.is_file() for file in stored.values()):
        found = {name: list(read_examples(file).records) for name, file in stored.items()}
    else:
        found = task_examples(manifest, path.parent)
    for task in manifest.tasks:
        if content_hash(found[task.name]) != task.sha256:
            raise AssayError(
                f"{path}: task {task.name}: its items are not those that were frozen ({task.items:,} items, sha256 "
                f"{task.sha256[:12]}); put them back, or make a new version"
            )
    return manifest, {name: ExampleFile(items, True, name) for name, items in found.items()}


def refuse_other_metrics(manifest: Manifest, examples: Mapping[str, ExampleFile]) -> None:
    """Numbers may only be attached to a version that would be computed as it says."""
    for task in manifest.tasks:
        own = examples[task.name].examples
        references = count_references(Items(("",) * len(own), tuple(own)))
        for spec, signature in {**task.signatures, **task.held_back_signatures}.items():
            now = resolve([spec])[0].metric.signature(references)
            if now != signature:
                raise AssayError(
                    f"{manifest.title}: task {task.name}: {spec} would be computed otherwise than it was frozen "
                    f"({now}, then {signature}); use that version of assay, or make a new version of the benchmark"
                )
