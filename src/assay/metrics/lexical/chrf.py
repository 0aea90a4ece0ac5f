"""chrF, chrF+ and chrF++: F-score of character (and word) n-grams; same values and signature as sacrebleu."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics._kernels import chrf as kernel
from assay.metrics.engine.base import Part, SumMetric, Values, version_of
from assay.metrics.engine.layout import letters, words
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.lexical.sacrebleu_signature import sacrebleu_signature
from assay.records.items import Items

BETA = 2
"""Default of sacrebleu, whose signature omits it: another beta changes the name of the metric (chrF3)."""
NOTHING = 1e-16
"""Value of a precision, recall or F-score without n-grams under eps smoothing."""


@dataclass(frozen=True)
class Chrf(SumMetric):
    """Character n-gram F-score. It needs no word tokenizer and works for every script."""

    lowercase: bool = False
    """Lower-case outputs and references."""
    whitespace: bool = False
    """Count white space as a character."""
    char_order: int = 6
    """Highest order of character n-grams."""
    word_order: int = 0
    """Highest order of word n-grams; 0 for none."""
    beta: int = BETA
    """Weight of recall relative to precision."""
    eps_smoothing: bool = False
    """Average the F-scores of all orders, as chrF++.py, NLTK and Moses do."""

    name: ClassVar = "chrf"
    category: ClassVar = "lexical"
    summary: ClassVar = "character n-gram F-score against the references"
    citation: ClassVar = "Popović (2015), chrF: character n-gram F-score for automatic MT evaluation"
    presets: ClassVar = {"gem": {"eps_smoothing": True}}

    def __post_init__(self) -> None:
        self.require("word_order", 0, 100)
        self.require("char_order", 0 if self.word_order else 1, 100)
        self.require("beta", 0, 1000)

    def parts(self) -> tuple[Part, ...]:
        return (Part(self.name, digits=1, bounds=(0.0, 100.0)),)

    def columns(self) -> tuple[str, ...]:
        orders = [f"char{n + 1}" for n in range(self.char_order)] + [f"word{n + 1}" for n in range(self.word_order)]
        return tuple(f"{kind}_{order}" for order in orders for kind in ("output", "reference", "matches"))

    def statistics(self, items: Items) -> Dense:
        chars = letters(items, self.lowercase, self.whitespace)
        own = words(items, "peeled", self.lowercase) if self.word_order else chars
        counts = kernel.chrf(
            chars.ids,
            chars.starts,
            own.ids,
            own.starts,
            chars.first,
            (self.char_order, self.word_order),
            self.beta,
            self.eps_smoothing,
        )
        return Dense(self.columns(), counts.astype(np.float64))

    def values(self, sums: Floats) -> Values:
        output, reference, matches = sums[:, 0::3], sums[:, 1::3], sums[:, 2::3]
        factor = self.beta**2
        both = (output > 0) & (reference > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(output > 0, matches / output, NOTHING)
            recall = np.where(reference > 0, matches / reference, NOTHING)
            if self.eps_smoothing:
                below = factor * precision + recall
                f = np.where(below > 0, (1 + factor) * precision * recall / below, NOTHING)
                return {self.name: 100 * f.sum(axis=1) / f.shape[1]}
            orders = both.sum(axis=1)
            p = np.where(both, precision, 0.0).sum(axis=1) / orders
            r = np.where(both, recall, 0.0).sum(axis=1) / orders
            score = 100 * (1 + factor) * p * r / (factor * p + r)
        return {self.name: np.where((orders > 0) & (p + r > 0), score, 0.0)}

    def signature(self, nrefs: str) -> str:
        return sacrebleu_signature(
            self.name,
            nrefs,
            version_of(type(self)),
            case="lc" if self.lowercase else "mixed",
            eff=not self.eps_smoothing,
            nc=self.char_order,
            nw=self.word_order,
            space=self.whitespace,
            **({} if self.beta == BETA else {"beta": self.beta}),
        )

    def statistics_key(self) -> str:
        return f"{self.name}|beta:{self.beta}|{self.signature('any')}"


@dataclass(frozen=True)
class ChrfPlus(Chrf):
    """chrF with word unigrams."""

    word_order: int = 1
    """Highest order of word n-grams; 0 for none."""

    name: ClassVar = "chrf+"
    summary: ClassVar = "character n-gram and word F-score against the references"
    citation: ClassVar = "Popović (2017), chrF++: words helping character n-grams"


@dataclass(frozen=True)
class ChrfPlusPlus(Chrf):
    """chrF with word unigrams and bigrams."""

    word_order: int = 2
    """Highest order of word n-grams; 0 for none."""

    name: ClassVar = "chrf++"
    summary: ClassVar = "character and word n-gram F-score against the references"
    citation: ClassVar = "Popović (2017), chrF++: words helping character n-grams"
