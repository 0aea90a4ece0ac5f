"""Evidence: the sentences of contexts or source that are most similar to a claim."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from assay.metrics.support.claims import Sentence, Token, initials, sentences
from assay.metrics.support.lexicon import ALSO_CALLED, SAME_AS
from assay.records.types import Example

NEAR = 3
"""Sentences of evidence for each claim."""
SYNONYM = 0.3
"""Share of the weight of a missing word that counts if the evidence has a word that may replace it."""
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
        self.acronyms = {letters: forms for _, one in self.sentences for letters, forms in initials(one).items()}
        self.proper = frozenset(name for _, one in self.sentences for name in one.names)
        self.plain = frozenset(token.form for _, one in self.sentences for token in one.tokens if token.text.islower())
        self.neighbours = [_neighbours(one) for _, one in self.sentences]
        self.pairs = frozenset(pair for pairs in self.neighbours for pair in pairs)

    def nearest(self, claim: Sentence, near: int = NEAR) -> list[Evidence]:
        """Return the most similar sentences, best first: shared rare words, shared pairs of words, numbers, names."""
        scores: defaultdict[int, float] = defaultdict(float)
        words = set(claim.content)
        words |= {part for token in claim.tokens if token.text.isupper() for part in self._spelled_out(token)}
        words |= {letters for letters in initials(claim) if letters in self.where}
        for word in words:
            for i in self.where.get(word, ()):
                scores[i] += self.weight[word]
        mine = _neighbours(claim)
        for i in scores:
            one = self.sentences[i][1]
            scores[i] += 0.5 * len(mine & self.neighbours[i])
            if claim.numbers and one.numbers:
                scores[i] += 1.0 * sum(any(a.agrees(b) for b in one.numbers) for a in claim.numbers)
            scores[i] /= 1 + 0.004 * len(one.tokens)
        best = sorted(scores, key=lambda i: (-scores[i], i))[:near]
        return [Evidence(self.sentences[i][0], self.sentences[i][1], scores[i]) for i in best]

    def _spelled_out(self, token: Token) -> frozenset[str]:
        return self.acronyms.get(token.text.lower(), frozenset())

    def named(self, claim: Sentence) -> Sentence:
        """Return a claim whose first word is a name if the document has it as one."""
        first = claim.tokens[0] if claim.tokens else None
        if first is None or not first.text[0].isupper() or first.form not in self.proper - self.plain:
            return claim
        return claim._replace(names=claim.names | {first.form})

    def missing(self, claim: Sentence, known: frozenset[str]) -> float:
        """Return the share of the content words of a claim, by weight, that are not among known words.

        A word counts less if a word that may replace it is known, and not at all under another name.
        """
        words = claim.content
        weights = [self.weight.get(word, self.rare) for word in words]
        total = sum(weights)
        if not total:
            return 0.0
        renamed = self.renamed(claim, known)
        lost = 0.0
        for word, weight in zip(words, weights, strict=True):
            if word not in known and word not in renamed:
                lost += weight * (1.0 if SAME_AS.get(word, frozenset()).isdisjoint(known) else SYNONYM)
        return lost / total

    def renamed(self, claim: Sentence, known: frozenset[str]) -> frozenset[str]:
        """Return the words of a claim that are among known words under another name: WHO, World Health Organization."""
        others = {word for word in claim.content if any(parts <= known for parts in ALSO_CALLED.get(word, ()))}
        others |= {token.form for token in claim.tokens if token.text.isupper() and self._spelled_out(token)}
        for letters, forms in initials(claim).items():
            if letters in known or letters.upper() in known:
                others |= forms
        return frozenset(others)


def _neighbours(sentence: Sentence) -> frozenset[tuple[str, str]]:
    words = sentence.content
    return frozenset(pairwise(words))


def sources_instead(examples: Sequence[Example]) -> list[str]:
    """Return a note if some items have contexts and others are checked against their source, often the question."""
    bare = [example.id for example in examples if not example.contexts]
    if not 0 < len(bare) < len(examples):
        return []
    return [
        f"support: {len(bare)} of {len(examples)} items have no contexts (id {bare[0]} first); they are checked "
        "against their source, which may be only the question"
    ]


def texts_of(example: Example) -> list[tuple[str, str]]:
    """Return the contexts of an example with their ids, or its source."""
    if example.contexts:
        return [(one.id, one.text) for one in example.contexts]
    return [(SOURCE, example.source)] if example.source else []
