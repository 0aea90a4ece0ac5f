"""Validation of answers: only answers that the design allows are stored."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import AssayError
from assay.studies.design import Design, Question
from assay.studies.events import Answer, Task
from assay.studies.kinds import kind_for

LONGEST = 20_000
"""Maximum length of a written text or comment, in characters."""


def check_answers(design: Design, task: Task, answers: Sequence[Answer], where: str) -> None:
    """Check all answers of an assignment; every question needs an answer for every text.

    Args:
        design: The design of the study.
        task: The task that was answered.
        answers: All answers to it.
        where: Id of the assignment, for messages.

    Raises:
        AssayError: An answer is missing, given twice, or not possible.
    """
    grouped: dict[tuple[int, str], list[Answer]] = {}
    count = len(task.texts) + len(task.checks)
    for answer in answers:
        place = f"assignment {where}: text {answer.text}, {answer.criterion}"
        if not 0 <= answer.text < count:
            raise AssayError(f"{place}: the task has {count} texts, numbered from 0")
        question = design.question(answer.criterion)
        if why := problem(question, answer):
            raise AssayError(f"{place}: {why}")
        grouped.setdefault((answer.text, answer.criterion), []).append(answer)
    for question in design.questions:
        kind = kind_for(question)
        for number in range(count):
            place = f"assignment {where}: text {number}, {question.criterion}"
            own = grouped.get((number, question.criterion), [])
            if not own and kind.required:
                raise AssayError(f"{place}: no answer")
            if len({(answer.unit, answer.value if kind.by_value else None) for answer in own}) < len(own):
                raise AssayError(f"{place}: answered twice")
            if why := kind.text_problem(own, task.shown_at(number).sentences):
                raise AssayError(f"{place}: {why}")
        if kind.compares:
            by_text = [grouped.get((number, question.criterion)) for number in range(len(task.texts))]
            values = [float(own[0].value) for own in by_text if own]
            if why := kind.task_problem(values):
                raise AssayError(f"assignment {where}: {question.criterion}: {why}")


def problem(question: Question, answer: Answer) -> str | None:
    """Return why an answer to a question is not possible, or None."""
    if (isinstance(answer.value, str) and len(answer.value) > LONGEST) or len(answer.comment) > LONGEST:
        return f"longer than {LONGEST:,} characters"
    return kind_for(question).value_problem(answer)
