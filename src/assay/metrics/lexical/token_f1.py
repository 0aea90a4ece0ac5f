"""Token F1: bag-of-words overlap of output and reference."""

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
    """F1, precision and recall of shared words (split at white space), as in SQuAD. The reference with the best F1
    counts; mean over items. Two texts without words score 1, an empty text against words scores 0."""

    lowercase: bool = True
    """Lower-case outputs and references."""
    punctuation: bool = False
    """Keep punctuation; without it, `can't` is `cant`."""
    articles: bool = True
    """Keep a, an and the."""

    name: ClassVar = "token_f1"
    category: ClassVar = "lexical"
    summary: ClassVar = "bag-of-words overlap of output and reference"
    citation: ClassVar = (
        "Rajpurkar et al. (2016), SQuAD; Dinan et al. (2019), The Second Conversational Intelligence Challenge"
    )
    presets: ClassVar = {"convai2": {"articles": False}}

    def parts(self) -> tuple[Part, ...]:
        return tuple(Part(name, shown=name == NAMES[0], digits=3) for name in NAMES)

    def words(self, text: str) -> list[str]:
        """Return the words of a text that are compared."""
        text = text.lower() if self.lowercase else text
        if not self.punctuation:
            text = "".join(letter for letter in text if not _is_mark(letter))
        return [word for word in text.split() if self.articles or word.lower() not in ARTICLES]

    def statistics(self, items: Items) -> Dense:
        scores = []
        for output, references in zip(items.outputs, items.references, strict=True):
            mine = self.words(output)
            scores.append(max(_overlap(mine, self.words(text)) for text in references))
        values = np.array(scores, dtype=np.float64).reshape(-1, len(NAMES))
        return self.rows(dict(zip(NAMES, values.T, strict=True)))

    def notes(self, items: Items) -> list[str]:
        empty = sum(not text.strip() for text in items.outputs)
        return [f"token_f1: {empty} of {len(items)} outputs are empty"] if empty else []


def _overlap(one: list[str], other: list[str]) -> tuple[float, float, float]:
    """Return F1, precision and recall; F1 first, so that `max` selects the reference with the best F1."""
    if not one or not other:
        return (1.0, 1.0, 1.0) if one == other else (0.0, 0.0, 0.0)
    shared = (Counter(one) & Counter(other)).total()
    precision, recall = shared / len(one), shared / len(other)
    return 2 * precision * recall / (precision + recall) if shared else 0.0, precision, recall


@lru_cache(maxsize=4096)
def _is_mark(letter: str) -> bool:
    """Return whether a character is ASCII punctuation or a symbol, or punctuation of another script."""
    return letter in string.punctuation or (not letter.isascii() and unicodedata.category(letter).startswith("P"))
