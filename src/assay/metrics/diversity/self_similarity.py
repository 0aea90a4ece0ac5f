"""Self-similarity: mean cosine between the embeddings of outputs, and between the sentences of one output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics.diversity.embedding_diversity import EmbeddingDiversity
from assay.metrics.engine.base import Part, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.models.context import Context
from assay.records.items import Items
from assay.text.blank import is_blank
from assay.text.sentences import Splitter, split_sentences

WITHIN = "self_similarity.within"


@dataclass(frozen=True)
class SelfSimilarity(EmbeddingDiversity):
    """Mean over all pairs of outputs of the cosine of their sentence embeddings (1 minus embedding_diversity).
    `self_similarity.within`: the same over all pairs of sentences of one output; mean over the outputs with at least
    two sentences."""

    splitter: Splitter = "multilingual"
    """Sentence splitter."""

    name: ClassVar = "self_similarity"
    summary: ClassVar = "mean similarity between outputs, and between the sentences of an output, by embeddings"
    citation: ClassVar = "Reimers and Gurevych (2019), Sentence-BERT; Zhu et al. (2018), Texygen (self-BLEU)"
    presets: ClassVar = {"narrative": {"texts": "narrative", "window": 256, "long": "cut"}}

    def parts(self) -> tuple[Part, ...]:
        return (
            Part("self_similarity", "lower", digits=3, bounds=(-1.0, 1.0)),
            Part(WITHIN, "lower", shown=False, digits=3, bounds=(-1.0, 1.0)),
        )

    def compute(self, items: Items, context: Context) -> Dense:
        between = super().compute(items, context)
        cut = [
            [sentence for sentence in split_sentences(text, self.splitter, example.language) if not is_blank(sentence)]
            for text, example in zip(items.outputs, items.bare, strict=True)
        ]
        vectors = self.encoder.vectors([sentence for each in cut for sentence in each], context).astype(np.float64)
        within, place = np.zeros((len(items), 2)), 0
        for i, sentences in enumerate(cut):
            count = len(sentences)
            if count > 1:
                some = vectors[place : place + count]
                length = float(np.square(some.sum(axis=0)).sum())
                within[i] = np.clip((length - np.square(some).sum()) / (count * (count - 1)), -1, 1), 1
            place += count
        return Dense((*between.columns, *_columns()), np.column_stack([between.values, within]))

    def columns(self) -> tuple[str, ...] | None:
        between = super().columns()
        return between and (*between, *_columns())

    def values(self, sums: Floats) -> Values:
        far = super().values(sums[:, :-2])["embedding_diversity"]
        return {"self_similarity": 1 - far, WITHIN: divide(sums[:, -2], sums[:, -1])}

    def undefined(self, part: str) -> str:
        return "no output has two sentences or more" if part == WITHIN else super().undefined(part)


def _columns() -> tuple[str, ...]:
    return "within", "within_count"
