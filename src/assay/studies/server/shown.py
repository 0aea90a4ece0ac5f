"""What a screen shows, as plain values for its template. Nothing here says which system wrote a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape

from assay.studies.design import Design, Question
from assay.studies.events import Task
from assay.studies.kinds import QUESTION_KINDS, Fields, kind_for
from assay.studies.kinds.form import Form
from assay.studies.server.screens import Screen, names_of, source_of
from assay.studies.support import supporting_sentences
from assay.text.sentences import split_sentences

KIND_TEMPLATES = "study/kinds/"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def shown_screen(
    design: Design, task: Task, screen: Screen, order: Sequence[int], form: Form, missing: Mapping[str, str]
) -> dict[str, Any]:
    """Everything on one screen: the source, the texts, the questions with what has been said so far."""
    beside = screen.text is None
    names = names_of(design, task) if beside else []
    numbers = list(order) if screen.text is None else [screen.text]
    texts: list[dict[str, Any]] = [
        {"text": task.text_at(number)} | ({"name": names[number], "letter": letter(place)} if beside else {})
        for place, number in enumerate(numbers)
    ]
    kinds = [kind_for(design.questions[number]) for number in screen.questions]
    typed = any(kind.by_sentence for kind in kinds)
    sentences: Sequence[str] = ()
    if screen.sentence is not None and screen.text is not None:
        sentences = task.texts[screen.text].sentences
    current = sentences[screen.sentence] if sentences and screen.sentence is not None else ""
    if typed and not sentences:  # a trap must not look otherwise
        sentences, current = (texts[0]["text"],), texts[0]["text"]
    judged = current or texts[0]["text"]
    source = article(source_of(task, screen.text), judged if typed else "", design.language)
    return {
        "article": source,
        "texts": texts,
        "sentences": [
            {"text": text, "current": place == (screen.sentence or 0)} for place, text in enumerate(sentences)
        ],
        "judged": judged,
        "words": as_it_is(texts[0]["text"]),
        "marks": any(each["marked"] for paragraph in source for each in paragraph),
        "text_in_fields": any(kind.shows_text for kind in kinds),
        "scripts": sorted({kind.script for kind in kinds if kind.script}),
        "questions": [
            shown_question(design.questions[number], f"q{number}", texts, _filled(task, screen), form, missing)
            for number in screen.questions
        ],
    }


def as_it_is(text: str) -> Markup:
    """A text whose characters a browser counts as we do: it would leave out null characters, and make one of two that
    end a line."""
    return Markup(str(escape(text)).replace("\0", "\ufffd").replace("\r", "&#13;"))


def letter(place: int) -> str:
    return LETTERS[place] if place < len(LETTERS) else str(place + 1)


def article(source: str, sentence: str, language: str) -> list[list[dict[str, Any]]]:
    """Paragraphs of sentences; those that may support a sentence are marked."""
    paragraphs = _paragraphs(source, language)
    flat = [text for paragraph in paragraphs for text in paragraph]
    marked = set(supporting_sentences(flat, sentence)) if sentence else set()
    made, number = [], 0
    for paragraph in paragraphs:
        made.append([{"text": text, "marked": number + place in marked} for place, text in enumerate(paragraph)])
        number += len(paragraph)
    return made


@lru_cache(maxsize=128)
def _paragraphs(source: str, language: str) -> list[list[str]]:
    """An article is shown with every sentence that is judged by it, and cut once."""
    return [split_sentences(text, language=language or None) for text in source.splitlines() if text.strip()]


def shown_question(
    question: Question,
    name: str,
    texts: Sequence[Mapping[str, Any]],
    fields: Mapping[str, str],
    form: Form,
    missing: Mapping[str, str],
) -> dict[str, Any]:
    kind, sent = kind_for(question), Fields(name, form)
    chosen = kind.chosen(sent, texts)
    return {
        "name": name,
        "kind": question.kind,
        "criterion": question.criterion,
        "text": prompt(question, fields),
        "definition": question.definition,
        "missing": missing.get(name, ""),
        "chosen": chosen,
        "comments": question.comments,
        "comment": sent.text("_comment"),
        "own_comments": kind.own_comments,
        "shortcuts": kind.shortcuts,
        **kind.page_values(sent, texts, chosen),
    }


def kind_template(name: str) -> str | None:
    """Return the source of `study/kinds/NAME.html`, the fields of a question kind."""
    kind = name.removeprefix(KIND_TEMPLATES).removesuffix(".html")
    if not name.startswith(KIND_TEMPLATES) or kind not in QUESTION_KINDS:
        return None
    return '{% import "study/inputs.html" as inputs %}' + QUESTION_KINDS.get(kind).template


def prompt(question: Question, fields: Mapping[str, str]) -> str:
    """The question, with what the text says about itself where it has a gap for it, such as `{entities}`."""
    text = question.text or question.criterion
    for name, value in fields.items():
        text = text.replace("{" + name + "}", value)
    return text


def _filled(task: Task, screen: Screen) -> Mapping[str, str]:
    if screen.text is None or screen.text >= len(task.texts):
        return {}
    return task.texts[screen.text].fields
