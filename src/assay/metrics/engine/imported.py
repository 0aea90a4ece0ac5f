"""Per-item scores computed outside assay (COMET, BLEURT, a judge), with the same intervals and tests as any metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.metrics.engine.base import MeanMetric, Part, version_of
from assay.metrics.engine.statistics import Dense
from assay.records.items import Items


@dataclass(frozen=True)
class Imported(MeanMetric):
    """Mean of the per-item scores in a file.

    Items without a score are omitted from the mean, and their number is reported. Nothing is computed from the texts;
    the signature identifies the scores by a digest.
    """

    column: str = "imported"
    """Column of the file, and name of the score."""
    better: Literal["higher", "lower", "neither"] = "higher"
    """Direction of the score."""
    digest: str = ""
    """Digest of the scores (set by assay)."""

    name: ClassVar = "imported"
    category: ClassVar = "semantic"
    summary: ClassVar = "per-item scores computed outside assay (--scores FILE)"
    needs: ClassVar = ()
    citation: ClassVar = "the authors of the imported metric"
    extent: ClassVar = ("column", "better", "digest")

    def parts(self) -> tuple[Part, ...]:
        return (Part(self.column, None if self.better == "neither" else self.better, digits=3, bounds=(None, None)),)

    def signature(self, nrefs: str) -> str:
        return f"{self.name}|column:{self.column}|better:{self.better}|version:{version_of(type(self))}"

    def columns(self) -> tuple[str, ...]:
        return self.column, "count"

    def why_not(self) -> str | None:
        return None if self.digest else "needs scores: give them with --scores FILE"

    def statistics(self, items: Items) -> Dense:
        return self.rows_from({}, items.ids)

    def rows_from(self, scores: Mapping[str, float], ids: Sequence[str]) -> Dense:
        """Return the rows of these items from scores by id; an item without a score does not count."""
        values = [[0.0, 0.0] if (score := scores.get(id)) is None else [score, 1.0] for id in ids]
        return Dense(self.columns(), np.array(values, dtype=np.float64).reshape(len(ids), 2))

    def undefined(self, part: str) -> str:
        return "no item has a score"
