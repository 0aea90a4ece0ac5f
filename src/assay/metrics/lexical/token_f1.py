"""Token F1: the words that output and reference share, however they are ordered."""

from __future__ import annotations

import string
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.statistics import Dense
from assay.records.items import Items

NAMES = ("token_f1", "token_f1.precision", "token_f1.recall")
ARTICLES = frozenset(("a", "an", "the"))


@dataclass(frozen=True)
class TokenF1(MeanMetric):
    """Words between white space, each counted as often as it stands on both sides: precision is their share of the
    output's words, recall their share of the reference's, F their harmonic mean. Of several references the one with the
    best F counts; the mean over items. Two texts without words are equal and count 1, one against words counts 0."""

    lowercase: bool = True
    punctuation: bool = False
    """Whether marks are kept; without them `can't` is `cant`."""
    articles: bool = True
    """Whether a, an and the are kept."""

    name: ClassVar = "token_f1"
    category: ClassVar = "lexical"
    summary: ClassVar = "words that output and reference share, in any order"
    citation: ClassVar = (
        "Rajpurkar et al. (2016), SQuAD; Dinan et al. (2019), The Second Conversational Intelligence Challenge"
    )
    presets: ClassVar = {"convai2": {"articles": False}}

    def parts(self) -> tuple[Part, ...]:
        return tuple(Part(name, shown=name == NAMES[0], digits=3) for name in NAMES)

    def words(self, text: str) -> list[str]:
        text = text.lower() if self.lowercase else text
        if not self.punctuation:
            text = "".join(letter for letter in text if not _is_mark(letter))
        return [word for word in text.split() if self.articles or word.lower() not in ARTICLES]

    def statistics(self, items: Items) -> Dense:
        found = []
        for output, references in zip(items.outputs, items.references, strict=True):
            mine = self.words(output)
            found.append(max(_overlap(mine, self.words(text)) for text in references))
        values = np.array(found, dtype=np.float64).reshape(-1, len(NAMES))
        return self.rows(dict(zip(NAMES, values.T, strict=True)))

    def notes(self, items: Items) -> list[str]:
        empty = sum(not text.strip() for text in items.outputs)
        return (
            [f"token_f1: {empty} empty output{'s' * (empty > 1)}, which share{'s' * (empty == 1)} no word"]
            if empty
            else []
        )


def _overlap(one: list[str], other: list[str]) -> tuple[float, float, float]:
    """F first, so that the best of several is the one with the best F."""
    if not one or not other:
        return (1.0, 1.0, 1.0) if one == other else (0.0, 0.0, 0.0)
    shared = (Counter(one) & Counter(other)).total()
    precision, recall = shared / len(one), shared / len(other)
    return 2 * precision * recall / (precision + recall) if shared else 0.0, precision, recall


@lru_cache(maxsize=4096)
def _is_mark(letter: str) -> bool:
    """ASCII's marks and symbols, and the marks of other scripts."""
    return letter in string.punctuation or (not letter.isascii() and unicodedata.category(letter).startswith("P"))
