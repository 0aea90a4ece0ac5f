"""Repetition: share of the n-grams of an output that repeat earlier ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics._kernels import grams
from assay.metrics.engine.base import MeanMetric, Part, Values
from assay.metrics.engine.layout import words
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.records.items import Items

ORDERS = (1, 2, 3, 4)


@dataclass(frozen=True)
class Repetition(MeanMetric):
    """Share of the n-grams of an output that occurred earlier in it; mean over the outputs that have n-grams.

    High values indicate the loops of degenerate decoding.
    """

    name: ClassVar = "repetition"
    category: ClassVar = "diversity"
    summary: ClassVar = "share of the n-grams of an output that repeat earlier ones"
    citation: ClassVar = "Welleck et al. (2020), Neural Text Generation with Unlikelihood Training"
    needs: ClassVar = ()

    def parts(self) -> tuple[Part, ...]:
        return tuple(Part(f"repetition-{n}", "lower", shown=n == ORDERS[-1], digits=3) for n in ORDERS)

    def columns(self) -> tuple[str, ...]:
        return tuple(f"{kind}-{n}" for n in ORDERS for kind in ("share", "count"))

    def statistics(self, items: Items) -> Dense:
        layout = words(items, "gem", True, references=False)
        n = len(items)
        empty = np.concatenate([layout.starts, np.full(n, layout.starts[-1])])  # no sources
        counts = grams.novel(layout.ids, empty, np.zeros(n + 1, dtype=np.int64), len(ORDERS))
        columns: list[Floats] = []
        for k in range(len(ORDERS)):
            total = np.maximum(layout.lengths - k, 0)
            columns += [divide(total - counts[:, 2 * k], total, 0.0), (total > 0).astype(np.float64)]
        return Dense(self.columns(), np.column_stack(columns))

    def values(self, sums: Floats) -> Values:
        return {f"repetition-{n}": divide(sums[:, 2 * k], sums[:, 2 * k + 1]) for k, n in enumerate(ORDERS)}

    def undefined(self, part: str) -> str:
        return f"no output has {part.rpartition('-')[2]} tokens or more"
