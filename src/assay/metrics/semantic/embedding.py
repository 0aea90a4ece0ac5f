"""Cosine similarity of sentence embeddings (bi-encoder)."""

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
    """Cosine of the sentence vectors of an output and its most similar reference, averaged over items.

    Each text is encoded on its own (bi-encoder). An empty output scores 0, as does one whose references are all empty.
    """

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
