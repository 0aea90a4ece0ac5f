"""Crowd answers for groups of entities: from the raw table to gold phrases, with what was left out at every step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from assay.datasets.record import Record, Report
from assay.datasets.tables import table_rows
from assay.datasets.tesa_phrases import annotation, gold, normalise
from assay.errors import AssayError
from assay.records.inputs import read_input
from assay.records.kinds import Entities
from assay.records.types import Example

COLUMNS = (
    "Input.id_", "WorkerId", "WorkTimeInSeconds", "Answer.utterance_1", "Answer.utterance_2",
    "Answer.box_impossible.on",
)  # fmt: skip
TICKED = frozenset(("true", "1", "on", "yes"))
"""A missing value is no tick, though a program that reads it as a number may take it for one."""


@dataclass(frozen=True)
class CrowdAnswer:
    """What one person said of one group."""

    instance: str
    worker: str
    seconds: float | None
    answers: tuple[str, ...]
    impossible: bool

    def phrases(self, extended: bool = False) -> list[str]:
        return annotation(self.answers, self.impossible, extended)


@dataclass
class Gathered:
    """Instances with their gold phrases, and how they came to be."""

    examples: list[Example]
    funnel: dict[str, int]
    workers: Counter[str] = field(default_factory=Counter)
    discarded: list[str] = field(default_factory=list)
    """Answers that the rules of the task discard."""


def read_crowd(path: Path) -> list[CrowdAnswer]:
    """The rows of a crowd platform's table."""
    return list(Report("crowd").checked(table_rows(path, COLUMNS), lambda record: [_answer(record)]))


def _answer(record: Record) -> CrowdAnswer:
    seconds = record.text("WorkTimeInSeconds", empty=True).strip()
    if seconds and not seconds.replace(".", "", 1).isdigit():
        raise record.bad("WorkTimeInSeconds", f"is no number: {seconds[:20]!r}")
    given = (record.text(f"Answer.utterance_{i}", empty=True).strip() for i in (1, 2))
    return CrowdAnswer(
        record.text("Input.id_"), record.text("WorkerId"), float(seconds) if seconds else None,
        tuple(text for text in given if text and text.lower() != "nan"),
        record.text("Answer.box_impossible.on", empty=True).strip().lower() in TICKED,
    )  # fmt: skip


def gather(
    answers: Sequence[CrowdAnswer], instances: Iterable[Example], *, assignments: int = 5, annotators: int = 2,
    extended: bool = False,
) -> Gathered:  # fmt: skip
    """Gold phrases by the published rules: workers with fewer than `assignments` answers are left out first, then
    instances for which fewer than `annotators` people found a phrase."""
    workers = Counter(answer.worker for answer in answers)
    kept = [answer for answer in answers if workers[answer.worker] >= assignments]
    by_instance: dict[str, list[CrowdAnswer]] = {}
    for answer in kept:
        by_instance.setdefault(answer.instance, []).append(answer)
    given = {example.id: example for example in instances}
    unknown = next((id for id in by_instance if id not in given), None)
    if unknown is not None:
        raise AssayError(f"id {unknown}: has answers and is no instance; give the instances that people were shown")
    examples = []
    for id, own in by_instance.items():
        found = gold([answer.phrases(extended) for answer in own], annotators)
        if found:
            tags = {**given[id].tags, "gold": str(len(found)), "annotators": str(len(own))}
            examples.append(msgspec.structs.replace(given[id], references=tuple(found), tags=tags))
    counted = {example.id for example in examples}
    final = [answer for answer in kept if answer.instance in counted]
    funnel = {
        "records": len(answers),
        "records that name a phrase": sum(bool(answer.phrases(extended)) for answer in answers),
        "workers": len(workers),
        "workers kept": sum(count >= assignments for count in workers.values()),
        "records of kept workers": len(kept),
        "instances with answers": len({answer.instance for answer in answers}),
        "instances kept": len(examples),
        "records of kept instances that name a phrase": sum(bool(answer.phrases(extended)) for answer in final),
        "phrases": sum(len(answer.phrases(extended)) for answer in final),
        "different phrases": len({phrase for example in examples for phrase in example.references}),
        "instances with a phrase given twice": sum(_twice(by_instance[id], extended) for id in counted),
    }
    lost = [
        text for answer in kept if not answer.impossible for text in answer.answers if not normalise(text, extended)
    ]
    return Gathered(examples, funnel, workers, lost)


def _twice(answers: Sequence[CrowdAnswer], extended: bool) -> bool:
    counts = Counter(phrase for answer in answers for phrase in answer.phrases(extended))
    return max(counts.values(), default=0) > 1


def unseen(examples: Sequence[Example]) -> dict[str, tuple[int, int]]:
    """By split but training: instances none of whose entities stands in a training instance, and all of them."""
    known = {name for one in examples if one.split == "train" for name in read_input(one, Entities).entities}
    found: dict[str, tuple[int, int]] = {}
    for split in dict.fromkeys(one.split or "all" for one in examples if one.split != "train"):
        own = [one for one in examples if (one.split or "all") == split]
        new = sum(not known & set(read_input(one, Entities).entities) for one in own)
        found[split] = (new, len(own))
    return found
