"""Freezing of a benchmark version: hashes of its data and cards, signatures of its metrics, and their verification."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

import msgspec

from assay.benchmark.cards.card import read_card
from assay.benchmark.cards.check import check_card
from assay.benchmark.manifest import BenchmarkManifest, Task, read_manifest, sealed
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
"""Results folder of a stored version; it also contains the items."""
DATA_CARDS = ("hf", "gem", "gem2022")
"""Templates of data cards."""


class FreezeResult(NamedTuple):
    """A frozen manifest, or the errors that prevent freezing."""

    manifest: BenchmarkManifest
    """Frozen if there are no errors, else the draft."""
    findings: list[Finding]
    examples: dict[str, list[Example]]

    @property
    def valid(self) -> bool:
        return not any(finding.is_error for finding in self.findings)


def resolve_path(base: Path, text: str) -> Path:
    """Return a path of a manifest (PATH or DATASET:PATH) relative to the folder of the manifest."""
    name, colon, path = text.rpartition(":")
    return Path(f"{name}:{base / path}") if colon and not (base / text).exists() else base / text


def task_examples(manifest: BenchmarkManifest, base: Path) -> dict[str, list[Example]]:
    """Return the items of every task; those of challenge sets are generated from their parents with the random seed."""
    examples: dict[str, list[Example]] = {}
    for task in manifest.tasks:
        if not task.challenge:
            examples[task.name] = list(read_examples(resolve_path(base, task.examples)).records)
    for task in manifest.tasks:
        if task.challenge:
            if task.parent not in examples:
                raise AssayError(f"task {task.name}: parent {task.parent} is a challenge set. Name its original task.")
            chosen = perturbation(task.challenge)
            examples[task.name] = challenge_set(chosen, examples[task.parent], size=task.size, seed=task.seed).examples
    return {task.name: examples[task.name] for task in manifest.tasks}


def content_hash(examples: Sequence[Example]) -> str:
    """Return the SHA-256 of examples as JSON Lines."""
    return FileDigest.of_chunks(jsonl_chunks(examples)).sha256


def freeze(manifest: BenchmarkManifest, base: Path) -> FreezeResult:
    """Freeze a manifest: add hashes and signatures and seal it, unless there are errors.

    Args:
        manifest: A draft.
        base: Folder that its paths are relative to.
    """
    findings: list[Finding] = []
    examples = task_examples(manifest, base)
    tasks = []
    for task in manifest.tasks:
        own = examples[task.name]
        if not own:
            findings.append(Finding(task.name, None, "no items", "name a file with examples"))
            continue
        items = Items(("",) * len(own), tuple(own))
        public = _signatures(task, _public_metrics(task), items, findings)
        hidden = _signatures(task, task.held_back, items, findings)
        for spec in (spec for spec in hidden if spec in public):
            findings.append(Finding(task.name, None, f"{spec} is both public and held back", "keep one of the two"))
        findings += _ladder_findings(task, hidden)
        if not public:
            findings.append(Finding(task.name, None, "no public metric", "add metrics or a suite"))
        content = content_hash(own)
        since = task.since if task.sha256 == content and task.since else manifest.version
        salt = (task.held_back_salt or token_hex(16)) if hidden else ""
        digest, complete = _card(manifest, task, base, findings)
        tasks.append(
            msgspec.structs.replace(
                task, items=len(own), sha256=content, card_sha256=digest, card_complete=complete,
                signatures=public, held_back_signatures=hidden,
                held_back_digest=digest_of(salt, hidden) if hidden else "", held_back_salt=salt, since=since,
            )
        )  # fmt: skip
    if not manifest.tasks:
        findings.append(Finding("", None, "no tasks", "add one with `assay benchmark add`"))
    if any(finding.is_error for finding in findings):
        return FreezeResult(manifest, findings, examples)
    return FreezeResult(sealed(msgspec.structs.replace(manifest, tasks=tasks)), findings, examples)


def _ladder_findings(task: Task, hidden: Mapping[str, str]) -> list[Finding]:
    """Return what is wrong with the ladder: only held-back scores have one, since all others are shown."""
    findings = [
        Finding(task.name, None, f"ladder of {name}: not held back", f'add "{name}" to held_back')
        for name in task.ladder
        if name not in hidden
    ]
    return findings + [
        Finding(task.name, None, f"ladder of {name}: the step is {step:g}", "give a step above 0, e.g. 0.5")
        for name, step in task.ladder.items()
        if not 0 < step < float("inf")
    ]


def _public_metrics(task: Task) -> list[str]:
    if task.suite is None:
        return task.metrics
    if task.suite not in SUITES:
        raise AssayError(f"task {task.name}: no suite {task.suite}. Choose one of: {', '.join(SUITES)}")
    return [spec.removesuffix("?") for spec in SUITES[task.suite]]


def _signatures(task: Task, specs: Sequence[str], items: Items, findings: list[Finding]) -> dict[str, str]:
    """Return the signature on these items by metric."""
    signatures = {}
    references = count_references(items)
    for spec in specs:
        metric = resolve([spec])[0].metric
        why = reason_to_skip(metric, items)
        if why and task.suite is None:
            remedy = "add what it requires, or choose another metric"
            findings.append(Finding(task.name, None, f"{spec} cannot be computed: {why}", remedy))
        elif why:
            problem = f"{spec} of the suite cannot be computed: {why}"
            findings.append(Finding(task.name, None, problem, "it is left out of this version", is_error=False))
        else:
            signatures[spec] = metric.signature(references)
    return signatures


def _card(manifest: BenchmarkManifest, task: Task, base: Path, findings: list[Finding]) -> tuple[str, float]:
    name = task.card or (manifest.task(task.parent).card if task.parent else "")
    remedy = "write one with `assay benchmark card new --template gem`, then fill and check it"
    if not name:
        findings.append(Finding(task.name, None, "no data card", remedy))
        return "", 0.0
    try:
        check = check_card(read_card(base / name))
    except AssayError as error:
        findings.append(Finding(task.name, None, str(error).removesuffix("."), remedy))
        return "", 0.0
    if check.template not in DATA_CARDS:
        findings.append(Finding(task.name, None, f"{name} is not a data card ({check.template})", remedy))
    complete = round(100 * check.complete, 1)
    if complete < manifest.cards_at_least:
        missing = ", ".join(dict.fromkeys(each.section for each in check.findings if each.is_error))
        problem = f"its card is {complete:g} % complete; required: {manifest.cards_at_least:g} %"
        findings.append(Finding(task.name, None, problem, f"write: {missing[:200]}"))
    return FileDigest.of(base / name).sha256, complete


def changes_since_freeze(frozen: BenchmarkManifest, base: Path) -> tuple[list[Finding], dict[str, list[Example]]]:
    """Return what changed since the manifest was frozen, and the current items."""
    draft = msgspec.structs.replace(frozen, digest="")
    now = freeze(draft, base)
    if not now.valid:
        return now.findings, now.examples
    current = {task.name: task for task in now.manifest.tasks}
    return [finding for task in frozen.tasks for finding in _changed(task, current[task.name])], now.examples


def _changed(then: Task, now: Task) -> Iterator[Finding]:
    if then.sha256 != now.sha256:
        problem = (
            f"items changed (frozen: {then.items:,}, sha256 {then.sha256[:12]}; now: {now.items:,}, "
            f"sha256 {now.sha256[:12]})"
        )
        yield Finding(then.name, None, problem, "restore them, or create a new version")
    if then.card_sha256 != now.card_sha256:
        remedy = "scores remain valid; the next version freezes the new card"
        yield Finding(then.name, None, "data card changed", remedy, is_error=False)
    pairs: tuple[tuple[Mapping[str, str], Mapping[str, str]], ...] = (
        (then.signatures, now.signatures),
        (then.held_back_signatures, now.held_back_signatures),
    )
    for before, after in pairs:
        for spec, signature in before.items():
            if after.get(spec) != signature:
                problem = f"signature of {spec} changed (frozen: {signature}; now: {after.get(spec, 'not computable')})"
                yield Finding(then.name, None, problem, "use the assay version it was frozen with, or a new version")


def frozen_examples(path: Path) -> tuple[BenchmarkManifest, dict[str, ExampleFile]]:
    """Read a frozen manifest and the items of its tasks.

    In a submission store, the items are next to the manifest, wherever they came from.

    Raises:
        AssayError: The manifest is not frozen, or the items differ from the frozen ones.
    """
    manifest = read_manifest(path, frozen=True)
    stored = {task.name: path.parent / STORED / task.name / EXAMPLES for task in manifest.tasks}
    if manifest.tasks and all(file.is_file() for file in stored.values()):
        examples = {name: list(read_examples(file).records) for name, file in stored.items()}
    else:
        examples = task_examples(manifest, path.parent)
    for task in manifest.tasks:
        if content_hash(examples[task.name]) != task.sha256:
            raise AssayError(
                f"{path}: task {task.name}: items differ from the frozen ones ({task.items:,} items, sha256 "
                f"{task.sha256[:12]}). Restore them, or create a new version."
            )
    return manifest, {name: ExampleFile(items, True, name) for name, items in examples.items()}


def require_same_metrics(manifest: BenchmarkManifest, examples: Mapping[str, ExampleFile]) -> None:
    """Raise AssayError unless every metric has the signature it was frozen with."""
    for task in manifest.tasks:
        own = examples[task.name].examples
        references = count_references(Items(("",) * len(own), tuple(own)))
        for spec, signature in {**task.signatures, **task.held_back_signatures}.items():
            now = resolve([spec])[0].metric.signature(references)
            if now != signature:
                raise AssayError(
                    f"{manifest.title}: task {task.name}: signature of {spec} changed (frozen: {signature}; now: "
                    f"{now}). Use the assay version it was frozen with, or create a new benchmark version."
                )
