"""Against the source: which n-grams are new, how much is copied in a row, how much shorter the output is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.metrics._kernels import grams
from assay.metrics.base import Part, SumMetric, Values
from assay.metrics.layout import words
from assay.metrics.statistics import Dense, Floats, divide
from assay.records.items import Items

ORDERS = (1, 2, 3)
NAMES = (*(f"novel-{n}" for n in ORDERS), "coverage", "density", "compression")


@dataclass(frozen=True)
class Novelty(SumMetric):
    """novel-n: the share of an output's different n-grams that its source does not have (what is left is copied).
    coverage: the share of its tokens inside fragments copied from the source; density: the mean length of the
    fragment a token stands in; compression: source tokens over output tokens. Means over the outputs that have
    tokens (for novel-n: n-grams)."""

    tokenizer: Literal["gem", "unicode", "none"] = "gem"
    lowercase: bool = True

    name: ClassVar = "novelty"
    category: ClassVar = "source"
    summary: ClassVar = "what is new, copied and left out compared with the source"
    citation: ClassVar = "Grusky et al. (2018), Newsroom; See et al. (2017), Get To The Point"
    needs: ClassVar = ("sources",)

    def parts(self) -> tuple[Part, ...]:
        bounds: dict[str, tuple[float | None, float | None]] = {"density": (0, None), "compression": (0, None)}
        shown = ("novel-2", "density", "compression")
        return tuple(Part(n, None, shown=n in shown, digits=3, bounds=bounds.get(n, (0, 1))) for n in NAMES)

    def columns(self) -> tuple[str, ...]:
        return tuple(f"{name} {kind}" for name in NAMES for kind in ("share", "count"))

    def statistics(self, items: Items) -> Dense:
        layout = words(items, self.tokenizer, self.lowercase, sources=True, references=False)
        n = len(items)
        counts = grams.novel(layout.ids, layout.starts, layout.first, len(ORDERS))
        outputs = np.arange(n, dtype=np.int64)
        copied, squares = grams.fragments(layout.ids, layout.starts, outputs, outputs + n).T
        own, source = layout.lengths[:n], layout.lengths[n:]
        columns: list[Floats] = []
        for k in range(len(ORDERS)):
            kinds = counts[:, 2 * k]
            columns += [divide(counts[:, 2 * k + 1], kinds, 0.0), (kinds > 0).astype(np.float64)]
        for part in (copied, squares, source):
            columns += [divide(part, own, 0.0), (own > 0).astype(np.float64)]
        return Dense(self.columns(), np.column_stack(columns))

    def values(self, sums: Floats) -> Values:
        return {name: divide(sums[:, 2 * k], sums[:, 2 * k + 1]) for k, name in enumerate(NAMES)}

    def undefined(self, part: str) -> str:
        return "no output has n-grams of this length" if part.startswith("novel") else "the outputs are empty"
