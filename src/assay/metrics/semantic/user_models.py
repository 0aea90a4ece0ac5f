"""How people write: a small language model for each user, over one vocabulary, and where a text ranks among them."""

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
"""What the shorter context weighs, in occurrences of the longer one."""
Ties = Literal["optimistic", "mean", "pessimistic"]


class UserModel:
    """Word n-grams of one user, each context smoothed by the next shorter one and at last by the vocabulary."""

    def __init__(self, texts: Iterable[str], order: int, vocabulary: frozenset[str]) -> None:
        self.order, self.vocabulary = order, vocabulary
        self.grams: Counter[tuple[str, ...]] = Counter()
        self.contexts: Counter[tuple[str, ...]] = Counter()
        for text in texts:
            words = self._words(text)
            for i in range(order - 1, len(words)):
                for size in range(order):
                    self.grams[tuple(words[i - size : i + 1])] += 1
                    self.contexts[tuple(words[i - size : i])] += 1

    def _words(self, text: str) -> list[str]:
        known = [word if word in self.vocabulary else UNKNOWN for word in unicode_words(text)]
        return [START] * (self.order - 1) + known + [END]

    def perplexity(self, text: str) -> float:
        """Of a word, the end of the text among them."""
        words = self._words(text)
        total, count = 0.0, 0
        for i in range(self.order - 1, len(words)):
            probability = 1 / (len(self.vocabulary) + 2)
            for size in range(self.order):
                gram, context = tuple(words[i - size : i + 1]), tuple(words[i - size : i])
                seen = self.contexts[context]
                if not seen:
                    break
                probability = (self.grams[gram] + WEIGHT * probability) / (seen + WEIGHT)
            total -= math.log(probability)
            count += 1
        return math.exp(total / count)


def user_models(path: str, order: int) -> Mapping[str, UserModel]:
    """A model for every user of a file of examples, whose references are what they wrote."""
    return _models(path, order, file_digest(path))


@lru_cache(maxsize=2)
def _models(path: str, order: int, digest: str | None) -> Mapping[str, UserModel]:
    """Known by its content too: a file may change while we run."""
    texts: dict[str, list[str]] = {}
    for example in read_examples(path).examples:
        user = example.tags.get("user")
        if user is None:
            raise AssayError(f"{path}: id {example.id} has no tag user; each text needs to say who wrote it")
        texts.setdefault(user, []).extend(example.references)
    vocabulary = frozenset(word for held in texts.values() for text in held for word in unicode_words(text))
    written = {user: held for user, held in texts.items() if any(map(unicode_words, held))}
    return {user: UserModel(held, order, vocabulary) for user, held in written.items()}


def rank_of(own: float, others: Sequence[float], ties: Ties) -> float:
    """The rank (from 1) of a user's own perplexity among those of all other users' models, the lowest first."""
    lower, equal = sum(other < own for other in others), sum(other == own for other in others)
    return 1 + lower + {"optimistic": 0.0, "mean": equal / 2, "pessimistic": float(equal)}[ties]
