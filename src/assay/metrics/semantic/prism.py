"""PRISM: probability of output and reference as paraphrases of each other, under a sequence-to-sequence model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics.engine.base import Part
from assay.metrics.engine.external import CheckpointMetric
from assay.metrics.engine.statistics import Dense
from assay.metrics.faithfulness.bartscore import note_empty_outputs
from assay.metrics.semantic.similarity import SimilarityMetric
from assay.models.context import Context
from assay.records.items import Items
from assay.systems.neural.conditional import GIVEN, Conditional


@dataclass(frozen=True)
class Prism(CheckpointMetric, SimilarityMetric):
    """Mean token log-probability of the output given the reference and of the reference given the output, averaged.

    With `against=source`: of the output given the source only. With several references the best counts; scores are
    averaged over items. An empty output has the probability of an immediate end of text.
    """

    window: int = 512
    """Maximum number of tokens of the conditioning text; the rest is cut."""

    name: ClassVar = "prism"
    summary: ClassVar = "probability of output and reference as paraphrases of each other"
    citation: ClassVar = (
        "Thompson and Post (2020), Automatic MT Evaluation in Many Languages via Zero-Shot Paraphrasing"
    )
    model_kind: ClassVar = "seq2seq"
    recommended: ClassVar = "any sequence-to-sequence paraphrasing model; the fairseq model m39v1 is not supported"

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
            return f"{self.model}: not a sequence-to-sequence model. Give one that was trained to paraphrase."
        return why

    def compute(self, items: Items, context: Context) -> Dense:
        both = self.against == "references"
        directions = [
            [[(text, output), *([(output, text)] if both else [])] for text in each]
            for output, each in zip(items.outputs, self.texts(items), strict=True)
        ]
        pairs = [pair for item in directions for ways in item for pair in ways]
        logs = dict(zip(pairs, (float(tokens.mean()) for tokens in self.weights.logs(pairs, context)), strict=True))
        best = [max(float(np.mean([logs[pair] for pair in ways])) for ways in item) for item in directions]
        return self.rows({"prism": np.array(best)})

    def notes(self, items: Items) -> list[str]:
        return note_empty_outputs(self.name, items)
