"""PRISM: how likely output and reference are as paraphrases of each other, under a model that translates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics.engine.base import Part
from assay.metrics.engine.external import CheckpointMetric
from assay.metrics.engine.statistics import Dense
from assay.metrics.faithfulness.bartscore import likely_when_empty
from assay.metrics.semantic.similarity import SimilarityMetric
from assay.models.context import Context
from assay.records.items import Items
from assay.systems.neural.conditional import GIVEN, Conditional


@dataclass(frozen=True)
class Prism(CheckpointMetric, SimilarityMetric):
    """The mean logarithm of the probability of a token of the output after the reference, and of the reference after
    the output, averaged; with against=source that of the output after the source alone. Of several references the best
    counts; the mean over items. An empty output is as likely as that the text ends at once."""

    window: int = 512
    """Most tokens of the given text that are read."""

    name: ClassVar = "prism"
    summary: ClassVar = "how likely output and reference are as paraphrases of each other"
    citation: ClassVar = (
        "Thompson and Post (2020), Automatic MT Evaluation in Many Languages via Zero-Shot Paraphrasing"
    )
    model_kind: ClassVar = "seq2seq"
    recommended: ClassVar = "any sequence-to-sequence model that paraphrases; fairseq's own m39v1 cannot be read"

    def __post_init__(self) -> None:
        CheckpointMetric.__post_init__(self)
        SimilarityMetric.__post_init__(self)
        self.require("window", 1)

    @property
    def weights(self) -> Conditional:
        return Conditional(self.model, self.window, "cut", GIVEN)

    def parts(self) -> tuple[Part, ...]:
        return (Part("prism", digits=3, bounds=(None, 0.0)),)

    def why_not(self) -> str | None:
        why = super().why_not()
        if why is None and not self.weights.setting("config.json", "is_encoder_decoder"):
            return f"{self.model}: no sequence-to-sequence model; give one that reads one text and writes another"
        return why

    def compute(self, items: Items, context: Context) -> Dense:
        both = self.against == "references"
        asked = [
            [[(text, output), *([(output, text)] if both else [])] for text in each]
            for output, each in zip(items.outputs, self.texts(items), strict=True)
        ]
        pairs = [pair for item in asked for ways in item for pair in ways]
        logs = dict(zip(pairs, (float(found.mean()) for found in self.weights.logs(pairs, context)), strict=True))
        best = [max(float(np.mean([logs[pair] for pair in ways])) for ways in item) for item in asked]
        return self.rows({"prism": np.array(best)})

    def notes(self, items: Items) -> list[str]:
        return likely_when_empty(self.name, items)
