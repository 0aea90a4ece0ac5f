"""Values for the templates of a screen. They never reveal which system wrote a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from assay.studies.design import Design, Question
from assay.studies.events import Task
from assay.studies.kinds import QUESTION_KINDS, Fields, kind_for
from assay.studies.kinds.form import Form
from assay.studies.server.screens import Screen, names_of, source_of
from assay.studies.shown import prompt
from assay.studies.support import paragraphs_of, supporting_sentences

KIND_TEMPLATES = "study/kinds/"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def screen_values(
    design: Design, task: Task, screen: Screen, order: Sequence[int], form: Form, missing: Mapping[str, str]
) -> dict[str, Any]:
    """Return the values of one screen: the source, the texts, and the questions with the answers entered so far."""
    compared = screen.text is None
    names = names_of(design, task) if compared else []
    numbers = [number for number in order if number < len(task.texts)] if screen.text is None else [screen.text]
    texts: list[dict[str, Any]] = [
        {"text": task.shown_at(number).text} | ({"name": names[number], "letter": letter(index)} if compared else {})
        for index, number in enumerate(numbers)
    ]
    kinds = [kind_for(design.questions[number]) for number in screen.questions]
    by_sentence = any(kind.by_sentence for kind in kinds)
    sentences: Sequence[str] = ()
    if screen.sentence is not None and screen.text is not None:
        sentences = task.shown_at(screen.text).sentences
    current = sentences[screen.sentence] if sentences and screen.sentence is not None else ""
    if by_sentence and not sentences:  # a trap has to look like the other texts
        sentences, current = (texts[0]["text"],), texts[0]["text"]
    judged = current or texts[0]["text"]
    marked = _marked(task, screen)
    source = article(source_of(task, screen.text), judged if by_sentence else "", design.language, marked)
    return {
        "article": source,
        "texts": texts,
        "sentences": [
            {"text": text, "current": number == (screen.sentence or 0)} for number, text in enumerate(sentences)
        ],
        "judged": judged,
        "words": exact_text(texts[0]["text"]),
        "marks": any(each["marked"] for paragraph in source for each in paragraph),
        "text_in_fields": any(kind.shows_text for kind in kinds),
        "scripts": sorted({kind.script for kind in kinds if kind.script}),
        "questions": [
            question_values(design.questions[number], f"q{number}", texts, _placeholders(task, screen), form, missing)
            for number in screen.questions
        ],
    }


def exact_text(text: str) -> Markup:
    """Return a text as HTML in which a browser counts the same characters as Python.

    A browser would drop null characters and merge a carriage return with a line feed.
    """
    return Markup(str(escape(text)).replace("\0", "\ufffd").replace("\r", "&#13;"))


def letter(index: int) -> str:
    """Return the letter under which a page shows a text."""
    return LETTERS[index] if index < len(LETTERS) else str(index + 1)


def article(
    source: str, sentence: str, language: str, marked: Sequence[int] | None = None
) -> list[list[dict[str, Any]]]:  # fmt: skip
    """Return paragraphs of sentences; those that may support the judged sentence are marked."""
    paragraphs = paragraphs_of(source, language)
    if marked is None:
        flat = [text for paragraph in paragraphs for text in paragraph]
        marked = supporting_sentences(flat, sentence) if sentence else ()
    values, first = [], 0
    for paragraph in paragraphs:
        values.append([{"text": text, "marked": first + index in marked} for index, text in enumerate(paragraph)])
        first += len(paragraph)
    return values


def question_values(
    question: Question,
    name: str,
    texts: Sequence[Mapping[str, Any]],
    placeholders: Mapping[str, str],
    form: Form,
    missing: Mapping[str, str],
) -> dict[str, Any]:
    """Return the values of one question, those of its kind included."""
    kind, fields = kind_for(question), Fields(name, form)
    chosen = kind.chosen(fields, texts)
    return {
        "name": name,
        "kind": question.kind,
        "criterion": question.criterion,
        "text": prompt(question, placeholders),
        "definition": question.definition,
        "missing": missing.get(name, ""),
        "chosen": chosen,
        "comments": question.comments,
        "comment": fields.text("_comment"),
        "own_comments": kind.own_comments,
        "shortcuts": kind.shortcuts,
        **kind.page_values(fields, texts, chosen),
    }


def kind_template(name: str) -> str | None:
    """Return the source of `study/kinds/NAME.html`, the fields of a question kind."""
    kind = name.removeprefix(KIND_TEMPLATES).removesuffix(".html")
    if not name.startswith(KIND_TEMPLATES) or kind not in QUESTION_KINDS:
        return None
    return '{% import "study/inputs.html" as inputs %}' + QUESTION_KINDS.get(kind).template


def _marked(task: Task, screen: Screen) -> Sequence[int] | None:
    """Return the sentences of the source that are to be highlighted, if the text states them."""
    if screen.text is None or screen.sentence is None:
        return None
    marked = task.shown_at(screen.text).marked
    return marked[screen.sentence] if screen.sentence < len(marked) else None


def _placeholders(task: Task, screen: Screen) -> Mapping[str, str]:
    return {} if screen.text is None else task.shown_at(screen.text).fields
