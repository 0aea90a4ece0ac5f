"""Local recall: share of the words that n references of an item have in common which the output contains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics._kernels import grams
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.layout import without_punctuation
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.records.items import Items


@dataclass(frozen=True)
class LocalRecall(SumMetric):
    """local_recall-n is the recall of the word types that occur in exactly n references of an item, summed over all
    items. Function words count; words are lower-cased, punctuation is removed."""

    levels: int = 10
    """Highest n that is reported."""

    name: ClassVar = "local_recall"
    category: ClassVar = "lexical"
    summary: ClassVar = "recall of the words that n references of an item share"
    citation: ClassVar = "van Miltenburg et al. (2018), Measuring the Diversity of Automatic Image Descriptions"

    extent: ClassVar = ("levels",)

    def __post_init__(self) -> None:
        self.require("levels", 1, 1000)

    def parts(self) -> tuple[Part, ...]:
        return tuple(Part(f"local_recall-{n}", shown=n == 1, digits=3) for n in range(1, self.levels + 1))

    def columns(self) -> tuple[str, ...]:
        return tuple(f"{kind}-{n}" for n in range(1, self.levels + 1) for kind in ("hits", "types"))

    def statistics(self, items: Items) -> Dense:
        layout = without_punctuation(items, "gem")
        most = max(self.levels, int(np.max(np.diff(layout.first), initial=1)))
        counts = grams.recall(layout.ids, layout.starts, layout.first, most)
        return Dense(self.columns(), counts[:, : 2 * self.levels].astype(np.float64))

    def values(self, sums: Floats) -> Values:
        return {f"local_recall-{n}": divide(sums[:, 2 * n - 2], sums[:, 2 * n - 1]) for n in range(1, self.levels + 1)}

    def undefined(self, part: str) -> str:
        return f"no word occurs in exactly {part.rpartition('-')[2]} references of an item"
