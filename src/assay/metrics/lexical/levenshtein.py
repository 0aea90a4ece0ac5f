"""Levenshtein similarity: character edit distance to the closest reference, as a ratio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.layout import letters
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.records.items import Items
from assay.text.alignment import common_lengths


@dataclass(frozen=True)
class Levenshtein(MeanMetric):
    """(a + b - distance) / (a + b) for texts of a and b characters, with cost 1 for an insertion or deletion and 2 for
    a substitution; spaces count. The most similar reference counts; mean over items."""

    lowercase: bool = True
    """Lower-case outputs and references."""

    name: ClassVar = "levenshtein"
    category: ClassVar = "lexical"
    summary: ClassVar = "character edit similarity to the closest reference"
    citation: ClassVar = "Levenshtein (1966)"

    def parts(self) -> tuple[Part, ...]:
        return (Part("levenshtein", digits=3),)

    def statistics(self, items: Items) -> Dense:
        layout = letters(items, self.lowercase, True)
        outputs, references = layout.pairs()
        values = similarity(layout.ids, layout.starts, outputs, references)
        best = np.maximum.reduceat(values, layout.first[:-1]) if len(values) else np.full(len(items), np.nan)
        return self.rows({"levenshtein": best})


def similarity(
    codes: NDArray[np.int32], starts: NDArray[np.int64], ours: NDArray[np.int64], theirs: NDArray[np.int64]
) -> Floats:
    """Return the similarity of each pair of texts; two empty texts have similarity 1."""
    lengths = np.diff(starts)
    together = lengths[ours] + lengths[theirs]
    return divide(2 * common_lengths(codes, starts, ours, theirs), together, 1.0)
