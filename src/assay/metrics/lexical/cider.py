"""CIDEr: cosine similarity of TF-IDF vectors of n-grams, with document frequencies from the references of the set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.metrics._kernels import corpus
from assay.metrics.engine.base import Part, Values
from assay.metrics.engine.corpus_weighted import CorpusWeightedMetric, Orders
from assay.metrics.engine.large_weights import Layouts, consensus
from assay.metrics.engine.layout import are_words, from_rows, keep_words
from assay.metrics.engine.statistics import Floats, Tokens, divide

ORDER = 4


@dataclass(frozen=True)
class Cider(CorpusWeightedMetric):
    """CIDEr-D, the version of the authors' code and of captioning leaderboards; `:plain` is the original formula."""

    clip: bool = True
    """Clip n-gram counts to those of the reference."""
    sigma: float = 6.0
    """Width of the Gaussian length penalty; 0 for none."""

    name: ClassVar = "cider"
    category: ClassVar = "lexical"
    summary: ClassVar = "consensus with the references by TF-IDF-weighted n-grams"
    citation: ClassVar = "Vedantam et al. (2015), CIDEr: Consensus-based Image Description Evaluation"
    presets: ClassVar = {"plain": {"clip": False, "sigma": 0.0}}

    def __post_init__(self) -> None:
        self.require("sigma", 0.001 if self.sigma > 0 else 0, 1000)

    def parts(self) -> tuple[Part, ...]:
        return (Part("cider", bounds=(0.0, 10.0), sized=True),)

    def weigh(self, rows: Tokens) -> Floats:
        words = are_words(rows.vocabulary)
        if rows.large:
            return self._weigh_on_disk(rows, words)
        layout = keep_words(from_rows(rows), words)
        # The authors' code measures length in bigrams.
        lengths = np.maximum(layout.lengths - 1, 0)
        score = np.zeros(layout.items)
        orders = Orders(layout)
        for n in range(1, ORDER + 1):
            if n > 1:
                orders.next()
            score += corpus.consensus(
                orders.types, layout.starts, layout.first, orders.size, self.clip, self.sigma, lengths
            )
        return _rows(score)

    def _weigh_on_disk(self, rows: Tokens, words: NDArray[np.bool_]) -> Floats:
        score = np.zeros(len(rows))
        layouts = Layouts(rows, lambda layout: keep_words(layout, words))
        for span, similarity in consensus(layouts, ORDER, self.clip, self.sigma):
            score[span] += similarity
        return _rows(score)

    def values(self, sums: Floats) -> Values:
        return {"cider": divide(sums[:, 0], sums[:, 1])}

    def undefined(self, part: str) -> str:
        return "document frequencies need at least two items"


def _rows(score: Floats) -> Floats:
    if len(score) < 2:  # with one document all document frequencies are equal
        score[:] = np.nan
    return np.column_stack([10 * score / ORDER, np.ones(len(score))])
