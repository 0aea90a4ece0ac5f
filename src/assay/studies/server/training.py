"""Training items for the tutorial and the qualification test, and reading tests for articles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.records.files import read_text
from assay.seeds import rng_for
from assay.studies.design import Design, typology_of
from assay.studies.events import Task
from assay.studies.kinds import kind_for, kinds_with
from assay.studies.lessons import lesson_records
from assay.studies.server.materials import Materials, ReadingTest, TrainingItem
from assay.studies.server.screens import Screen, article_of
from assay.studies.traps import reading_question
from assay.text.mentions import mentions

MOST_DRAWN = 100
"""Names of other articles that are tried for a reading test."""


def screen_of(design: Design, item: TrainingItem) -> Screen:
    """Return the screen of a training item: one question about one text."""
    names = [question.criterion for question in design.questions]
    return Screen((names.index(item.criterion) if item.criterion else 0,), 0)


def read_training_items(path: Path, design: Design) -> tuple[TrainingItem, ...]:
    """Read training items, one JSON object per line: part, text, expected, and optionally why, source, criterion."""
    items = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            item = msgspec.json.decode(line, type=TrainingItem)
        except msgspec.DecodeError as error:
            raise AssayError(
                f"{path}:{number}: not a training item ({error}); part, text and expected are required"
            ) from None
        question = design.question(item.criterion) if item.criterion else design.questions[0]
        kind = kind_for(question)
        if not kind.has_right_answer:
            raise AssayError(
                f"{path}:{number}: '{question.criterion}' ({question.kind}) has no single correct answer; "
                f"training items need {', '.join(kinds_with('has_right_answer'))}"
            )
        if why := kind.expected_problem(item.expected):
            raise AssayError(f"{path}:{number}: expected: {why}")
        items.append(item)
    return tuple(items)


def shipped_items(design: Design, where: object) -> tuple[TrainingItem, ...]:
    """Return the training items of the design's typology, if it has a tutorial or a qualification test."""
    known = typology_of(design, where)
    if known is None or not (design.quality.tutorial or design.quality.qualification is not None):
        return ()
    criterion = next(question.criterion for question in design.questions if question.typology)
    return tuple(msgspec.convert(each, TrainingItem) for each in lesson_records(known, criterion))


def check_materials(design: Design, materials: Materials) -> None:
    """Refuse a design with a tutorial or a qualification test for which there are no training items."""
    quality = design.quality
    for part, required in (("tutorial", quality.tutorial), ("qualification", quality.qualification is not None)):
        if required and not materials.part(part):  # type: ignore[arg-type]
            raise AssayError(
                f"design {design.name}: no training items for the {part}; add lines such as "
                f'{{"part": "{part}", "text": ..., "expected": ..., "why": ...}} with --lessons FILE, '
                f"or remove quality.{part}"
            )


def make_reading_tests(
    tasks: Iterable[Task], seed: object, known: Mapping[str, ReadingTest] | None = None,
    names: Mapping[str, Mapping[str, int]] | None = None,
) -> dict[str, ReadingTest]:  # fmt: skip
    """Return a reading test for each article: its two most frequent names, and one that only other articles have.

    Articles with too few names have none.

    Args:
        tasks: All tasks of the study.
        seed: Seed of the design.
        known: Tests that are kept.
        names: Names with their counts of articles that were counted before.
    """
    tests = dict(known or {})
    new = {task.id: article_of(task) for task in tasks if task.id not in tests}
    counted = names or {}
    counts = {id: Counter(counted[id]) if id in counted else names_in(source) for id, source in new.items()}
    elsewhere = {name for test in tests.values() for name in test.names}
    elsewhere |= {name for own in counts.values() for name, _ in own.most_common(2)}
    pool = sorted(elsewhere)
    for id, own in counts.items():
        article = new[id].lower()
        drawn = rng_for(seed, "foreign", id)
        # Few at random: going through all names for all articles would take the square of their number.
        candidates = drawn.sample(pool, min(MOST_DRAWN, len(pool)))
        foreign = next((name for name in candidates if name.lower() not in article), None)
        if len(own) > 1 and foreign is not None:
            tests[id] = ReadingTest(tuple(reading_question(own, foreign, f"{seed} {id}")), foreign)
    return tests


def names_in(source: str) -> Counter[str]:
    """Return the names in a text as written there, with their counts."""
    counts: Counter[str] = Counter()
    for name in mentions(source).entities:
        written = re.findall(rf"\b{re.escape(name)}\b", source, re.IGNORECASE)
        if written:
            counts[written[0]] = len(written)
    return counts
