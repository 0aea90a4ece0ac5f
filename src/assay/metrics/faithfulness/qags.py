"""QAGS: questions about an output, answered from the output and from the source."""

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
    """Word F1 of the answers to questions from the output and from the source, averaged over questions, then over
    items.

    One model generates questions about the names, numbers and dates of an output; another answers them. A question that
    the output does not answer is left out, and so is an item without questions. An empty output scores 0.
    """

    model: str = ""
    """Model folder or Hugging Face name of an extractive question answering model (required)."""
    questions: str = ""
    """Model folder or Hugging Face name of a sequence-to-sequence model for question generation (required)."""
    prompt: str = "answer: {answer} context: {text}"
    """Input of the question generation model."""
    most: int = 10
    """Maximum number of questions per output."""

    name: ClassVar = "qags"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "agreement of answers from output and source to questions about the output"
    citation: ClassVar = (
        "Wang et al. (2020), Asking and Answering Questions to Evaluate the Factual Consistency of Summaries"
    )
    needs: ClassVar = ("sources",)
    model_kind: ClassVar = "seq2seq"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("most", 1)
        if any(self.prompt.count(field) != 1 for field in FIELDS):
            raise AssayError(f"metric qags: prompt={self.prompt} must contain {' and '.join(FIELDS)}, each once")

    def parts(self) -> tuple[Part, ...]:
        return (Part("qags", digits=3),)

    def options(self) -> dict[str, Any]:
        prompt = (
            self.prompt if self.prompt == type(self).prompt else digest_of(self.prompt)[:8]
        )  # may have any character
        return super().options() | {"questions": _label(self.questions), "prompt": prompt}

    def why_not(self) -> str | None:
        missing = [name for name in ("questions", "model") if not getattr(self, name)]
        if missing:
            return f"needs weights for question generation and answering. Give qags:{'=FOLDER:'.join(missing)}=FOLDER."
        return Encoder(self.questions).why_not() or super().why_not()

    def unfit(self, items: Items) -> str | None:
        return english_only("answers are found by English rules", items)

    def compute(self, items: Items, context: Context) -> Dense:
        answers_wanted = [[name for kind in mentions(text) for name in kind][: self.most] for text in items.outputs]
        prompts = [self.prompt.replace("{answer}", name).replace("{text}", text)
                   for text, names in zip(items.outputs, answers_wanted, strict=True) for name in names]  # fmt: skip
        generated = iter(self._cached(self.questions, prompts, lambda new: questions(self.questions, new), context))
        pairs = [
            [(next(generated), text) for _ in names] for text, names in zip(items.outputs, answers_wanted, strict=True)
        ]
        from_output = self._answered([pair for item in pairs for pair in item], context)
        from_source = self._answered(
            [(question, source) for item, source in zip(pairs, items.sources, strict=True) for question, _ in item],
            context,
        )
        values, counted, at = np.zeros(len(items)), np.zeros(len(items)), 0
        for i, item in enumerate(pairs):
            both = [
                (a, b)
                for a, b in zip(from_output[at : at + len(item)], from_source[at : at + len(item)], strict=True)
                if a
            ]
            at += len(item)
            counted[i] = bool(both) or is_blank(items.outputs[i])
            values[i] = np.mean([word_f1(a, b) for a, b in both]) if both else 0.0
        return self.rows({"qags": values}, counted)

    def _answered(self, pairs: Sequence[tuple[str, str]], context: Context) -> list[str]:
        keys = [f"{len(question)} {question}{text}" for question, text in pairs]
        of = dict(zip(keys, pairs, strict=True))
        return self._cached(self.model, keys, lambda new: answers(self.model, [of[key] for key in new]), context)

    def _cached(self, model: str, keys: Sequence[str], make: Any, context: Context) -> list[str]:
        namespace = f"{_label(model)}-qa-{digest_of(Encoder(model).libraries)[:8]}"
        stored = context.cache.through(namespace, keys, lambda new: [text.encode() for text in make(new)])
        return [bytes(text).decode() for text in stored]

    def undefined(self, part: str) -> str:
        return "no output mentions a name, number or date"


def _label(model: str) -> str:
    try:
        return Encoder(model).label if model else "none"
    except AssayError:
        return MISSING_FILE


def word_f1(one: str, other: str) -> float:
    """Return the word F1 of two answers, as in SQuAD."""
    ours, theirs = (Counter(without_articles(text).split()) for text in (one, other))
    shared = (ours & theirs).total()
    return 2 * shared / (ours.total() + theirs.total()) if shared else 0.0
