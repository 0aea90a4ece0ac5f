"""Classifiers of factual consistency such as FactCC and DAE, which read source and sentence together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.faithfulness.source_passages import note_empty_texts, pack_windows
from assay.metrics.semantic.encoder_metric import ModelMetric
from assay.models.context import Context
from assay.models.load import load
from assay.models.nli_labels import class_names
from assay.models.text_pairs import Pair, cached_pair_rows, pair_logits
from assay.records.files import digest_of
from assay.records.items import Items
from assay.text.blank import is_blank
from assay.text.integers import is_integer
from assay.text.sentences import Splitter, split_sentences

CONSISTENT = ("correct", "consistent", "factual", "faithful", "supported", "entailment", "entailed", "yes")
"""Names of the class `consistent` in published models."""
SPECIAL_TOKENS = 4
"""Maximum number of special tokens around two texts."""


@dataclass(frozen=True)
class FactCC(ModelMetric, MeanMetric):
    """Probability that a sentence is consistent with the source, averaged over sentences, then over items.

    A source that is too long is split into windows of whole sentences, and the best window counts. An empty output
    scores 0, as does any output with an empty source.
    """

    model: str = ""
    """Model folder or Hugging Face name of a classifier of (source, sentence) with two or more classes (required)."""
    label: str = ""
    """Name or number of the class `consistent` in the model's config; empty finds it by its name."""
    count: Literal["probability", "label"] = "probability"
    """Score of a sentence: the probability of that class, or 1 if it is the most probable class, as in the paper."""
    splitter: Splitter = "multilingual"
    """Rule that splits sentences."""

    name: ClassVar = "factcc"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "probability that the sentences of the output are consistent with the source"
    citation: ClassVar = (
        "Kryscinski et al. (2020), Evaluating the Factual Consistency of Abstractive Text Summarization"
    )
    needs: ClassVar = ("sources",)
    model_kind: ClassVar = "classifier:2"
    truncates: ClassVar = "longer"

    def parts(self) -> tuple[Part, ...]:
        return (Part("factcc", digits=3),)

    def options(self) -> dict[str, Any]:
        try:
            return super().options() | {"label": self._place()} if self.model else super().options()
        except AssayError:
            return super().options()

    def why_not(self) -> str | None:
        if not self.model:
            return "needs weights of a consistency classifier. Give factcc:model=FOLDER."
        try:
            return super().why_not() or (None if self._place() >= 0 else "")
        except AssayError as error:
            return str(error)

    def _place(self) -> int:
        """Return the index of the class `consistent` among the outputs."""
        names = class_names(self.encoder.setting("config.json", "id2label"))
        if is_integer(self.label) and (not names or int(self.label) < len(names)):
            return int(self.label)
        wanted = (self.label.lower(),) if self.label else CONSISTENT
        matches = [i for i, name in enumerate(names) if name in wanted]
        if len(matches) != 1:
            stated = ", ".join(names) or "none stated"
            raise AssayError(f"{self.model}: unknown class names ({stated}). Give factcc:label=NAME or a number.")
        return matches[0]

    def compute(self, items: Items, context: Context) -> Dense:
        languages = [example.language for example in items.bare]
        candidates = [
            []
            if is_blank(source)
            else [
                self._windows(source, sentence)
                for sentence in split_sentences(output, self.splitter, language)
                if not is_blank(sentence)
            ]
            for source, output, language in zip(items.sources, items.outputs, languages, strict=True)
        ]
        pairs = [pair for item in candidates for windows in item for pair in windows]
        namespace = f"{self.encoder.label}-{self.encoder.limit}-classes-{digest_of(self.encoder.libraries)[:8]}"
        of = cached_pair_rows(namespace, pairs, lambda new: self._rated(new, context), context)
        values = [
            float(np.mean([max(self._counted(of[pair]) for pair in windows) for windows in item])) if item else 0.0
            for item in candidates
        ]
        return self.rows({"factcc": np.array(values)})

    def _counted(self, probabilities: Floats) -> float:
        place = self._place()
        if place >= len(probabilities):
            raise AssayError(f"{self.model}: has {len(probabilities)} classes; factcc:label={place} is out of range")
        return float(probabilities[place] if self.count == "probability" else probabilities.argmax() == place)

    def _windows(self, source: str, sentence: str) -> list[Pair]:
        encoder = self.encoder
        (taken,) = map(len, encoder.ids([sentence]))
        room = max(encoder.limit - taken - SPECIAL_TOKENS, encoder.limit // 2)
        return [
            (text, sentence)
            for text in pack_windows(source, room, lambda texts: list(map(len, encoder.ids(texts))), self.splitter)
        ]

    def _rated(self, pairs: list[Pair], context: Context) -> Floats:
        loaded = load(str(self.encoder.folder), classifier=True)
        logits = pair_logits(
            loaded.model.to(context.torch_device()), loaded.tokenizer, pairs, self.encoder.limit, self.batch
        )
        if logits.shape[1] < 2:
            raise AssayError(f"{self.model}: has one output. Give a classifier with two or more classes.")
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def notes(self, items: Items) -> list[str]:
        return note_empty_texts(self.name, items)
