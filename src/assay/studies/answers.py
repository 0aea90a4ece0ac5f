"""Answers against the questions they answer: nothing is kept that could not have been given."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import AssayError
from assay.studies.design import Design, Question
from assay.studies.events import Answer, Task
from assay.studies.kinds import kind_for

LONGEST = 20_000
"""Characters of a text that somebody writes."""


def check_answers(design: Design, task: Task, answers: Sequence[Answer], where: str) -> None:
    """Refuse what is no answer to a question of the design; every question about every text must have one."""
    given: dict[tuple[int, str], list[Answer]] = {}
    shown = len(task.texts) + len(task.checks)
    for answer in answers:
        place = f"assignment {where}: text {answer.text}, {answer.criterion}"
        if not 0 <= answer.text < shown:
            raise AssayError(f"{place}: the task has {shown} texts, numbered from 0")
        question = design.question(answer.criterion)
        if why := problem(question, answer):
            raise AssayError(f"{place}: {why}")
        given.setdefault((answer.text, answer.criterion), []).append(answer)
    for question in design.questions:
        kind = kind_for(question)
        for number in range(shown):
            place = f"assignment {where}: text {number}, {question.criterion}"
            found = given.get((number, question.criterion), [])
            if not found and kind.required:
                raise AssayError(f"{place}: no answer")
            if len({answer.unit for answer in found}) < len(found):
                raise AssayError(f"{place}: answered twice")
            sentences = task.texts[number].sentences if number < len(task.texts) else ()
            if why := kind.text_problem(found, sentences):
                raise AssayError(f"{place}: {why}")
        if kind.compares:
            about = [given.get((number, question.criterion)) for number in range(len(task.texts))]
            values = [float(answers[0].value) for answers in about if answers]
            if why := kind.task_problem(values):
                raise AssayError(f"assignment {where}: {question.criterion}: {why}")


def problem(question: Question, answer: Answer) -> str | None:
    """Why an answer cannot be, or None."""
    if (isinstance(answer.value, str) and len(answer.value) > LONGEST) or len(answer.comment) > LONGEST:
        return f"longer than {LONGEST:,} characters"
    return kind_for(question).value_problem(answer)
