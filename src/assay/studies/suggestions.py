"""Suggestions of a judge in a study: pre-filled answers, shown at random, so that their influence can be measured.

Who sees the suggestion for a text is drawn from the study's salt, the annotator, the task and the text: it stays the
same when a task is assigned again, and annotators cannot find out what the others see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from assay.errors import AssayError
from assay.records import Judgement
from assay.studies.answers import problem
from assay.studies.design import Design, Question
from assay.studies.events import Answer, Suggestion, Task, Text
from assay.studies.kinds import kind_for
from assay.studies.kinds.form import Form
from assay.studies.kinds.spans import place_of

if TYPE_CHECKING:
    from assay.studies.server.screens import Screen
    from assay.studies.state import State

SPANS = ".spans"
"""Suffix of the criterion of spans in the judgements of `assay judge run`."""
Suggested = dict[str, tuple[Suggestion, ...]]


def with_suggestions(
    design: Design, tasks: Sequence[Task], judgements: Sequence[Judgement], hold_out: float
) -> tuple[list[Task], list[str]]:
    """Return tasks whose texts have the answers of a judge as suggestions.

    Args:
        design: The design; criteria of its questions are those of the judgements.
        tasks: The tasks.
        judgements: Judgements of one judge.
        hold_out: Probability with which an annotator does not see the suggestions for a text.

    Returns:
        The tasks, and what was left out and why.

    Raises:
        AssayError: No judgement fits a question and a text, or the judgements are those of several judges.
    """
    judges = sorted({row.annotator.partition("#")[0] for row in judgements})
    if len(judges) > 1:
        raise AssayError(f"suggestions of several judges: {', '.join(judges)}; use the judgements of one")
    rows: dict[tuple[str, str], list[Judgement]] = {}
    for row in judgements:
        if "#" not in row.annotator and not row.unit.startswith("against:"):  # further draws are no suggestions
            rows.setdefault((row.id, row.system), []).append(row)
    unfit: Counter[str] = Counter()
    made = []
    for task in tasks:
        texts = tuple(
            msgspec.structs.replace(text, suggested=_of_text(design, text, rows.get((text.id, text.system), []), unfit))
            for text in task.texts
        )
        made.append(msgspec.structs.replace(task, texts=texts, hold_out=hold_out))
    texts_in_all = [text for task in made for text in task.texts]
    without = sum(not text.suggested for text in texts_in_all)
    if without == len(texts_in_all):
        criteria = ", ".join(question.criterion for question in design.questions)
        why = f"; first reason: {next(iter(unfit))}" if unfit else ""
        raise AssayError(f"no suggestion fits: ids, systems and criteria ({criteria}) must be those of the study{why}")
    notes = [f"{without} of {len(texts_in_all)} texts have no suggestion"] if without else []
    return made, notes + [f"{count} suggestions are left out: {why}" for why, count in unfit.items()]


def _of_text(design: Design, text: Text, rows: Sequence[Judgement], unfit: Counter[str]) -> Suggested:
    suggested: Suggested = {}
    for question in design.questions:
        name, kind = question.criterion, kind_for(question)
        own = [row for row in rows if row.criterion in (name, name + SPANS)]
        if not own:
            continue
        if not kind.suggestible:
            unfit[f"questions of kind {question.kind} ({name}) show none"] += len(own)
            continue
        marks = question.kind == "spans"  # a judge's count of errors says that it has looked, and is no answer
        answers = [_fitted(question, row) for row in own if row.unit.startswith("span:") or not marks]
        good = [each for each in answers if isinstance(each, Suggestion) and _inside(each, text)]
        unfit.update(each for each in answers if isinstance(each, str))
        unfit[f"{name}: a span ends after its text"] += sum(isinstance(each, Suggestion) for each in answers) - len(
            good
        )
        if good or (marks and not answers):
            suggested[name] = tuple(dict.fromkeys(good))
    for why in [why for why, count in unfit.items() if not count]:
        del unfit[why]
    return suggested


def _fitted(question: Question, row: Judgement) -> Suggestion | str:
    """Return the suggestion of a judgement, or why it cannot be an answer to the question."""
    values = [row.value]
    part = "span" if question.kind == "spans" else "sentence" if kind_for(question).by_sentence else "summary"
    if row.unit.partition(":")[0] != part:
        return f"{question.criterion}: a judgement of unit {row.unit[:40]}, and the question is about a {part}"
    if isinstance(row.value, str):
        values += row.value.split("/")  # category and severity of an error; a study may ask for one of them
    whys = []
    for value in values:
        why = problem(question, Answer(0, question.criterion, value, row.unit))
        if why is None:
            return Suggestion(value, row.unit)
        whys.append(why)
    return f"{question.criterion}: {whys[0]}"


def _inside(each: Suggestion, text: Text) -> bool:
    return not each.unit.startswith("span:") or place_of(each.unit)[1] <= len(text.text)


def suggested_form(study: State, annotator: str, task: Task, screen: Screen) -> Form:
    """Return the pre-filled fields of a screen; empty if the annotator sees no suggestion there."""
    if screen.text is None or not study.sees_suggestion(annotator, task, screen.text):
        return {}
    suggested = task.texts[screen.text].suggested
    form: dict[str, list[str]] = {}
    for number in screen.questions:
        question = study.design.questions[number]
        if question.criterion in suggested:
            form |= kind_for(question).prefilled(f"q{number}", suggested[question.criterion], screen.sentence)
    return form
