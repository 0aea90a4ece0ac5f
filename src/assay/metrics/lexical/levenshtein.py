"""Levenshtein similarity: how many characters output and reference share in order."""

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
    """(length + length - distance) / (length + length), where an insertion or deletion costs 1 and a substitution 2;
    on characters, spaces too. Against the most similar reference; the mean over items."""

    lowercase: bool = True

    name: ClassVar = "levenshtein"
    category: ClassVar = "lexical"
    summary: ClassVar = "similarity of the characters with the closest reference"
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
    """Of each pair of texts; two empty texts are alike."""
    lengths = np.diff(starts)
    together = lengths[ours] + lengths[theirs]
    return divide(2 * common_lengths(codes, starts, ours, theirs), together, 1.0)
