"""N-gram language models of users over a shared vocabulary, and the rank of a user's model for a text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from assay.errors import AssayError
from assay.models.code_digest import file_digest
from assay.records.read import read_examples
from assay.text.tokenize import unicode_words

START, END, UNKNOWN = "<s>", "</s>", "<unk>"
WEIGHT = 2.0
"""Weight of the shorter context, in occurrences of the longer one."""
DISCOUNT = 0.75
"""Taken from every count by Kneser-Ney smoothing."""
Smoothing = Literal["shorter", "kneser-ney"]
Ties = Literal["optimistic", "mean", "pessimistic"]


class UserModel:
    """Word n-gram model of one user; each context is smoothed with the next shorter one, the shortest with a uniform
    one."""

    def __init__(self, texts: Iterable[str], order: int, vocabulary: frozenset[str]) -> None:
        self.order, self.vocabulary = order, vocabulary
        self.texts = 0
        """Number of texts."""
        self.grams: Counter[tuple[str, ...]] = Counter()
        self.contexts: Counter[tuple[str, ...]] = Counter()
        for text in texts:
            self.texts += 1
            words = self._words(text)
            for i in range(order - 1, len(words)):
                for size in range(order):
                    self.grams[tuple(words[i - size : i + 1])] += 1
                    self.contexts[tuple(words[i - size : i])] += 1

    def _words(self, text: str) -> list[str]:
        known = [word if word in self.vocabulary else UNKNOWN for word in unicode_words(text)]
        return [START] * (self.order - 1) + known + [END]

    def perplexity(self, text: str) -> float:
        """Return the perplexity per word, the end of the text included."""
        words = self._words(text)
        logs = [-math.log(self.probability(words, i)) for i in range(self.order - 1, len(words))]
        return math.exp(sum(logs) / len(logs))

    def probability(self, words: Sequence[str], i: int) -> float:
        """Return the probability of a word after the words before it."""
        probability = 1 / (len(self.vocabulary) + 2)
        for size in range(self.order):
            gram, context = tuple(words[i - size : i + 1]), tuple(words[i - size : i])
            seen = self.contexts[context]
            if not seen:
                break
            probability = (self.grams[gram] + WEIGHT * probability) / (seen + WEIGHT)
        return probability


class KneserNeyModel(UserModel):
    """The same with interpolated Kneser-Ney smoothing: a short context counts the different words before it, and the
    shortest is mixed with a uniform one."""

    def __init__(self, texts: Iterable[str], order: int, vocabulary: frozenset[str]) -> None:
        super().__init__(texts, order, vocabulary)
        preceded = Counter(gram[1:] for gram in self.grams)
        for gram in self.grams:
            if len(gram) < order:
                self.grams[gram] = preceded[gram]
        self.contexts = Counter()
        self.followers: Counter[tuple[str, ...]] = Counter()
        for gram, count in self.grams.items():
            self.contexts[gram[:-1]] += count
            self.followers[gram[:-1]] += 1

    def probability(self, words: Sequence[str], i: int) -> float:
        probability = 1 / (len(self.vocabulary) + 2)
        for size in range(self.order):
            gram, context = tuple(words[i - size : i + 1]), tuple(words[i - size : i])
            seen = self.contexts[context]
            if not seen:
                break
            shared = DISCOUNT * self.followers[context] * probability
            probability = (max(self.grams[gram] - DISCOUNT, 0.0) + shared) / seen
        return probability


def user_models(path: str, order: int, smoothing: Smoothing = "shorter") -> Mapping[str, UserModel]:
    """Return one model per user of a file of examples, whose references are texts of the user."""
    return _models(path, order, smoothing, file_digest(path))


@lru_cache(maxsize=2)
def _models(path: str, order: int, smoothing: Smoothing, digest: str | None) -> Mapping[str, UserModel]:
    """Build the models; the digest is an argument, so that a changed file is read again."""
    texts: dict[str, list[str]] = {}
    for example in read_examples(path).examples:
        user = example.tags.get("user")
        if user is None:
            raise AssayError(f'{path}: id {example.id}: tag "user" is missing. Add the author of each text.')
        texts.setdefault(user, []).extend(example.references)
    vocabulary = frozenset(word for each in texts.values() for text in each for word in unicode_words(text))
    nonempty = {user: each for user, each in texts.items() if any(map(unicode_words, each))}
    made = KneserNeyModel if smoothing == "kneser-ney" else UserModel
    return {user: made(each, order, vocabulary) for user, each in nonempty.items()}


def rank_of(own: float, others: Sequence[float], ties: Ties) -> float:
    """Return the rank (from 1) of a perplexity among those of the other users, the lowest first."""
    lower, equal = sum(other < own for other in others), sum(other == own for other in others)
    return 1 + lower + {"optimistic": 0.0, "mean": equal / 2, "pessimistic": float(equal)}[ties]
