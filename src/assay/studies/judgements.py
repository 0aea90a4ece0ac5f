"""Judgements of a study: answers with system names, and annotators under hashed names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.records import Judgement, digest_of
from assay.studies.kinds import kind_for

if TYPE_CHECKING:
    from assay.studies.state import Assignment
    from assay.studies.study import Study

HASH_LENGTH = 10


def hashed(study: Study, annotator: str) -> str:
    """Return the hashed name of an annotator; it differs between studies."""
    return f"p-{digest_of(study.salt, annotator)[:HASH_LENGTH]}"


def study_judgements(study: Study, apart: bool = False, pilot: bool = False) -> Iterator[Judgement]:
    """Yield the judgements of a study.

    Args:
        study: The study.
        apart: Only those of blocked annotators that do not count, instead of those that count.
        pilot: Those of the pilot, instead of the main study.
    """
    for assignment in study.assignments.values():
        blocked = bool(study.annotators[assignment.annotator].blocked) and not study.design.quality.keep_blocked_work
        if assignment.done and assignment.pilot == pilot and blocked == apart:
            yield from judgements_of(study, assignment)


def judgements_of(study: Study, assignment: Assignment) -> Iterator[Judgement]:
    """Yield the judgements of one assignment."""
    texts = study.tasks[assignment.task].texts
    with_checks = {number: position for position, number in enumerate(study.layout(assignment), 1)}
    without_checks = {number: position for position, number in enumerate(study.order(assignment), 1)}
    for answer in assignment.answers:
        if answer.text >= len(texts):
            continue  # a quality check
        question = study.design.question(answer.criterion)
        text = texts[answer.text]
        positions = without_checks if kind_for(question).compares else with_checks  # comparisons show no checks
        seconds = answer.seconds if answer.seconds is not None else assignment.seconds
        yield Judgement(
            id=text.id, system=text.system, annotator=hashed(study, assignment.annotator), criterion=answer.criterion,
            value=answer.value, unit=answer.unit, seconds=seconds, position=positions[answer.text],
            pilot=assignment.pilot, method=question.kind, question=question.version,
            suggested=answer.criterion in text.suggested
            and study.sees_suggestion(assignment.annotator, study.tasks[assignment.task], answer.text),
        )  # fmt: skip
