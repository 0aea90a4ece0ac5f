"""chrF and chrF++: F-score of character (and word) n-grams, by sacrebleu and with its signature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from assay.metrics.base import Part, SumMetric, Values
from assay.metrics.rows import Dense, Floats
from assay.metrics.sacre import extract, sacrebleu_signature
from assay.records import Items

if TYPE_CHECKING:
    from sacrebleu.metrics.chrf import CHRF


@dataclass(frozen=True)
class Chrf(SumMetric):
    """Character n-gram F-score; works for every script, since it needs no words."""

    lowercase: bool = False
    whitespace: bool = False
    char_order: int = 6
    word_order: int = 0
    beta: int = 2

    name: ClassVar = "chrf"
    category: ClassVar = "lexical"
    summary: ClassVar = "character n-gram F-score against the references"
    citation: ClassVar = "Popović (2015), chrF: character n-gram F-score for automatic MT evaluation"

    def parts(self) -> tuple[Part, ...]:
        return (Part(self.name, digits=1, bounds=(0.0, 100.0)),)

    def statistics(self, items: Items) -> Dense:
        orders = [f"char{n + 1}" for n in range(self.char_order)] + [f"word{n + 1}" for n in range(self.word_order)]
        columns = tuple(f"{kind}_{order}" for order in orders for kind in ("output", "reference", "matches"))
        return Dense(columns, extract(self._sacrebleu(), items))

    def values(self, sums: Floats) -> Values:
        scorer = self._sacrebleu()
        return {self.name: np.array([scorer._compute_f_score(row) for row in sums.tolist()])}

    def signature(self, nrefs: str) -> str:
        return sacrebleu_signature(self._sacrebleu(), nrefs)

    def _sacrebleu(self) -> CHRF:
        from sacrebleu.metrics.chrf import CHRF

        return CHRF(
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
            whitespace=self.whitespace,
        )


@dataclass(frozen=True)
class ChrfPlusPlus(Chrf):
    """chrF with word unigrams and bigrams added."""

    word_order: int = 2

    name: ClassVar = "chrf++"
    summary: ClassVar = "character and word n-gram F-score against the references"
    citation: ClassVar = "Popović (2017), chrF++: words helping character n-grams"
