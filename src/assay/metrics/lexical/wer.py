"""WER: word edit distance to the closest reference over its length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.layout import Layout, without_punctuation
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.records.items import Items
from assay.text.alignment import edit_distances


@dataclass(frozen=True)
class Wer(MeanMetric):
    """Word edits over reference length, in percent; the reference with the lowest rate counts; mean over items. Values
    can exceed 100. Words are lower-cased and punctuation is removed."""

    tokenizer: Literal["gem", "unicode", "none"] = "gem"
    """How texts are split into words; `none` splits at white space."""

    name: ClassVar = "wer"
    category: ClassVar = "lexical"
    summary: ClassVar = "word edits that turn the output into the closest reference"
    citation: ClassVar = "Levenshtein (1966); Gehrmann et al. (2021), The GEM Benchmark, section 5"

    def parts(self) -> tuple[Part, ...]:
        return (Part("wer", "lower", digits=1, bounds=(0.0, None)),)

    def statistics(self, items: Items) -> Dense:
        layout = without_punctuation(items, self.tokenizer)
        return self.rows({"wer": closest(layout, _rates(layout))})

    def undefined(self, part: str) -> str:
        return "no item has references"


def _rates(layout: Layout) -> Floats:
    outputs, references = layout.pairs()
    distance = edit_distances(layout.ids, layout.starts, outputs, references, layout.size)
    length = layout.lengths[references]
    # An empty reference: 0 for an empty output, else 100.
    return 100 * np.where(length > 0, divide(distance, length), distance > 0)


def closest(layout: Layout, values: Floats) -> Floats:
    """Return the lowest value among the references of each item."""
    if not len(values):
        return np.full(layout.items, np.nan)
    return np.minimum.reduceat(values, layout.first[:-1])
