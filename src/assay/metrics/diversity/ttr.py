"""TTR: type-token ratio of the outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.metrics.engine.bags import bag_sums
from assay.metrics.engine.base import Part, Values
from assay.metrics.engine.statistics import Floats, Rows, Tokens, divide, expect
from assay.metrics.engine.word_metric import OwnWords, WordMetric
from assay.stats.resample import Resamples


@dataclass(frozen=True)
class Ttr(WordMetric):
    """Type-token ratio over words split at white space, case kept, as in GEM. It falls with the amount of text."""

    tokenizer: OwnWords = "none"
    """How outputs are split into tokens; `none` splits at white space."""

    name: ClassVar = "ttr"
    category: ClassVar = "diversity"
    summary: ClassVar = "type-token ratio: different words over all words"
    citation: ClassVar = "Vanmassenhove et al. (2021), Machine Translationese"
    lower: ClassVar = False
    size_dependent: ClassVar = True

    def parts(self) -> tuple[Part, ...]:
        return (Part("ttr", digits=3),)

    def fold(self, rows: Rows, resamples: Resamples) -> Values:
        total, kinds = word_sums(rows, resamples).T[:2]
        return {"ttr": divide(kinds, total)}

    def undefined(self, part: str) -> str:
        return "the outputs have no words"


def word_sums(rows: Rows, resamples: Resamples) -> Floats:
    """Return the summary of the bag of words in each resample, with the columns of the kernel."""
    return bag_sums(expect(rows, Tokens, resamples.n), 1, resamples)[0]
