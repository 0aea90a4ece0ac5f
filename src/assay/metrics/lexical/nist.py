"""NIST: n-gram matches weighted by their information, as in mteval-v13a."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.metrics._kernels import corpus
from assay.metrics.engine.base import Part, Values
from assay.metrics.engine.corpus_weighted import CorpusWeightedMetric, Orders
from assay.metrics.engine.large_weights import Layouts, information
from assay.metrics.engine.layout import Layout, from_rows
from assay.metrics.engine.spill import mapped_zeros, release_pages
from assay.metrics.engine.statistics import Floats, Tokens

BETA = -np.log(0.5) / np.log(1.5) ** 2


@dataclass(frozen=True)
class Nist(CorpusWeightedMetric):
    """A matching n-gram has the information log2(count of its first n-1 words / its own count), with counts from the
    references of the set. The sum of each order is divided by the number of n-grams of the outputs. Outputs shorter
    than the references are penalised."""

    order: int = 5
    """Highest order of n-grams."""
    counting: Literal["mteval", "gem"] = "mteval"
    """How short outputs are counted. `mteval`: an output too short for an n-gram has none, and an empty one has no
    words. `gem`: k words have k - n + 1 n-grams, even if negative, and an empty text is one empty word."""

    name: ClassVar = "nist"
    category: ClassVar = "lexical"
    summary: ClassVar = "n-gram matches weighted by their information"
    citation: ClassVar = (
        "Doddington (2002), Automatic Evaluation of Machine Translation Quality Using N-gram Statistics"
    )
    tokens: ClassVar = ("13a", True)
    presets: ClassVar = {"gem": {"counting": "gem"}}

    def __post_init__(self) -> None:
        self.require("order", 1, 100)

    def parts(self) -> tuple[Part, ...]:
        return (Part("nist", bounds=(0.0, None), sized=True),)

    def weigh(self, rows: Tokens) -> Floats:
        if rows.large:
            return self._weigh_on_disk(rows)
        layout = self._laid(from_rows(rows))
        table = np.zeros((layout.items, 2 * self.order + 1))
        below = np.array([self._fill_lengths(table, layout)], dtype=np.int64)
        orders = Orders(layout)
        for k in range(self.order):
            if k:
                orders.next()
            table[:, k], below = corpus.information(
                orders.types, layout.starts, layout.first, orders.size, orders.prefix, below
            )
        return table

    def _weigh_on_disk(self, rows: Tokens) -> Floats:
        layouts = Layouts(rows, self._laid)
        table = mapped_zeros(len(rows), 2 * self.order + 1)
        total = 0
        for number in range(len(layouts)):
            total += self._fill_lengths(table[layouts.span(number)], layouts.layout(number))
        for k, span, weights in information(layouts, self.order, total):
            table[span, k] = weights
            release_pages(table)
        return table

    def _laid(self, layout: Layout) -> Layout:
        return layout.filled() if self.counting == "gem" else layout

    def _fill_lengths(self, table: Floats, layout: Layout) -> int:
        """Fill all columns but the information; return the number of words in all references."""
        n = layout.items
        lengths = layout.lengths
        totals = np.concatenate([[0], np.cumsum(lengths[n : n + layout.first[-1]])])
        of_references = totals[layout.first[1:]] - totals[layout.first[:-1]]
        for k in range(self.order):
            table[:, self.order + k] = lengths[:n] - k
        if self.counting == "mteval":
            table[:, self.order : -1] = np.maximum(table[:, self.order : -1], 0)
        table[:, -1] = of_references / np.maximum(np.diff(layout.first), 1)
        return int(of_references.sum())

    def values(self, sums: Floats) -> Values:
        information, totals, reference = sums[:, : self.order], sums[:, self.order : -1], sums[:, -1]
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.where(totals > 0, information / totals, 0.0).sum(axis=1)
            ratio = totals[:, 0] / reference
            penalty = np.where(ratio >= 1, 1.0, np.where(ratio > 0, np.exp(-BETA * np.log(ratio) ** 2), 0.0))
        return {"nist": score * penalty}
