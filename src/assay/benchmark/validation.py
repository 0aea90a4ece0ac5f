"""Whether a submission can be taken: every finding names the task, the item and the remedy."""

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
"""So large a share of outputs equal to a reference was not written by a system; of at least this many items."""
LEAKED_FROM = 20
REQUIRED = ("use", "measuring", "model", "dataset", "evaluation")
"""Answers of the model card without which nothing is published; the others are asked for."""
SHOWN = 10
LONGEST_ID = 100
MOVED = (
    "GEM counts a row for each reference of E2E and Czech Restaurant (4,693 in E2E's test set) and, in files of "
    "February 2021, inputs (1,847): use the examples that the outputs were made for"
)


@dataclass(frozen=True)
class Validated:
    findings: list[Finding]
    items: dict[str, Items]
    """By task, what can be scored."""

    @property
    def valid(self) -> bool:
        return not any(finding.grave for finding in self.findings)


def validate(submission: Submission, tasks: Mapping[str, ExampleFile], card: str | None = None) -> Validated:
    """`tasks`: the examples of each task there is. Without any only the form is looked at.

    `card` is the model card; without it the one in the submission counts. None, and none there, is a finding.
    """
    found = list(submission.findings)
    items: dict[str, Items] = {}
    for answers in submission.answers.values():
        found += _about_texts(answers)
        if tasks and answers.task not in tasks:
            near = did_you_mean(answers.task, list(tasks)) or f"; there is {', '.join(list(tasks)[:SHOWN])}"
            found.append(Finding(answers.task, None, "no such task", f"name a task of the benchmark{near}"))
        elif tasks:
            joined = _joined(submission, answers, tasks[answers.task], found)
            if joined:
                items[answers.task] = joined
                found += _about_items(answers.task, joined)
    found += _about_card(submission.card if card is None else card)
    return Validated(found, items)


def _about_texts(answers: TaskOutputs) -> Iterator[Finding]:
    names = answers.keys or [f"value {place}" for place in range(1, len(answers.texts) + 1)]
    if not answers.texts:
        yield Finding(answers.task, None, "no outputs", "leave the task out, or answer it")
    twice = [id for id, count in Counter(answers.keys or ()).items() if count > 1]
    for id in twice[:SHOWN]:
        yield Finding(answers.task, _short(id), "stands more than once", "keep one output for each item")
    empty = [name for name, text in zip(names, answers.texts, strict=True) if not _shows(text)]
    for name in empty[:SHOWN]:
        yield Finding(
            answers.task, _short(name), "is empty", "an output that is missing scores 0; say what the system said"
        )
    if len(empty) > SHOWN:
        yield Finding(answers.task, None, f"{len(empty)} outputs are empty", "look for what went wrong on the way")


def _joined(submission: Submission, answers: TaskOutputs, examples: ExampleFile, found: list[Finding]) -> Items | None:
    n, own = len(examples.records), len(answers.texts)
    keys = answers.keys
    if keys is not None and len(set(keys)) < len(keys):
        return None  # said already
    if keys is None and own != n:
        found.append(Finding(answers.task, None, f"{own:,} outputs for {n:,} items", f"give keys, or all. {MOVED}"))
        return None
    file = OutputFile(
        keys or [str(place) for place in range(1, own + 1)], answers.texts, None, keys is not None, answers.task,
        submission.name,
    )  # fmt: skip
    try:
        return join(file, examples)
    except AssayError as error:
        found += _unknown(answers, examples) or [Finding(answers.task, None, str(error), MOVED)]
        return None


def _unknown(answers: TaskOutputs, examples: ExampleFile) -> list[Finding]:
    """The ids that are of no item, and those that nobody answered, each by its name."""
    keys = answers.keys or []
    try:
        meant = published_ids(keys, examples.records, (answers.task, examples.name))
    except AssayError:  # beyond the items, as the error says
        return []
    given = [meant.get(id, id) for id in keys]
    if len(set(given)) < len(given):  # by both of its ids, as the error says
        return []
    known, answered = set(examples.ids), set(given)
    strange = [id for id in given if id not in known]
    missing = [id for id in examples.ids if id not in answered]
    if len(strange) == len(given):  # of another set altogether, as the error says
        return []
    found = [Finding(answers.task, _short(id), "is no item of the task", "correct the id") for id in strange[:SHOWN]]
    found += [Finding(answers.task, id, "has no output", "answer every item of a task") for id in missing[:SHOWN]]
    more = len(strange) + len(missing) - len(found)
    if more > 0:
        found.append(Finding(answers.task, None, f"{more:,} more such ids", MOVED))
    return found


def _short(id: str) -> str:
    return id if len(id) <= LONGEST_ID else f"{id[:LONGEST_ID]}…"


def _shows(text: str) -> bool:
    """Whether there is anything to see: blanks of any width and marks that only steer are not."""
    return any(unicodedata.category(letter)[0] not in "CZ" for letter in text)


def _about_items(task: str, items: Items) -> Iterator[Finding]:
    """Answers that cannot be a system's own, and signs of damage."""
    pairs = zip(items.ids, items.outputs, items.references, strict=True)
    equal = [id for id, text, references in pairs if (own := normalised(text)) and own in map(normalised, references)]
    if len(items) >= LEAKED_FROM and len(equal) >= LEAKED * len(items):
        share = f"{len(equal):,} of {len(items):,} outputs equal a reference (but for case, marks and blanks)"
        yield Finding(task, equal[0], share, "send what the system said, not the references")
    for sign in lint_damage(items):
        yield Finding(task, None, sign, "look at these outputs before they are published", grave=False)


def _about_card(text: str) -> Iterator[Finding]:
    form = template("model")
    remedy = 'write one (`assay benchmark card new --template model`) and give it with --card, or as "model_card"'
    if not text.strip():
        yield Finding("", None, "no model card", remedy)
        return
    try:
        checked = check_card(parse_card(text, "model card"), form)
    except AssayError as error:
        yield Finding("", None, str(error), "mend the card")
        return
    for finding in checked.findings:
        grave = finding.grave and finding.key in REQUIRED
        yield Finding("", None, f"model card, {finding.section}: {finding.problem}", finding.remedy, grave)
