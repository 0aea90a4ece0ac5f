"""Acceptability: probability that the sentences of an output are acceptable, by a classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.challenges.damage import QUESTION
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.external import CheckpointMetric, class_index
from assay.metrics.engine.statistics import Dense, Floats
from assay.models.checkpoints import read_recipe
from assay.models.context import Context
from assay.models.load import load
from assay.models.text_pairs import pair_logits
from assay.records.files import digest_of
from assay.records.items import Items
from assay.text.blank import is_blank
from assay.text.sentences import Splitter, split_sentences

GOOD = ("acceptable", "yes", "grammatical", "label_1", "1")
"""Accepted names of the positive class."""
SHARE = "acceptability.share"


@dataclass(frozen=True)
class Acceptability(CheckpointMetric, MeanMetric):
    """Mean probability of the class `acceptable` over the sentences of an output, averaged over outputs.

    `acceptability.share` is the share of outputs in which no sentence is unacceptable with a probability above
    `threshold`. An empty output scores 0.
    """

    unit: Literal["sentences", "whole"] = "sentences"
    """Unit that is classified: each sentence, or the whole output."""
    threshold: float = 0.5
    """Probability above which a sentence is unacceptable, for `acceptability.share`."""
    splitter: Splitter = "multilingual"
    """Rule that splits sentences."""

    name: ClassVar = "acceptability"
    category: ClassVar = "descriptive"
    summary: ClassVar = "probability that the sentences of the outputs are acceptable"
    citation: ClassVar = (
        "Bakshi et al. (2021), Structure-to-Text Generation with Self-Training and Acceptability Classifiers"
    )
    needs: ClassVar = ()
    model_kind: ClassVar = "classifier:2"
    truncates: ClassVar = "end"
    recommended: ClassVar = "a model of `assay system train classifier:acceptability`, or a CoLA classifier"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("threshold", 0, 1)

    def parts(self) -> tuple[Part, ...]:
        return Part("acceptability", digits=3), Part(SHARE, shown=False, digits=3)

    def compute(self, items: Items, context: Context) -> Dense:
        units = [self._units(text, example.language) for text, example in zip(items.outputs, items.bare, strict=True)]
        texts = list(dict.fromkeys(unit for each in units for unit in each))
        encoder = self.encoder
        namespace = f"{encoder.label}-{encoder.limit}-acceptable-{digest_of(encoder.libraries)[:8]}"
        probabilities = (
            context.cache.through(namespace, texts, lambda new: list(self._probabilities(new, context)))
            if texts
            else []
        )
        of = {text: float(value[0]) for text, value in zip(texts, probabilities, strict=True)}
        means = [float(np.mean([of[unit] for unit in each])) if each else 0.0 for each in units]
        good = [bool(each) and all(1 - of[unit] <= self.threshold for unit in each) for each in units]
        return self.rows({"acceptability": np.array(means), SHARE: np.array(good, dtype=np.float64)})

    def _units(self, text: str, language: str | None) -> list[str]:
        if is_blank(text):
            return []
        return split_sentences(text, self.splitter, language) if self.unit == "sentences" else [text]

    def _probabilities(self, texts: list[str], context: Context) -> Floats:
        loaded = load(str(self.encoder.folder), classifier=True)
        model = loaded.model.to(context.torch_device())
        place = class_index(
            GOOD, self.model, model.config, 2, "Give a model with two classes, one named acceptable or yes."
        )
        trained_here = "learned_from" in read_recipe(self.encoder.folder)
        pairs = [(QUESTION, text) if trained_here else (text, None) for text in texts]
        logits = pair_logits(model, loaded.tokenizer, pairs, self.encoder.limit, self.batch)
        return np.asarray(1 / (1 + np.exp(logits[:, [1 - place]] - logits[:, [place]])))

    def notes(self, items: Items) -> list[str]:
        empty = sum(is_blank(text) for text in items.outputs)
        return [f"acceptability: {empty} empty output{'s score' if empty > 1 else ' scores'} 0"] if empty else []
