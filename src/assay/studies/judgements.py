"""A study's answers as judgements: systems named again, people hashed, blocked people's work apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.records import Judgement, digest_of
from assay.studies.kinds import kind_for

if TYPE_CHECKING:
    from assay.studies.state import Assignment
    from assay.studies.study import Study

HASHED = 10
"""Letters of a hashed name."""


def hashed(study: Study, annotator: str) -> str:
    """The same person under the same name throughout a study, and under another in any other study."""
    return f"p-{digest_of(study.salt, annotator)[:HASHED]}"


def study_judgements(study: Study, apart: bool = False, pilot: bool = False) -> Iterator[Judgement]:
    """What was said and counts; `apart` gives what blocked people said instead, `pilot` what was said in the pilot."""
    for assignment in study.assignments.values():
        blocked = bool(study.people[assignment.annotator].blocked) and not study.design.quality.keep_blocked_work
        if assignment.done and assignment.pilot == pilot and blocked == apart:
            yield from _judged(study, assignment)


def _judged(study: Study, assignment: Assignment) -> Iterator[Judgement]:
    texts = study.tasks[assignment.task].texts
    place = {number: position for position, number in enumerate(study.layout(assignment), 1)}
    beside = {number: position for position, number in enumerate(study.order(assignment), 1)}
    for answer in assignment.answers:
        if answer.text >= len(texts):
            continue  # a check, which is no text of a system
        question = study.design.question(answer.criterion)
        text = texts[answer.text]
        shown = beside if kind_for(question).compares else place  # checks do not stand among texts that are compared
        seconds = answer.seconds if answer.seconds is not None else assignment.seconds
        yield Judgement(
            id=text.id, system=text.system, annotator=hashed(study, assignment.annotator), criterion=answer.criterion,
            value=answer.value, unit=answer.unit, seconds=seconds, position=shown[answer.text],
            pilot=assignment.pilot, method=question.kind, question=question.version,
        )  # fmt: skip
