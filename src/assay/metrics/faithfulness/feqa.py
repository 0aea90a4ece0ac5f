"""FEQA: the names, numbers and dates of an output as blanks, filled from the source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.languages import english_only
from assay.metrics.engine.signatures import MISSING_FILE
from assay.metrics.engine.statistics import Dense
from assay.metrics.faithfulness.qags import word_f1
from assay.models.context import Context
from assay.models.encoder import Encoder
from assay.records.files import digest_of
from assay.records.items import Items
from assay.records.types import Example
from assay.text.blank import is_blank
from assay.text.english import STOP
from assay.text.mentions import WORD, mentions
from assay.text.sentences import split_sentences

BLANK = "_____"
NONE = "unanswerable"
OVERLAP, CHAT = "overlap", "chat:"
REQUEST = (
    "Text:\n{text}\n\nFill in the blank of this sentence with words of the text, and answer with these words only. "
    f"If the text does not say it, answer: {NONE}.\n\nSentence: {{question}}"
)
Kind = int
"""Place of a kind of mention: entities, numbers, dates."""


class Cloze(NamedTuple):
    """A sentence of an output with a blank."""

    question: str
    answer: str
    kind: Kind


@dataclass(frozen=True)
class Feqa(MeanMetric):
    """Word F1 of the names, numbers and dates of an output and of what the source has in their place, averaged over
    blanks, then over items.

    Each mention in a sentence of the output is a blank, which is filled from the source alone. An item without mentions
    is left out. An empty output scores 0.
    """

    qa: str = OVERLAP
    """What fills the blanks: `overlap`, the mention of the same kind in the source sentence that shares most words;
    `chat:NAME`, a chat model on the server at OPENAI_BASE_URL; or the folder of an extractive model."""
    most: int = 10
    """Maximum number of blanks per output."""

    name: ClassVar = "feqa"
    category: ClassVar = "faithfulness"
    summary: ClassVar = (
        "agreement of the names, numbers and dates of the output with what the source has in their place"
    )
    citation: ClassVar = (
        "Durmus et al. (2020), FEQA: A Question Answering Evaluation Framework for Faithfulness Assessment"
    )
    needs: ClassVar = ("sources",)

    def __post_init__(self) -> None:
        self.require("most", 1)

    def parts(self) -> tuple[Part, ...]:
        return (Part("feqa", digits=3),)

    def options(self) -> dict[str, Any]:
        return super().options() | {"qa": _label(self.qa)}

    def why_not(self) -> str | None:
        if self.qa == OVERLAP:
            return None
        return _chat(self.qa).why_not() if self.qa.startswith(CHAT) else Encoder(self.qa).why_not()

    @property
    def asks_endpoint(self) -> bool:
        return self.qa.startswith(CHAT)

    def unfit(self, items: Items) -> str | None:
        return english_only("mentions are found by English rules", items)

    def compute(self, items: Items, context: Context) -> Dense:
        blanks = [clozes(text)[: self.most] for text in items.outputs]
        pairs = [
            (cloze, source) for item, source in zip(blanks, items.sources, strict=True) for cloze in item
        ]  # fmt: skip
        filled = iter(self._filled(pairs))
        values, counted = np.zeros(len(items)), np.zeros(len(items))
        for i, item in enumerate(blanks):
            scores = [word_f1(cloze.answer, next(filled)) for cloze in item]
            counted[i] = bool(scores) or is_blank(items.outputs[i])
            values[i] = np.mean(scores) if scores else 0.0
        return self.rows({"feqa": values}, counted)

    def _filled(self, pairs: Sequence[tuple[Cloze, str]]) -> list[str]:
        if self.qa == OVERLAP:
            return [by_overlap(cloze, source) for cloze, source in pairs]
        if self.qa.startswith(CHAT):
            return _by_chat(self.qa, pairs)
        from assay.systems.neural.question_answering import answers

        return answers(self.qa, [(cloze.question, source) for cloze, source in pairs])

    def undefined(self, part: str) -> str:
        return "no output mentions a name, number or date"


def clozes(text: str) -> list[Cloze]:
    """Return the sentences of a text with one mention after the other as a blank."""
    made = []
    for sentence in split_sentences(text, "multilingual", "en"):
        kinds = mentions(sentence)
        for kind, group in enumerate((kinds.entities, kinds.numbers, kinds.dates)):
            for name in group:
                if place := _place(name, sentence):
                    question = sentence[: place.start()] + BLANK + sentence[place.end() :]
                    made.append(Cloze(question, place[0], kind))
    return made


def by_overlap(cloze: Cloze, source: str) -> str:
    """Return the mention of the same kind in the source sentence that shares most content words with the blank's."""
    ours, line = _content(cloze.question), cloze.question.lower()
    best, filled = 0, ""
    for kind, text, theirs in _mentioned(source):
        if kind != cloze.kind or text.lower() in line:  # it is elsewhere in the sentence
            continue
        if (shared := len(ours & theirs)) > best:
            best, filled = shared, text
    return filled


@lru_cache(maxsize=8)
def _mentioned(source: str) -> list[tuple[Kind, str, set[str]]]:
    """Return the mentions of a source, each with the other content words of its sentence."""
    return [(one.kind, one.answer, _content(one.question)) for one in clozes(source)]


def _content(text: str) -> set[str]:
    return {word for match in WORD.finditer(text) if (word := match[0].lower()) not in STOP and word.strip("_")}


def _place(name: str, sentence: str) -> re.Match[str] | None:
    """Return where a mention is in its sentence; None if it is written in another way (`1,200`: 1200)."""
    value = name.removeprefix("day ").removeprefix("year ")
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", sentence, re.IGNORECASE)


def _chat(qa: str) -> Any:
    from assay.systems.endpoint import Chat

    return Chat(model=qa.removeprefix(CHAT), max_tokens=40)


def _by_chat(qa: str, pairs: Sequence[tuple[Cloze, str]]) -> list[str]:
    requests = {
        str(place): [{"role": "user", "content": REQUEST.format(text=source, question=cloze.question)}]
        for place, (cloze, source) in enumerate(pairs)
    }
    replies = _chat(qa).reply([Example(id=id) for id in requests], lambda example: requests[example.id])
    texts = {reply.id: reply.text for reply in replies}
    return ["" if texts[id].strip(" .").lower() == NONE else texts[id] for id in requests]


def _label(qa: str) -> str:
    if qa == OVERLAP:
        return qa
    if qa.startswith(CHAT):
        name = "".join(c if c.isalnum() or c in ".-" else "-" for c in qa.removeprefix(CHAT))
        return f"chat-{name}-{digest_of(REQUEST)[:6]}"
    try:
        return Encoder(qa).label
    except AssayError:
        return MISSING_FILE
