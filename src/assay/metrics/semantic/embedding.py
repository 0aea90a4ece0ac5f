"""Sentence embeddings: how near an output is to its reference as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics.engine.base import Part
from assay.metrics.engine.statistics import Dense
from assay.metrics.semantic.encoder_metric import EncoderMetric
from assay.models.context import Context
from assay.records.items import Items


@dataclass(frozen=True)
class Embedding(EncoderMetric):
    """The cosine of the vectors of an output and of the nearest of its references, each read alone (a bi-encoder); the
    mean over items. An empty output counts 0, as does one beside nothing but empty texts."""

    name: ClassVar = "embedding"
    summary: ClassVar = "cosine of sentence embeddings of output and reference"
    citation: ClassVar = "Reimers and Gurevych (2019), Sentence-BERT; Beken Fikri et al. (2021), Semantic Similarity"
    pooled: ClassVar = True

    def parts(self) -> tuple[Part, ...]:
        return (Part("embedding", digits=3, bounds=(-1.0, 1.0)),)

    def compute(self, items: Items, context: Context) -> Dense:
        others = self.texts(items)
        texts = list(dict.fromkeys([*items.outputs, *(text for each in others for text in each)]))
        of = dict(zip(texts, self.encoder.vectors(texts, context).astype(np.float64), strict=True))
        nearest = self.best(items, lambda output, text: float(of[output] @ of[text]))
        return self.rows({"embedding": np.clip(nearest, -1, 1)})
