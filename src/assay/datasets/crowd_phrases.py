"""Crowd answers for groups of entities: from the raw table to gold phrases, with counts of each filter step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from assay.datasets.record import Record, Report
from assay.datasets.tables import table_rows
from assay.datasets.tesa_phrases import annotation, gold, normalise
from assay.errors import AssayError
from assay.records.inputs import read_input
from assay.records.kinds import Entities
from assay.records.types import Example, Judgement
from assay.stats.interval import clustered_wilson_interval
from assay.stats.validation import group_codes

COLUMNS = (
    "Input.id_", "WorkerId", "WorkTimeInSeconds", "Answer.utterance_1", "Answer.utterance_2",
    "Answer.box_impossible.on",
)  # fmt: skip
TICKED = frozenset(("true", "1", "on", "yes"))
"""A missing value means that the box is not ticked, although NaN is true as a number."""


@dataclass(frozen=True)
class CrowdAnswer:
    """Answer of one annotator for one group."""

    instance: str
    worker: str
    seconds: float | None
    answers: tuple[str, ...]
    impossible: bool

    def phrases(self, extended: bool = False) -> list[str]:
        return annotation(self.answers, self.impossible, extended)


@dataclass
class Gathered:
    """Instances with their gold phrases, and counts of the filter steps."""

    examples: list[Example]
    funnel: dict[str, int]
    workers: Counter[str] = field(default_factory=Counter)
    discarded: list[str] = field(default_factory=list)
    """Answers discarded by the rules of the task."""


def read_crowd(path: Path) -> list[CrowdAnswer]:
    """Read the rows of a crowd platform's table."""
    return list(Report("crowd").checked(table_rows(path, COLUMNS), lambda record: [_answer(record)]))


def _answer(record: Record) -> CrowdAnswer:
    seconds = record.text("WorkTimeInSeconds", empty=True).strip()
    if seconds and not seconds.replace(".", "", 1).isdigit():
        raise record.bad("WorkTimeInSeconds", f"is not a number: {seconds[:20]!r}")
    utterances = (record.text(f"Answer.utterance_{i}", empty=True).strip() for i in (1, 2))
    return CrowdAnswer(
        record.text("Input.id_"), record.text("WorkerId"), float(seconds) if seconds else None,
        tuple(text for text in utterances if text and text.lower() != "nan"),
        record.text("Answer.box_impossible.on", empty=True).strip().lower() in TICKED,
    )  # fmt: skip


def of_judgements(judgements: Iterable[Judgement]) -> list[CrowdAnswer]:
    """Return the answers of a study with free texts; an annotator without a phrase for an instance is not in them."""
    phrases: dict[tuple[str, str], list[str]] = {}
    for one in judgements:
        phrases.setdefault((one.id, one.annotator), []).append(str(one.value))
    return [CrowdAnswer(id, who, None, tuple(texts), False) for (id, who), texts in phrases.items()]


@dataclass(frozen=True)
class Ceiling:
    """How often an annotator agrees with the others, leaving each out in turn."""

    answers: int
    """Answers with a phrase, to instances that another annotator named, too."""
    hits: int
    """Those whose first phrase another annotator gave."""
    phrases: int
    shared: int
    """Phrases that another annotator gave, of all."""
    low: float
    """Confidence interval of the share of hits, by instance: its annotators agree with each other."""
    high: float


def human_ceiling(answers: Sequence[CrowdAnswer], extended: bool = False) -> dict[str, Ceiling]:
    """Return the agreement of each annotator with the union of the others; `all` pools them."""
    by_instance: dict[str, list[CrowdAnswer]] = {}
    for answer in answers:
        by_instance.setdefault(answer.instance, []).append(answer)
    rows: dict[str, list[tuple[int, int, int, int]]] = {}
    for instance, own in enumerate(by_instance.values()):
        for answer in own:
            mine = answer.phrases(extended)
            others = {phrase for other in own if other.worker != answer.worker for phrase in other.phrases(extended)}
            if mine and others:
                row = (instance, int(mine[0] in others), len(mine), sum(phrase in others for phrase in mine))
                for name in (answer.worker, "all"):
                    rows.setdefault(name, []).append(row)
    return {name: _ceiling(rows[name]) for name in sorted(rows, key=lambda name: name == "all")}


def _ceiling(rows: Sequence[tuple[int, int, int, int]]) -> Ceiling:
    instance, hits, phrases, shared = np.array(rows).T
    low, high = clustered_wilson_interval(hits.astype(np.float64), group_codes(instance))
    return Ceiling(len(rows), int(hits.sum()), int(phrases.sum()), int(shared.sum()), low, high)


def gather(
    answers: Sequence[CrowdAnswer], instances: Iterable[Example], *, assignments: int = 5, annotators: int = 2,
    extended: bool = False,
) -> Gathered:  # fmt: skip
    """Return gold phrases by the published rules: workers with fewer than `assignments` answers are excluded first,
    then instances with phrases from fewer than `annotators` annotators."""
    workers = Counter(answer.worker for answer in answers)
    kept = [answer for answer in answers if workers[answer.worker] >= assignments]
    by_instance: dict[str, list[CrowdAnswer]] = {}
    for answer in kept:
        by_instance.setdefault(answer.instance, []).append(answer)
    known = {example.id: example for example in instances}
    unknown = next((id for id in by_instance if id not in known), None)
    if unknown is not None:
        raise AssayError(f"id {unknown}: has answers but no instance; pass the instances shown to annotators")
    examples = []
    for id, own in by_instance.items():
        plural = read_input(known[id], Entities).plural.lower()  # a phrase that only repeats the question says nothing
        named = [[phrase for phrase in answer.phrases(extended) if phrase != plural] for answer in own]
        phrases = gold(named, annotators)
        if phrases:
            tags = {**known[id].tags, "gold": str(len(phrases)), "annotators": str(len(own))}
            examples.append(msgspec.structs.replace(known[id], references=tuple(phrases), tags=tags))
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
    """Return, for each split except training, the number of instances without an entity of training, and of all."""
    known = {name for one in examples if one.split == "train" for name in read_input(one, Entities).entities}
    counts: dict[str, tuple[int, int]] = {}
    for split in dict.fromkeys(one.split or "all" for one in examples if one.split != "train"):
        own = [one for one in examples if (one.split or "all") == split]
        new = sum(not known & set(read_input(one, Entities).entities) for one in own)
        counts[split] = (new, len(own))
    return counts
