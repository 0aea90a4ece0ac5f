"""Answers against the questions they answer: nothing is kept that could not have been given."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.errors import AssayError
from assay.stats.votes import errors_of
from assay.studies.design import RELATIVE, Design, Question
from assay.studies.events import Answer, Task

LONGEST = 20_000
"""Characters of a text that somebody writes."""
PAIR = (0.0, 0.5, 1.0)
"""Of two texts: the worse, neither, the better."""


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
        for number in range(shown):
            found = given.get((number, question.criterion), [])
            if not found and question.kind not in ("spans", "free-text"):
                raise AssayError(f"assignment {where}: text {number}, {question.criterion}: no answer")
            if len({answer.unit for answer in found}) < len(found):
                raise AssayError(f"assignment {where}: text {number}, {question.criterion}: answered twice")
            if question.kind == "typology" and number < len(task.texts):
                _every_sentence(task.texts[number].sentences, found, f"{where}: text {number}, {question.criterion}")
            if question.kind == "free-text" and not question.least <= len(found) <= question.most:
                raise AssayError(
                    f"assignment {where}: text {number}, {question.criterion}: {len(found)} answers, not "
                    f"{question.least} to {question.most}"
                )
        _together(question, [given.get((number, question.criterion), []) for number in range(len(task.texts))], where)


def _every_sentence(sentences: Sequence[str], found: Sequence[Answer], where: str) -> None:
    """Where sentences are judged, each of them is."""
    wanted = {f"sentence:{number}" for number in range(len(sentences))}
    given = {answer.unit for answer in found}
    if sentences and given != wanted:
        odd = min(wanted ^ given)
        raise AssayError(f"assignment {where}: {'no answer to' if odd in wanted else 'there is no'} {odd}")


def problem(question: Question, answer: Answer) -> str | None:
    """Why an answer cannot be, or None."""
    value = answer.value
    if (isinstance(value, str) and len(value) > LONGEST) or len(answer.comment) > LONGEST:
        return f"longer than {LONGEST:,} characters"
    if question.kind in ("likert", "human-likeness", "slider", "pairwise", "ranking", "best-worst"):
        return _number(question, value)
    if not isinstance(value, str):
        return "a number where words are asked for"
    if question.kind == "choice" and value not in question.labels:
        return f"'{value[:40]}' is none of {', '.join(question.labels)}"
    if question.kind == "spans":
        start, _, end = answer.unit.removeprefix("span:").partition("-")
        if not (answer.unit.startswith("span:") and start.isdecimal() and end.isdecimal() and int(start) < int(end)):
            return f"unit '{answer.unit[:40]}' is not span:START-END"
        return None if value in question.labels else f"'{value[:40]}' is none of {', '.join(question.labels)}"
    if question.kind == "typology":
        named = errors_of(value)
        strange = next((name for name in named if name not in question.labels), None)
        if strange is not None:
            return f"'{strange[:40]}' is none of {', '.join(question.labels)}"
        return "several kinds where one is asked for" if len(named) > 1 and not question.several else None
    return None if value.strip() or question.kind == "post-editing" else "nothing is written"


def _number(question: Question, value: float | str) -> str | None:
    if isinstance(value, str) or not math.isfinite(value):
        return f"'{str(value)[:40]}' is no number"
    if question.kind == "slider":
        low, high = question.values or (0, 100)
        return None if low <= value <= high else f"{value:g} is not from {low} to {high}"
    if question.kind in ("likert", "human-likeness"):
        return None if value in question.values else f"{value:g} is none of {question.values}"
    if question.kind == "pairwise":
        return None if value in PAIR else f"{value:g} is none of 1 (better), 0 and 0.5 (neither)"
    if question.kind == "best-worst":
        return None if value in (-1, 0, 1) else f"{value:g} is none of 1 (best), -1 (worst) and 0"
    return None if value >= 1 and value == int(value) else f"{value:g} is no place in an order"


def _together(question: Question, answers: Sequence[Sequence[Answer]], where: str) -> None:
    """What texts beside each other may be said to be."""
    values = [float(given[0].value) for given in answers if given and question.kind in RELATIVE]
    if question.kind == "pairwise":
        if len(values) != 2 or sum(values) != 1:
            raise AssayError(f"assignment {where}: {question.criterion}: of two texts one is better, or neither")
        if 0.5 in values and not question.ties:
            raise AssayError(f"assignment {where}: {question.criterion}: one of the two has to be chosen")
    elif question.kind == "best-worst" and (values.count(1) != 1 or values.count(-1) != 1):
        raise AssayError(f"assignment {where}: {question.criterion}: one text is best and one is worst")
    elif question.kind == "ranking" and not question.ties and len(set(values)) < len(values):
        raise AssayError(f"assignment {where}: {question.criterion}: two texts share a place")
