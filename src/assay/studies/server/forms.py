"""What a form sends, as answers; and what is missing in it, as a key of the catalogue.

The fields of question number 2 begin with `q2`: the answer itself, `q2_kinds`, `q2_comment`, `q2_best`, `q2_1`, ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from assay.studies.answers import PAIR, problem
from assay.studies.design import Design, Question
from assay.studies.events import Answer, Task
from assay.studies.server.screens import Screen, names_of, text_of

Form = Mapping[str, Sequence[str]]
NO_ERROR = "NoE"
MOST_SPANS = 500


class Span(msgspec.Struct, forbid_unknown_fields=True):
    """A marked stretch of a text, from one character to before another."""

    start: int
    end: int
    label: str
    comment: str = ""


class IncompleteError(Exception):
    """A question without an answer that could be kept; says what is missing."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


@dataclass
class Read:
    """A screen's answers, and by field what keeps the others from being answers."""

    answers: list[Answer] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """One question on one screen."""

    question: Question
    name: str
    """Of its fields."""
    task: Task
    screen: Screen
    order: Sequence[int]
    """The texts of a screen that compares them, as they stand there."""
    names: Sequence[str]
    """What the page calls each text of the task."""

    def answer(self, value: float | str, form: Form, unit: str = "summary", text: int | None = None) -> Answer:
        number = self.screen.text if text is None else text
        assert number is not None
        return Answer(number, self.question.criterion, value, unit, comment=said(form, f"{self.name}_comment"))


def said(form: Form, name: str) -> str:
    """The field as it was filled in; empty where it is not there."""
    given = form.get(name) or ("",)
    return given[-1].replace("\r\n", "\n").strip()


def read_screen(design: Design, task: Task, screen: Screen, order: Sequence[int], form: Form) -> Read:
    """The answers of one screen. Nothing that the design does not allow becomes one."""
    read = Read()
    names = names_of(design, task)
    for number in screen.questions:
        question = design.questions[number]
        asked = Asked(question, f"q{number}", task, screen, order, names)
        try:
            answers = KINDS[question.kind](asked, form)
            if any(problem(question, answer) for answer in answers):
                raise IncompleteError("missing.other_value")
        except IncompleteError as why:
            read.missing[asked.name] = why.key
        else:
            read.answers += answers
    return read


def _scale(asked: Asked, form: Form) -> list[Answer]:
    return [asked.answer(_number(said(form, asked.name)), form)]


def _choice(asked: Asked, form: Form) -> list[Answer]:
    return [asked.answer(_chosen(said(form, asked.name), asked.question.labels), form)]


def _typology(asked: Asked, form: Form) -> list[Answer]:
    """Yes or no first; then, for no, what kind of error it is."""
    unit = "summary" if asked.screen.sentence is None else f"sentence:{asked.screen.sentence}"
    first = _chosen(said(form, asked.name), ("yes", "no"))
    if first == "yes":
        return [asked.answer(NO_ERROR, form, unit)]
    given = form.get(f"{asked.name}_kinds", ())
    kinds = [code for code in asked.question.labels if code in given]
    if not kinds:
        raise IncompleteError("missing.kind")
    other = any(code.startswith("Other") for code in kinds)
    if other and asked.question.comments and not said(form, f"{asked.name}_comment"):
        raise IncompleteError("missing.other")
    return [asked.answer("+".join(kinds if asked.question.several else kinds[:1]), form, unit)]


def _spans(asked: Asked, form: Form) -> list[Answer]:
    raw = said(form, asked.name) or "[]"
    try:
        spans = msgspec.json.decode(raw, type=list[Span])
    except (msgspec.DecodeError, UnicodeError):
        raise IncompleteError("missing.other_value") from None
    assert asked.screen.text is not None
    end = len(text_of(asked.task, asked.screen.text))
    places = {(span.start, span.end) for span in spans}
    if len(places) < len(spans) or len(spans) > MOST_SPANS or any(not 0 <= a < b <= end for a, b in places):
        raise IncompleteError("missing.other_value")
    return [
        Answer(asked.screen.text, asked.question.criterion, span.label, f"span:{span.start}-{span.end}",
               comment=span.comment.strip())
        for span in spans
    ]  # fmt: skip


def _phrases(asked: Asked, form: Form) -> list[Answer]:
    question = asked.question
    given = [text for place in range(question.most) if (text := said(form, f"{asked.name}_{place}"))]
    if said(form, f"{asked.name}_none") and not question.least:
        given = []
    elif len(given) < max(1, question.least):
        raise IncompleteError("missing.text" if question.least else "missing.text_or_none")
    return [asked.answer(text, form, f"answer:{place}") for place, text in enumerate(given)]


def _edited(asked: Asked, form: Form) -> list[Answer]:
    if asked.name not in form:
        raise IncompleteError("missing.text")
    return [asked.answer(said(form, asked.name), form)]


def _pair(asked: Asked, form: Form) -> list[Answer]:
    ties = ["tie"] if asked.question.ties else []
    chosen = _chosen(said(form, asked.name), [*asked.names, *ties])
    worse, neither, better = PAIR
    values = {
        text: neither if chosen == "tie" else better if chosen == asked.names[text] else worse for text in asked.order
    }
    return [asked.answer(value, form, text=text) for text, value in values.items()]


def _best_worst(asked: Asked, form: Form) -> list[Answer]:
    names = asked.names
    best = _chosen(said(form, f"{asked.name}_best"), names)
    worst = _chosen(said(form, f"{asked.name}_worst"), names)
    if best == worst:
        raise IncompleteError("missing.two_different")
    return [
        asked.answer(1.0 if names[text] == best else -1.0 if names[text] == worst else 0.0, form, text=text)
        for text in asked.order
    ]


def _ranking(asked: Asked, form: Form) -> list[Answer]:
    places = [_number(said(form, f"{asked.name}_{asked.names[text]}")) for text in asked.order]
    if any(place not in range(1, len(places) + 1) for place in places):
        raise IncompleteError("missing.other_value")
    if not asked.question.ties and len(set(places)) < len(places):
        raise IncompleteError("missing.places")
    return [asked.answer(place, form, text=text) for text, place in zip(asked.order, places, strict=True)]


KINDS: dict[str, Callable[[Asked, Form], list[Answer]]] = {
    "likert": _scale, "human-likeness": _scale, "slider": _scale, "choice": _choice, "typology": _typology,
    "spans": _spans, "free-text": _phrases, "post-editing": _edited, "pairwise": _pair, "best-worst": _best_worst,
    "ranking": _ranking,
}  # fmt: skip


def _number(raw: str) -> float:
    try:
        value = float(raw)
    except ValueError:
        raise IncompleteError("missing.other_value" if raw else "missing.choice") from None
    return value


def _chosen(raw: str, allowed: Sequence[str] | Mapping[str, str]) -> str:
    if raw not in allowed:
        raise IncompleteError("missing.other_value" if raw else "missing.choice")
    return raw


def checks_too(task: Task, layout: Sequence[int], answers: Sequence[Answer], design: Design) -> list[Answer]:
    """Where texts are compared, checks are not shown: they are given what was said of the text before each."""
    beside = {
        question.criterion for question in design.questions if question.kind in ("pairwise", "best-worst", "ranking")
    }
    made = list(answers)
    for place, number in enumerate(layout):
        if number >= len(task.texts):
            nearest = layout[place - 1] if place else layout[place + 1]
            made += [
                msgspec.structs.replace(answer, text=number)
                for answer in list(made)
                if answer.text == nearest and answer.criterion in beside
            ]
    return made
