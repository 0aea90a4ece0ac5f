"""What a screen shows, as plain values for its template. Nothing here says which system wrote a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape

from assay.studies.design import Design, Question
from assay.studies.events import Task
from assay.studies.server.forms import Form, said
from assay.studies.server.screens import Screen, names_of, source_of, text_of
from assay.studies.support import supporting
from assay.text.sentences import split_sentences

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
KEYS = "123456789"


def shown_screen(
    design: Design, task: Task, screen: Screen, order: Sequence[int], form: Form, missing: Mapping[str, str]
) -> dict[str, Any]:
    """Everything on one screen: the source, the texts, the questions with what has been said so far."""
    beside = screen.text is None
    names = names_of(design, task) if beside else []
    numbers = list(order) if screen.text is None else [screen.text]
    texts: list[dict[str, Any]] = [
        {"text": text_of(task, number)} | ({"name": names[number], "letter": letter(place)} if beside else {})
        for place, number in enumerate(numbers)
    ]
    typed = any(design.questions[number].kind == "typology" for number in screen.questions)
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
        "spans": any(design.questions[number].kind == "spans" for number in screen.questions),
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
    marked = set(supporting(flat, sentence)) if sentence else set()
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
    chosen = said(form, name)
    if not chosen and name not in form and question.preset is not None:
        chosen = str(question.preset)
    made: dict[str, Any] = {
        "name": name,
        "kind": question.kind,
        "criterion": question.criterion,
        "text": prompt(question, fields),
        "definition": question.definition,
        "missing": missing.get(name, ""),
        "chosen": chosen,
        "comments": question.comments,
        "comment": said(form, f"{name}_comment"),
        "labels": labelled(question.labels, form.get(f"{name}_kinds", ())),
        "several": question.several,
    }
    if question.kind in ("likert", "human-likeness"):
        made["options"] = [
            {"value": value, "label": question.labels.get(value, ""), "key": key, "checked": chosen == value}
            for value, key in zip(map(str, question.values), keys(len(question.values)), strict=True)
        ]
    elif question.kind == "choice":
        made["options"] = labelled(question.labels, (chosen,))
    elif question.kind == "slider":
        low, high = question.values or (0, 100)
        made |= {"low": low, "high": high, "low_label": question.labels.get(str(low), ""),
                 "high_label": question.labels.get(str(high), "")}  # fmt: skip
    elif question.kind in ("pairwise", "best-worst", "ranking"):
        made |= _compared(question, name, texts, form)
    elif question.kind == "free-text":
        made |= {"fields": [{"name": f"{name}_{place}", "value": said(form, f"{name}_{place}")} for place in
                            range(question.most)],
                 "may_be_none": not question.least, "none": bool(said(form, f"{name}_none"))}  # fmt: skip
    elif question.kind == "post-editing" and name not in form:
        made["chosen"] = texts[0]["text"]
    return made


def _compared(question: Question, name: str, texts: Sequence[Mapping[str, Any]], form: Form) -> dict[str, Any]:
    best, worst = said(form, f"{name}_best"), said(form, f"{name}_worst")
    return {
        "ties": question.ties,
        "places": list(range(1, len(texts) + 1)),
        "texts": [
            {
                "name": text["name"], "letter": text["letter"], "key": key,
                "best": best == text["name"], "worst": worst == text["name"],
                "place": said(form, f"{name}_{text['name']}"),
            }
            for text, key in zip(texts, keys(len(texts)), strict=True)
        ],
    }  # fmt: skip


def labelled(labels: Mapping[str, str], chosen: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"value": code, "label": label or code, "key": key, "checked": code in chosen}
        for (code, label), key in zip(labels.items(), keys(len(labels)), strict=True)
    ]


def keys(count: int) -> list[str]:
    """Digits for as many options as there are digits."""
    return [KEYS[place] if place < len(KEYS) else "" for place in range(count)]


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
