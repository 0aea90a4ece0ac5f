"""TTR: different words over words, and Yule's I, on the outputs as they are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.metrics.engine.bags import bag_sums
from assay.metrics.engine.base import Part, Values
from assay.metrics.engine.statistics import Floats, Rows, Tokens, divide, expect
from assay.metrics.engine.word_metric import OwnWords, WordMetric
from assay.stats.resample import Draws


@dataclass(frozen=True)
class Ttr(WordMetric):
    """Type-token ratio over white-space words, case kept, as in GEM. It falls with the amount of text."""

    tokenizer: OwnWords = "none"

    name: ClassVar = "ttr"
    category: ClassVar = "diversity"
    summary: ClassVar = "different words over all words"
    citation: ClassVar = "Vanmassenhove et al. (2021), Machine Translationese"
    lower: ClassVar = False
    size_dependent: ClassVar = True

    def parts(self) -> tuple[Part, ...]:
        return (Part("ttr", digits=3),)

    def fold(self, rows: Rows, draws: Draws) -> Values:
        total, kinds = word_sums(rows, draws).T[:2]
        return {"ttr": divide(kinds, total)}

    def undefined(self, part: str) -> str:
        return "the outputs have no words"


def word_sums(rows: Rows, draws: Draws) -> Floats:
    """The summary of the bag of words in each draw; columns as the kernel names them."""
    return bag_sums(expect(rows, Tokens, draws.n), 1, draws)[0]
