"""Evidence: the sentences of contexts or source that are most similar to a claim."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from assay.metrics.support.claims import Sentence, sentences
from assay.records.types import Example

NEAR = 3
"""Sentences of evidence for each claim."""
SOURCE = "source"
"""Id of the source, if there are no contexts."""


class Evidence(NamedTuple):
    """A sentence of a context."""

    context: str
    sentence: Sentence
    score: float


class Document:
    """The contexts of an item, or its source, as sentences with an index by word."""

    def __init__(self, texts: Sequence[tuple[str, str]]) -> None:
        self.sentences = [(id, one) for id, text in texts for one in sentences(text)]
        self.words = [frozenset(one.content) for _, one in self.sentences]
        frequency = Counter(word for words in self.words for word in words)
        size = len(self.sentences)
        self.weight = {word: math.log((size + 1) / count) + 0.1 for word, count in frequency.items()}
        self.rare = math.log(size + 1) + 0.1
        """Weight of a word that is not in the document."""
        self.where: dict[str, list[int]] = {}
        for i, words in enumerate(self.words):
            for word in words:
                self.where.setdefault(word, []).append(i)
        self.numbers = [number for _, one in self.sentences for number in one.numbers]
        self.names = frozenset(token.form for _, one in self.sentences for token in one.tokens)
        self.dates = frozenset(date for _, one in self.sentences for date in one.dates)
        self.pairs = frozenset(pair for _, one in self.sentences for pair in _neighbours(one))

    def nearest(self, claim: Sentence, near: int = NEAR) -> list[Evidence]:
        """Return the most similar sentences, best first: shared rare words, shared pairs of words, numbers, names."""
        scores: defaultdict[int, float] = defaultdict(float)
        for word in set(claim.content):
            for i in self.where.get(word, ()):
                scores[i] += self.weight[word]
        mine = _neighbours(claim)
        for i in scores:
            one = self.sentences[i][1]
            scores[i] += 0.5 * len(mine & _neighbours(one))
            scores[i] += 1.0 * sum(any(a.agrees(b) for b in one.numbers) for a in claim.numbers)
            scores[i] /= 1 + 0.004 * len(one.tokens)
        best = sorted(scores, key=lambda i: (-scores[i], i))[:near]
        return [Evidence(self.sentences[i][0], self.sentences[i][1], scores[i]) for i in best]

    def missing(self, claim: Sentence, known: frozenset[str]) -> float:
        """Return the share of the content words of a claim, by weight, that are not among known words."""
        words = claim.content
        total = sum(self.weight.get(word, self.rare) for word in words)
        lost = sum(self.weight.get(word, self.rare) for word in words if word not in known)
        return lost / total if total else 0.0


def _neighbours(sentence: Sentence) -> frozenset[tuple[str, str]]:
    words = sentence.content
    return frozenset(pairwise(words))


def texts_of(example: Example) -> list[tuple[str, str]]:
    """Return the contexts of an example with their ids, or its source."""
    if example.contexts:
        return [(one.id, one.text) for one in example.contexts]
    return [(SOURCE, example.source)] if example.source else []
