"""FEQA: the names, numbers and dates of an output as blanks, filled from the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.languages import english_only
from assay.metrics.engine.signatures import MISSING_FILE
from assay.metrics.engine.statistics import Dense
from assay.metrics.faithfulness.cloze_reader import by_reader, reader_weights
from assay.metrics.faithfulness.clozes import Cloze, by_overlap, clozes
from assay.metrics.faithfulness.qags import word_f1
from assay.models.context import Context
from assay.models.encoder import Encoder
from assay.records.files import digest_of
from assay.records.items import Items
from assay.records.types import Example
from assay.text.blank import is_blank

NONE = "unanswerable"
READER, OVERLAP, CHAT = "reader", "overlap", "chat:"
BUILT_IN = {READER: by_reader, OVERLAP: by_overlap}
"""Ways that need no other model."""
REQUEST = (
    "Text:\n{text}\n\nFill in the blank of this sentence with words of the text, and answer with these words only. "
    f"If the text does not say it, answer: {NONE}.\n\nSentence: {{question}}"
)


@dataclass(frozen=True)
class Feqa(MeanMetric):
    """Word F1 of the names, numbers and dates of an output and of what the source has in their place, averaged over
    blanks, then over items.

    Each mention in a sentence of the output is a blank, which is filled from the source alone. An item without mentions
    is left out. An empty output scores 0.
    """

    qa: str = OVERLAP
    """What fills the blanks: `overlap`, the mention of the same kind in the source sentence that shares most words;
    `reader`, a linear model of all mentions that comes with assay; `chat:NAME`, a chat model on the server at
    OPENAI_BASE_URL; or the folder of an extractive model."""
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
        if self.qa in BUILT_IN:
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
        if self.qa in BUILT_IN:
            return [BUILT_IN[self.qa](cloze, source) for cloze, source in pairs]
        if self.qa.startswith(CHAT):
            return _by_chat(self.qa, pairs)
        from assay.systems.neural.question_answering import answers

        return answers(self.qa, [(cloze.question, source) for cloze, source in pairs])

    def undefined(self, part: str) -> str:
        return "no output mentions a name, number or date"


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
    if qa == READER:
        return f"{qa}-{digest_of(dict(reader_weights()))[:6]}"
    if qa.startswith(CHAT):
        name = "".join(c if c.isalnum() or c in ".-" else "-" for c in qa.removeprefix(CHAT))
        return f"chat-{name}-{digest_of(REQUEST)[:6]}"
    try:
        return Encoder(qa).label
    except AssayError:
        return MISSING_FILE
