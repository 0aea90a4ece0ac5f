"""Questions and answers: an output is asked about, and the source must give the same answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.languages import english_only
from assay.metrics.engine.signatures import MISSING_FILE
from assay.metrics.engine.statistics import Dense
from assay.metrics.semantic.encoder_metric import ModelMetric
from assay.models.context import Context
from assay.models.encoder import Encoder
from assay.records.files import digest_of
from assay.records.items import Items
from assay.systems.neural.question_answering import answers, questions
from assay.text.blank import is_blank
from assay.text.english import without_articles
from assay.text.mentions import mentions

FIELDS = ("{answer}", "{text}")


@dataclass(frozen=True)
class Qags(ModelMetric, MeanMetric):
    """Names, numbers and dates of an output are asked about by one model, and another answers each question from the
    output and from the source: the mean over questions of the F1 of the two answers' words, then over items. A
    question that the output itself does not answer is left out; an item without a question counts nothing, an empty
    output 0."""

    model: str = ""
    """A folder or hub name: a model that finds the answer to a question in a text (extractive)."""
    questions: str = ""
    """A folder or hub name: a sequence-to-sequence model that writes a question for an answer and a text."""
    prompt: str = "answer: {answer} context: {text}"
    """What the model of questions is given."""
    most: int = 10
    """Questions an output."""

    name: ClassVar = "qags"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "whether questions about the output have the same answers in the source"
    citation: ClassVar = (
        "Wang et al. (2020), Asking and Answering Questions to Evaluate the Factual Consistency of Summaries"
    )
    needs: ClassVar = ("sources",)
    model_kind: ClassVar = "seq2seq"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("most", 1)
        if any(self.prompt.count(field) != 1 for field in FIELDS):
            raise AssayError(f"metric qags: prompt={self.prompt} must have {' and '.join(FIELDS)} in it, each once")

    def parts(self) -> tuple[Part, ...]:
        return (Part("qags", digits=3),)

    def options(self) -> dict[str, Any]:
        said = self.prompt if self.prompt == type(self).prompt else digest_of(self.prompt)[:8]  # it may have any sign
        return super().options() | {"questions": _label(self.questions), "prompt": said}

    def why_not(self) -> str | None:
        missing = [name for name in ("questions", "model") if not getattr(self, name)]
        if missing:
            return f"weights that ask and answer questions not found (give qags:{'=FOLDER:'.join(missing)}=FOLDER)"
        return Encoder(self.questions).why_not() or super().why_not()

    def unfit(self, items: Items) -> str | None:
        return english_only("its answers are found by English rules", items)

    def compute(self, items: Items, context: Context) -> Dense:
        wanted = [[name for kind in mentions(text) for name in kind][: self.most] for text in items.outputs]
        prompts = [self.prompt.replace("{answer}", name).replace("{text}", text)
                   for text, names in zip(items.outputs, wanted, strict=True) for name in names]  # fmt: skip
        asked = iter(self._kept(self.questions, prompts, lambda new: questions(self.questions, new), context))
        pairs = [[(next(asked), text) for _ in names] for text, names in zip(items.outputs, wanted, strict=True)]
        ours = self._answered([pair for item in pairs for pair in item], context)
        theirs = self._answered(
            [(question, source) for item, source in zip(pairs, items.sources, strict=True) for question, _ in item],
            context,
        )
        values, counted, at = np.zeros(len(items)), np.zeros(len(items)), 0
        for i, item in enumerate(pairs):
            both = [(a, b) for a, b in zip(ours[at : at + len(item)], theirs[at : at + len(item)], strict=True) if a]
            at += len(item)
            counted[i] = bool(both) or is_blank(items.outputs[i])
            values[i] = np.mean([word_f1(a, b) for a, b in both]) if both else 0.0
        return self.rows({"qags": values}, counted)

    def _answered(self, pairs: Sequence[tuple[str, str]], context: Context) -> list[str]:
        keys = [f"{len(question)} {question}{text}" for question, text in pairs]
        of = dict(zip(keys, pairs, strict=True))
        return self._kept(self.model, keys, lambda new: answers(self.model, [of[key] for key in new]), context)

    def _kept(self, model: str, keys: Sequence[str], make: Any, context: Context) -> list[str]:
        namespace = f"{_label(model)}-qa-{digest_of(Encoder(model).libraries)[:8]}"
        kept = context.cache.through(namespace, keys, lambda new: [text.encode() for text in make(new)])
        return [bytes(text).decode() for text in kept]

    def undefined(self, part: str) -> str:
        return "no output mentions a name, number or date that could be asked for"


def _label(model: str) -> str:
    try:
        return Encoder(model).label if model else "none"
    except AssayError:
        return MISSING_FILE


def word_f1(one: str, other: str) -> float:
    """The F1 of two answers' words, as in SQuAD."""
    ours, theirs = (Counter(without_articles(text).split()) for text in (one, other))
    shared = (ours & theirs).total()
    return 2 * shared / (ours.total() + theirs.total()) if shared else 0.0
