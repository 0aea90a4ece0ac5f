"""BLEURT: a regression model trained on human ratings of outputs given a reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import Part
from assay.metrics.engine.external import CheckpointMetric
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.semantic.similarity import SimilarityMetric
from assay.models.context import Context
from assay.models.load import load
from assay.models.text_pairs import cached_pair_rows, pair_logits
from assay.records.files import digest_of
from assay.records.items import Items

OWN_TYPE = "bleurt"
"""`model_type` of BLEURT-20, an architecture that transformers does not support."""


@dataclass(frozen=True)
class Bleurt(CheckpointMetric, SimilarityMetric):
    """Rating of the output by a model that reads reference and output together, in this order.

    The rating is not rescaled: about -2 to 1 for the first checkpoints, 0 to 1 for later ones. Scores are averaged over
    items. An empty output is rated like any other.
    """

    several: Literal["mean", "best"] = "mean"
    """Aggregation over several references."""

    name: ClassVar = "bleurt"
    summary: ClassVar = "predicted human rating of the output given the reference"
    citation: ClassVar = "Sellam et al. (2020), BLEURT: Learning Robust Metrics for Text Generation"
    model_kind: ClassVar = "classifier:1"
    truncates: ClassVar = "longer"
    recommended: ClassVar = "Elron/bleurt-base-128, Elron/bleurt-large-512, or a folder of them saved as safetensors"

    def __post_init__(self) -> None:
        CheckpointMetric.__post_init__(self)
        SimilarityMetric.__post_init__(self)

    def parts(self) -> tuple[Part, ...]:
        return (Part("bleurt", digits=3, bounds=(None, None)),)

    def why_not(self) -> str | None:
        why = super().why_not()
        if why is None and self.weights.setting("config.json", "model_type") == OWN_TYPE:
            why = "BLEURT-20 needs bleurt-pytorch and transformers below 5"
            return f"{self.model}: {why}. Score there and import with --scores, or use {self.recommended}."
        return why

    def compute(self, items: Items, context: Context) -> Dense:
        others = self.texts(items)
        pairs = [(text, output) for output, each in zip(items.outputs, others, strict=True) for text in each]
        encoder = self.encoder
        namespace = f"{encoder.label}-{encoder.limit}-ratings-{digest_of(encoder.libraries)[:8]}"
        of = cached_pair_rows(namespace, pairs, lambda new: self._rated(new, context), context)
        aggregate = np.mean if self.several == "mean" else np.max
        ratings = [
            float(aggregate([of[text, output][0] for text in each]))
            for output, each in zip(items.outputs, others, strict=True)
        ]
        return self.rows({"bleurt": np.array(ratings)})

    def _rated(self, pairs: list[tuple[str, str]], context: Context) -> Floats:
        loaded = load(str(self.encoder.folder), classifier=True)
        if loaded.model.config.num_labels != 1:
            raise AssayError(
                f"{self.model}: has {loaded.model.config.num_labels} outputs; BLEURT has one. Give a BLEURT checkpoint."
            )
        model = loaded.model.to(context.torch_device())
        return pair_logits(model, loaded.tokenizer, pairs, self.encoder.limit, self.batch)

    def notes(self, items: Items) -> list[str]:
        return []
