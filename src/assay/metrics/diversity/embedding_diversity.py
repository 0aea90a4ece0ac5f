"""Embedding diversity: mean distance between the sentence embeddings of the outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, Rows, divide
from assay.metrics.semantic.encoder_metric import VectorMetric
from assay.models.context import Context
from assay.records.items import Items
from assay.text.tokenize import narrative_words


@dataclass(frozen=True)
class EmbeddingDiversity(VectorMetric, SumMetric):
    """Mean over all pairs of outputs of 1 minus the cosine of their sentence embeddings; 0 if all outputs have the same
    meaning. It is exact, not sampled: the mean cosine follows from the norm of the sum of all vectors."""

    texts: Literal["plain", "narrative"] = "plain"
    """`plain`: outputs as they are. `narrative`: lower-cased, tokenized, without special tokens of language models."""

    name: ClassVar = "embedding_diversity"
    category: ClassVar = "diversity"
    summary: ClassVar = "mean distance between the sentence embeddings of the outputs"
    citation: ClassVar = "DeLucia et al. (2021), Decoding Methods for Neural Narrative Generation"
    needs: ClassVar = ()
    interdependent: ClassVar = True
    pooled: ClassVar = True
    presets: ClassVar = {"narrative": {"texts": "narrative", "window": 256, "long": "cut"}}

    def parts(self) -> tuple[Part, ...]:
        return (Part("embedding_diversity", digits=3, bounds=(0.0, 2.0)),)

    def compute(self, items: Items, context: Context) -> Dense:
        outputs = items.outputs
        texts = [" ".join(narrative_words(text)) for text in outputs] if self.texts == "narrative" else [*outputs]
        vectors = self.encoder.vectors(texts, context).astype(np.float64)
        squares = np.square(vectors).sum(axis=1)
        return Dense(_columns(vectors.shape[1]), np.column_stack([vectors, squares, np.ones(len(vectors))]))

    def columns(self) -> tuple[str, ...] | None:
        return None if self.why_not() else _columns(self.encoder.size)

    def values(self, sums: Floats) -> Values:
        vectors, squares, count = sums[:, :-2], sums[:, -2], sums[:, -1]
        cosines = divide(np.square(vectors).sum(axis=1) - squares, count * (count - 1))
        return {"embedding_diversity": np.clip(1 - cosines, 0, 2)}

    def per_example(self, rows: Rows) -> Values:
        return {}

    def undefined(self, part: str) -> str:
        return "there is no other output to compare with"


def _columns(size: int) -> tuple[str, ...]:
    return (*(f"v{i}" for i in range(size)), "squares", "count")
