"""Self-BLEU: BLEU of each output against all others; lower is more diverse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.metrics._kernels import corpus
from assay.metrics.engine.base import Part, Values
from assay.metrics.engine.corpus_weighted import Orders, weighed
from assay.metrics.engine.layout import Layout
from assay.metrics.engine.statistics import Floats, Rows, Tokens, divide
from assay.metrics.engine.word_metric import WordMetric
from assay.metrics.lexical.bleu import ORDER, bleu_scores
from assay.stats.resample import Resamples


@dataclass(frozen=True)
class SelfBleu(WordMetric):
    """Mean over outputs of sentence BLEU with all other outputs as references. It is exact, not sampled."""

    name: ClassVar = "self_bleu"
    category: ClassVar = "diversity"
    summary: ClassVar = "mean sentence BLEU of each output against all others"
    citation: ClassVar = "Zhu et al. (2018), Texygen: A Benchmarking Platform for Text Generation Models"
    size_dependent: ClassVar = True
    interdependent: ClassVar = True
    fewest: ClassVar = 50
    weighed_together: ClassVar = True

    def parts(self) -> tuple[Part, ...]:
        return (Part("self_bleu", "lower", digits=1, bounds=(0.0, 100.0)),)

    def fold(self, rows: Rows, resamples: Resamples) -> Values:
        return self.values(resamples.sums(weighed(self, rows, resamples.n)))

    def per_example(self, rows: Rows) -> Values:
        return self.values(weighed(self, rows))

    def weigh(self, rows: Tokens) -> Floats:
        n = len(rows)
        sums = np.zeros((n, 2 + 2 * ORDER))
        sums[:, 0] = rows.lengths()
        sums[:, 1] = _closest_lengths(rows.lengths())
        alone = Layout(rows.ids, rows.starts, np.zeros(n + 1, dtype=np.int64), len(rows.vocabulary))
        orders = Orders(alone)
        for k in range(ORDER):
            if k:
                orders.next()
            sums[:, 2 + k] = corpus.others(orders.types, rows.starts, orders.size)
            sums[:, 2 + ORDER + k] = np.maximum(rows.lengths() - k, 0)
        scores = bleu_scores(sums, "exp", 0.0, True)[0]
        if n < 2:
            scores = np.full(n, np.nan)
        return np.column_stack([scores, np.ones(n)])

    def values(self, sums: Floats) -> Values:
        return {"self_bleu": divide(sums[:, 0], sums[:, 1])}

    def undefined(self, part: str) -> str:
        return "there is no other output to compare with"


def _closest_lengths(lengths: NDArray[np.int64]) -> Floats:
    """Return for each output the length of the other output that is closest in length; the shorter one on a tie."""
    order = np.argsort(lengths, kind="stable")
    ordered = lengths[order].astype(np.float64)
    below = np.concatenate([[-np.inf], ordered[:-1]])
    above = np.concatenate([ordered[1:], [np.inf]])
    closest = np.empty(len(lengths))
    closest[order] = np.where(above - ordered < ordered - below, above, below)
    return np.where(np.isfinite(closest), closest, 0.0)
