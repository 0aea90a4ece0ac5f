"""Scores that were made elsewhere (COMET, BLEURT, a judge), item by item: the same folds as for numbers of ours."""

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
    """The mean of scores that a file gives for the items; an item without one is left out and counted.

    Nothing is computed from the texts: the score is what the file says, known by a digest of it.
    """

    column: str = "imported"
    """The column of the file, and the name of the number."""
    better: Literal["higher", "lower", "neither"] = "higher"
    """What is better of it."""
    digest: str = ""
    """Of the scores."""

    name: ClassVar = "imported"
    category: ClassVar = "semantic"
    summary: ClassVar = "scores made elsewhere, given item by item (--scores FILE)"
    needs: ClassVar = ()
    citation: ClassVar = "whoever made the scores"
    extent: ClassVar = ("column", "better", "digest")

    def parts(self) -> tuple[Part, ...]:
        return (Part(self.column, None if self.better == "neither" else self.better, digits=3, bounds=(None, None)),)

    def signature(self, nrefs: str) -> str:
        return f"{self.name}|column:{self.column}|better:{self.better}|version:{version_of(type(self))}"

    def columns(self) -> tuple[str, ...]:
        return self.column, "count"

    def why_not(self) -> str | None:
        return None if self.digest else "its scores come with --scores FILE"

    def statistics(self, items: Items) -> Dense:
        return self.given({}, items.ids)

    def given(self, scores: Mapping[str, float], ids: Sequence[str]) -> Dense:
        """Rows from the score of each item by id; none for those that have no score."""
        held = [scores.get(id) for id in ids]
        values = [[0.0, 0.0] if score is None else [score, 1.0] for score in held]
        return Dense(self.columns(), np.array(values, dtype=np.float64).reshape(len(ids), 2))

    def undefined(self, part: str) -> str:
        return "no item has a score"
