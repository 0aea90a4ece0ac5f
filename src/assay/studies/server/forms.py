"""Answers from the form of one screen, with messages for missing ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from assay.studies.answers import problem
from assay.studies.design import Design
from assay.studies.events import Answer, Task
from assay.studies.kinds import IncompleteError, SentQuestion, kind_for
from assay.studies.kinds.form import Form
from assay.studies.server.screens import Screen, names_of


@dataclass
class ScreenAnswers:
    """The answers of a screen, and by field the message for each question without one."""

    answers: list[Answer] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)


def read_screen(design: Design, task: Task, screen: Screen, order: Sequence[int], form: Form) -> ScreenAnswers:
    """Return the answers of one screen; only answers that the design allows are accepted."""
    read = ScreenAnswers()
    names = names_of(design, task)
    for number in screen.questions:
        question = design.questions[number]
        sent = SentQuestion(f"q{number}", form, question, task, screen.text, screen.sentence, order, names)
        try:
            answers = kind_for(question).read(sent)
            if any(problem(question, answer) for answer in answers):
                raise IncompleteError("missing.other_value")
        except IncompleteError as why:
            read.missing[sent.name] = why.key
        else:
            read.answers += answers
    return read


def add_check_answers(task: Task, layout: Sequence[int], answers: Sequence[Answer], design: Design) -> list[Answer]:
    """Give each check the answer of the text before it. Checks are not shown where texts are compared."""
    compared = {question.criterion for question in design.questions if kind_for(question).compares}
    complete = list(answers)
    for position, number in enumerate(layout):
        if number >= len(task.texts):
            nearest = layout[position - 1] if position else layout[position + 1]
            complete += [
                msgspec.structs.replace(answer, text=number)
                for answer in list(complete)
                if answer.text == nearest and answer.criterion in compared
            ]
    return complete
