"""Lengths of the outputs in tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics.engine.base import Part, Values
from assay.metrics.engine.statistics import Floats, Rows
from assay.metrics.engine.word_metric import NOPUNCT, PLAIN, WordMetric
from assay.stats.interval import FEWEST_UNITS
from assay.stats.resample import Resamples


@dataclass(frozen=True)
class Lengths(WordMetric):
    """Mean and total number of tokens, with and without punctuation."""

    name: ClassVar = "lengths"
    category: ClassVar = "descriptive"
    summary: ClassVar = "length of the outputs in tokens"
    citation: ClassVar = "Gehrmann et al. (2021), The GEM Benchmark, section 5"
    presets: ClassVar = {"multiwoz": {"tokenizer": "multiwoz"}}
    fewest: ClassVar = FEWEST_UNITS

    def parts(self) -> tuple[Part, ...]:
        parts = []
        for suffix in (PLAIN, NOPUNCT):
            parts.append(Part("mean_length" + suffix, None, shown=not suffix, digits=1, bounds=(0, None)))
            parts.append(Part("total_length" + suffix, None, shown=False, digits=0, bounds=(0, None), sized=True))
        return tuple(parts)

    def summands(self, rows: Rows, n: int | None = None) -> Floats:
        lengths = [tokens.lengths() for _, tokens in self.variants(rows, n)]
        return np.column_stack([*lengths, np.ones(len(rows))])

    def values(self, sums: Floats) -> Values:
        values: Values = {}
        *totals, items = sums.T
        for suffix, total in zip((PLAIN, NOPUNCT), totals, strict=True):
            values["mean_length" + suffix] = total / items
            values["total_length" + suffix] = total
        return values

    def fold(self, rows: Rows, resamples: Resamples) -> Values:
        return self.values(resamples.sums(self.summands(rows, resamples.n)))

    def expected(self, rows: Rows, items: int) -> dict[str, float]:
        return {"total_length" + suffix: items * tokens.lengths().mean() for suffix, tokens in self.variants(rows)}

    def per_example(self, rows: Rows) -> Values:
        values: Values = {}
        for suffix, tokens in self.variants(rows):
            values["mean_length" + suffix] = tokens.lengths().astype(np.float64)
        return values
