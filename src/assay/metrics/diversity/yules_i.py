"""Yule's I: lexical diversity that depends less on length than TTR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.metrics.diversity.ttr import word_sums
from assay.metrics.engine.base import Part, Values
from assay.metrics.engine.statistics import Rows, divide
from assay.metrics.engine.word_metric import OwnWords, WordMetric
from assay.stats.resample import Resamples


@dataclass(frozen=True)
class YulesI(WordMetric):
    """Types squared over (sum of squared counts - types), on words split at white space, case kept, as in GEM."""

    tokenizer: OwnWords = "none"
    """How outputs are split into tokens; `none` splits at white space."""

    name: ClassVar = "yules_i"
    category: ClassVar = "diversity"
    summary: ClassVar = "lexical diversity from the repetition rate of words"
    citation: ClassVar = "Yule (1944); Vanmassenhove et al. (2021), Machine Translationese"
    lower: ClassVar = False
    size_dependent: ClassVar = True

    def parts(self) -> tuple[Part, ...]:
        return (Part("yules_i", digits=3, bounds=(0.0, None)),)

    def fold(self, rows: Rows, resamples: Resamples) -> Values:
        sums = word_sums(rows, resamples)
        kinds, squares = sums[:, 1], sums[:, 4]
        return {"yules_i": divide(kinds**2, squares - kinds)}

    def undefined(self, part: str) -> str:
        return "no word occurs twice"
