"""Validation of a submission: every finding names the task, the item and the remedy."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.benchmark.cards.card import parse_card
from assay.benchmark.cards.check import check_card
from assay.benchmark.cards.template import template
from assay.benchmark.submission import Finding, Submission, TaskOutputs
from assay.datasets.overlap import normalised
from assay.errors import AssayError
from assay.metrics.checks.linter import lint_damage
from assay.records.gem_ids import published_ids
from assay.records.items import Items
from assay.records.join import join
from assay.records.read import ExampleFile, OutputFile
from assay.specs import did_you_mean

LEAKED = 0.9
"""Share of outputs equal to a reference above which the references are considered leaked."""
LEAKED_FROM = 20
"""Minimum number of items for that check."""
REQUIRED = ("use", "measuring", "model", "dataset", "evaluation")
"""Sections of the model card that are required; missing others are warnings."""
SHOWN = 10
"""Maximum number of findings of one kind per task."""
LONGEST_ID = 100
MOVED = (
    "GEM counts one row per reference for E2E and Czech Restaurant (4,693 in E2E's test set), and inputs in files of "
    "February 2021 (1,847): use the examples that the outputs were generated for"
)


@dataclass(frozen=True)
class Validation:
    """The result of validating a submission."""

    findings: list[Finding]
    items: dict[str, Items]
    """Items that can be scored, by task."""

    @property
    def valid(self) -> bool:
        """Whether there are no errors; warnings are allowed."""
        return not any(finding.is_error for finding in self.findings)


def validate(submission: Submission, tasks: Mapping[str, ExampleFile], card: str | None = None) -> Validation:
    """Validate a submission against the tasks of a benchmark.

    Args:
        submission: The submission.
        tasks: Examples of each task. If empty, only the format is checked.
        card: The model card as Markdown (default: the one in the submission). A missing card is an error.
    """
    findings = list(submission.findings)
    items: dict[str, Items] = {}
    for outputs in submission.tasks.values():
        findings += _about_texts(outputs)
        if tasks and outputs.task not in tasks:
            near = did_you_mean(outputs.task, list(tasks)) or f"; tasks: {', '.join(list(tasks)[:SHOWN])}"
            findings.append(Finding(outputs.task, None, "unknown task", f"use a task of the benchmark{near}"))
        elif tasks:
            joined = _joined(submission, outputs, tasks[outputs.task], findings)
            if joined:
                items[outputs.task] = joined
                findings += _about_items(outputs.task, joined)
    findings += _about_card(submission.card if card is None else card)
    return Validation(findings, items)


def _about_texts(outputs: TaskOutputs) -> Iterator[Finding]:
    names = outputs.keys or [f"value {place}" for place in range(1, len(outputs.texts) + 1)]
    if not outputs.texts:
        yield Finding(outputs.task, None, "no outputs", "remove the task, or add its outputs")
    duplicates = [id for id, count in Counter(outputs.keys or ()).items() if count > 1]
    for id in duplicates[:SHOWN]:
        yield Finding(outputs.task, _short(id), "duplicate id", "keep one output per item")
    empty = [name for name, text in zip(names, outputs.texts, strict=True) if not _is_visible(text)]
    for name in empty[:SHOWN]:
        yield Finding(outputs.task, _short(name), "output is empty", "submit the output of the system for this item")
    if len(empty) > SHOWN:
        yield Finding(outputs.task, None, f"{len(empty)} outputs are empty", "check how the file was written")


def _joined(
    submission: Submission, outputs: TaskOutputs, examples: ExampleFile, findings: list[Finding]
) -> Items | None:
    n, own = len(examples.records), len(outputs.texts)
    keys = outputs.keys
    if keys is not None and len(set(keys)) < len(keys):
        return None  # reported above
    if keys is None and own != n:
        remedy = f"add keys, or all outputs. {MOVED}"
        findings.append(Finding(outputs.task, None, f"{own:,} outputs for {n:,} items", remedy))
        return None
    file = OutputFile(
        keys or [str(place) for place in range(1, own + 1)], outputs.texts, None, keys is not None, outputs.task,
        submission.name,
    )  # fmt: skip
    try:
        return join(file, examples)
    except AssayError as error:
        findings += _mismatched_ids(outputs, examples) or [
            Finding(outputs.task, None, str(error).removesuffix("."), MOVED)
        ]
        return None


def _mismatched_ids(outputs: TaskOutputs, examples: ExampleFile) -> list[Finding]:
    """Return findings for ids without an item and for items without an output; none if the error says more."""
    keys = outputs.keys or []
    try:
        meant = published_ids(keys, examples.records, (outputs.task, examples.name))
    except AssayError:  # GEM ids beyond the number of items
        return []
    ids = [meant.get(id, id) for id in keys]
    if len(set(ids)) < len(ids):  # an item under both of its ids
        return []
    known, answered = set(examples.ids), set(ids)
    unknown = [id for id in ids if id not in known]
    missing = [id for id in examples.ids if id not in answered]
    if len(unknown) == len(ids):  # ids of another dataset
        return []
    findings = [
        Finding(outputs.task, _short(id), "id is not an item of the task", "correct the id") for id in unknown[:SHOWN]
    ]
    findings += [
        Finding(outputs.task, id, "item has no output", "submit an output for every item of a task")
        for id in missing[:SHOWN]
    ]
    more = len(unknown) + len(missing) - len(findings)
    if more > 0:
        findings.append(Finding(outputs.task, None, f"{more:,} more unknown or missing ids", MOVED))
    return findings


def _short(id: str) -> str:
    return id if len(id) <= LONGEST_ID else f"{id[:LONGEST_ID]}…"


def _is_visible(text: str) -> bool:
    """Return whether a text contains more than white space and control characters."""
    return any(unicodedata.category(letter)[0] not in "CZ" for letter in text)


def _about_items(task: str, items: Items) -> Iterator[Finding]:
    """Yield findings for leaked references and damaged outputs."""
    pairs = zip(items.ids, items.outputs, items.references, strict=True)
    equal = [id for id, text, references in pairs if (own := normalised(text)) and own in map(normalised, references)]
    if len(items) >= LEAKED_FROM and len(equal) >= LEAKED * len(items):
        share = f"{len(equal):,} of {len(items):,} outputs equal a reference (ignoring case, punctuation and spaces)"
        yield Finding(task, equal[0], share, "submit the outputs of the system, not the references")
    for sign in lint_damage(items):
        yield Finding(task, None, sign, "check these outputs before they are published", is_error=False)


def _about_card(text: str) -> Iterator[Finding]:
    form = template("model")
    remedy = 'write one (`assay benchmark card new --template model`), then use --card or "model_card"'
    if not text.strip():
        yield Finding("", None, "no model card", remedy)
        return
    try:
        check = check_card(parse_card(text, "model card"), form)
    except AssayError as error:
        yield Finding("", None, str(error).removesuffix("."), "correct the card")
        return
    for finding in check.findings:
        is_error = finding.is_error and finding.key in REQUIRED
        yield Finding("", None, f"model card, {finding.section}: {finding.problem}", finding.remedy, is_error)
