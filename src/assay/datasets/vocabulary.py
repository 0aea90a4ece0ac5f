"""Vocabulary of a collection of texts: different words, type-token ratio, and lengths of words and texts."""

from __future__ import annotations

import string
from dataclasses import dataclass, field


def plain_words(text: str) -> list[str]:
    """Split a text at white space and strip punctuation from both ends of each word."""
    return [word for piece in text.split() if (word := piece.strip(string.punctuation))]


@dataclass
class Vocabulary:
    """Counts over texts; memory grows with the number of different words."""

    cased: set[str] = field(default_factory=set)
    uncased: set[str] = field(default_factory=set)
    words: int = 0
    characters: int = 0
    texts: int = 0

    def add(self, text: str) -> None:
        counted = plain_words(text)
        self.texts += 1
        self.words += len(counted)
        self.characters += sum(map(len, counted))
        self.cased.update(counted)
        self.uncased.update(word.lower() for word in counted)

    @property
    def ratio(self) -> float:
        """Type-token ratio of the words without case."""
        return len(self.uncased) / self.words if self.words else 0.0

    @property
    def word_length(self) -> float:
        return self.characters / self.words if self.words else 0.0

    @property
    def text_length(self) -> float:
        return self.words / self.texts if self.texts else 0.0
