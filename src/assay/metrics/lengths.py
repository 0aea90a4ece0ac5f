"""How long the outputs are, in tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics.base import Part, Values
from assay.metrics.statistics import Rows
from assay.metrics.word_metric import NOPUNCT, PLAIN, WordMetric
from assay.stats.resample import Draws


@dataclass(frozen=True)
class Lengths(WordMetric):
    """Mean and total number of tokens, with and without punctuation marks."""

    name: ClassVar = "lengths"
    category: ClassVar = "descriptive"
    summary: ClassVar = "how long the outputs are, in tokens"
    citation: ClassVar = "Gehrmann et al. (2021), The GEM Benchmark, section 5"

    def parts(self) -> tuple[Part, ...]:
        return tuple(
            Part(name + suffix, None, shown=name == "mean_length" and not suffix, digits=digits, bounds=(0, None))
            for suffix in (PLAIN, NOPUNCT)
            for name, digits in (("mean_length", 1), ("total_length", 0))
        )

    def fold(self, rows: Rows, draws: Draws) -> Values:
        values: Values = {}
        lengths = {suffix: tokens.lengths() for suffix, tokens in self.variants(rows, draws.n)}
        *totals, items = draws.sums(np.column_stack([*lengths.values(), np.ones(len(rows))])).T
        for suffix, total in zip(lengths, totals, strict=True):
            values["mean_length" + suffix] = total / items
            values["total_length" + suffix] = total
        return values

    def per_example(self, rows: Rows) -> Values:
        values: Values = {}
        for suffix, tokens in self.variants(rows):
            values["mean_length" + suffix] = tokens.lengths().astype(np.float64)
        return values
