"""What comes before the tasks: lessons of a tutorial, a qualification test, and a reading test for each article."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.records.files import read_text
from assay.seeds import rng_for
from assay.studies.design import Design
from assay.studies.events import Task
from assay.studies.kinds import kind_for, kinds_with
from assay.studies.server.material import Lesson, Material, Reading
from assay.studies.server.screens import Screen, article_of
from assay.studies.traps import reading_question
from assay.text.mentions import mentions


def asked_in(design: Design, lesson: Lesson) -> Screen:
    """The screen of a lesson: one question about one text."""
    names = [question.criterion for question in design.questions]
    return Screen((names.index(lesson.criterion) if lesson.criterion else 0,), 0)


def read_lessons(path: Path, design: Design) -> tuple[Lesson, ...]:
    """Lessons, one JSON object a line: part, text, expected, and why, source and criterion where there are such."""
    found = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            lesson = msgspec.json.decode(line, type=Lesson)
        except msgspec.DecodeError as error:
            raise AssayError(f"{path}:{number}: not a lesson ({error}); it has part, text and expected") from None
        question = design.question(lesson.criterion) if lesson.criterion else design.questions[0]
        kind = kind_for(question)
        if not kind.has_right_answer:
            raise AssayError(
                f"{path}:{number}: '{question.criterion}' ({question.kind}) has no one right answer; "
                f"lessons can ask {', '.join(kinds_with('has_right_answer'))}"
            )
        if why := kind.expected_problem(lesson.expected):
            raise AssayError(f"{path}:{number}: expected {why}")
        found.append(lesson)
    return tuple(found)


def check_material(design: Design, material: Material) -> None:
    """A design that promises a tutorial or a test has one."""
    quality = design.quality
    for part, wanted in (("tutorial", quality.tutorial), ("qualification", quality.qualification is not None)):
        if wanted and not material.part(part):  # type: ignore[arg-type]
            raise AssayError(
                f"design {design.name}: it has a {part}, and there is no lesson for it; give some with --lessons FILE "
                f'({{"part": "{part}", "text": ..., "expected": ..., "why": ...}} a line), or take quality.{part} out'
            )


def make_readings(
    tasks: Iterable[Task], seed: object, known: Mapping[str, Reading] | None = None
) -> dict[str, Reading]:
    """For each article its two most frequent names and one that only other articles have; none where there are too
    few names."""
    sources = {task.id: article_of(task) for task in tasks}
    counts = {id: names_in(source) for id, source in sources.items()}
    frequent = {id: [name for name, _ in own.most_common(2)] for id, own in counts.items()}
    made = dict(known or {})
    for id, own in counts.items():
        elsewhere = {name for other, names in frequent.items() if other != id for name in names}
        others = sorted(name for name in elsewhere if name.lower() not in sources[id].lower())
        if id not in made and len(own) > 1 and others:
            foreign = rng_for(seed, "foreign", id).choice(others)
            made[id] = Reading(tuple(reading_question(own, foreign, f"{seed} {id}")), foreign)
    return made


def names_in(source: str) -> Counter[str]:
    """Names of a text as they are written there, and how often."""
    found: Counter[str] = Counter()
    for name in mentions(source).entities:
        written = re.findall(rf"\b{re.escape(name)}\b", source, re.IGNORECASE)
        if written:
            found[written[0]] = len(written)
    return found
