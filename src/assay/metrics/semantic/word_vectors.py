"""Similarity over static subword vectors: greedy matching, word mover's distance, cosine of means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.metrics._kernels import mover
from assay.metrics.engine.base import Part
from assay.metrics.engine.languages import unsupported_languages
from assay.metrics.engine.signatures import MISSING_FILE
from assay.metrics.engine.statistics import Dense
from assay.metrics.semantic.similarity import SimilarityMetric
from assay.models.checkpoints import packaged_languages
from assay.models.subword_vectors import StaticVectors
from assay.records.items import Items
from assay.specs import setting
from assay.text.blank import is_blank

NAMES = ("word_vectors.greedy", "word_vectors.mover", "word_vectors.average")


@dataclass(frozen=True)
class WordVectors(SimilarityMetric):
    """Three similarities over vectors that do not depend on the context of a subword.

    `word_vectors.greedy`: mean cosine of each subword with the most similar one of the other text, averaged over both
    directions. `word_vectors.mover`: 1 minus the minimum cost of moving one text onto the other, where a move costs 1
    minus the cosine. `word_vectors.average`: cosine of the mean vectors. With several references each score is that of
    the best reference; scores are averaged over items. An empty output scores 0.
    """

    model: str = "wordllama"
    """Vectors: `wordllama`, or a folder with model.safetensors (one matrix) and tokenizer.json."""
    languages: str = setting("")
    """Languages of the vectors, such as `en+de` or `any`; empty is English for `wordllama` and any for a folder."""
    name: ClassVar = "word_vectors"
    summary: ClassVar = "similarity of output and reference over static subword vectors"
    citation: ClassVar = (
        "Rus and Lintean (2012), Greedy and Optimal Assessment; Kusner et al. (2015), Word Mover's Distance"
    )
    extra: ClassVar = "neural"

    @property
    def static(self) -> StaticVectors:
        return StaticVectors(self.model)

    def parts(self) -> tuple[Part, ...]:
        return tuple(Part(name, digits=3, bounds=(-1.0, 1.0)) for name in NAMES)

    def options(self) -> dict[str, Any]:
        try:
            return super().options() | {"model": self.static.label}
        except AssayError:
            return super().options() | {"model": MISSING_FILE}

    def why_not(self) -> str | None:
        return self.static.why_not()

    def unfit(self, items: Items) -> str | None:
        read = frozenset(self.languages.split("+")) if self.languages else packaged_languages(self.model)
        return unsupported_languages(self.name, self.model, read, items)

    def statistics(self, items: Items) -> Dense:
        others = self.texts(items)
        texts = list(dict.fromkeys([*items.outputs, *(text for each in others for text in each)]))
        of = dict(zip(texts, self.static.ids(texts), strict=True))
        vectors = self.static.table.vectors
        known: dict[tuple[str, str], tuple[float, float, float]] = {}
        best = []
        for output, each in zip(items.outputs, others, strict=True):
            for text in each:
                if (output, text) not in known:
                    known[output, text] = (
                        _similar(of[output], of[text], vectors) if not is_blank(output) else (0.0, 0.0, 0.0)
                    )
            best.append(np.max([known[output, text] for text in each], axis=0))
        return self.rows(dict(zip(NAMES, np.array(best).T, strict=True)))


def _similar(
    one: NDArray[np.int64], other: NDArray[np.int64], vectors: NDArray[np.float32]
) -> tuple[float, float, float]:
    """Return greedy, mover and average similarity of two texts; 0 if one has no subword."""
    if not len(one) or not len(other):
        return 0.0, 0.0, 0.0
    (a, times_a), (b, times_b) = (np.unique(ids, return_counts=True) for ids in (one, other))
    left, right = (vectors[ids].astype(np.float64) for ids in (a, b))
    cosines = np.clip(left @ right.T, -1, 1)
    greedy = (cosines.max(axis=1) @ times_a / len(one) + cosines.max(axis=0) @ times_b / len(other)) / 2
    # integer weights with equal sums: a subword counts as many units as the other text has subwords
    cost = mover.moved(1 - cosines, times_a * len(other), times_b * len(one)) / (len(one) * len(other))
    means = times_a @ left, times_b @ right
    lengths = np.linalg.norm(means[0]) * np.linalg.norm(means[1])
    average = float(np.clip(means[0] @ means[1] / lengths, -1, 1)) if lengths > 0 else 0.0
    return float(greedy), 1 - cost, average
