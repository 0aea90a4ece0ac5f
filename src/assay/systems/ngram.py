"""Word n-gram language model with add-one smoothing: a likelihood baseline without a neural network."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from assay.records.types import Example
from assay.systems.base import Logprob, System

START, END, UNKNOWN = "<s>", "</s>", "<unk>"


@dataclass(eq=False)
class Ngram(System):
    """Word n-gram language model trained on the references."""

    name: ClassVar = "ngram"
    about: ClassVar = "word n-grams of the training references, add-one smoothing; ignores the input"
    abilities: ClassVar[tuple[str, ...]] = ("logprob", "classify")
    takes_form: ClassVar = False
    trained: ClassVar = True

    n: int = 2
    """Order of the model: words per n-gram."""

    grams: Counter[tuple[str, ...]] = field(default_factory=Counter, init=False)
    contexts: Counter[tuple[str, ...]] = field(default_factory=Counter, init=False)
    vocabulary: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self.require("n", 1)

    def learn(self, train: Sequence[Example]) -> None:
        for example in train:
            for reference in example.references:
                words = [START] * (self.n - 1) + reference.split() + [END]
                self.vocabulary.update(words)
                for i in range(self.n - 1, len(words)):
                    context = tuple(words[i - self.n + 1 : i])
                    self.grams[(*context, words[i])] += 1
                    self.contexts[context] += 1
        self.vocabulary.add(UNKNOWN)

    def _logprob(self, history: list[str], word: str) -> float:
        known = [w if w in self.vocabulary or w == START else UNKNOWN for w in [*history, word]]
        context = tuple(known[len(known) - self.n : -1])
        return math.log((self.grams[(*context, known[-1])] + 1) / (self.contexts[context] + len(self.vocabulary)))

    def logprob(
        self, examples: Sequence[Example], continuations: Sequence[Sequence[str]], prefixes: Sequence[str]
    ) -> Iterator[list[Logprob]]:
        for texts, prefix in zip(continuations, prefixes, strict=True):
            before = [START] * (self.n - 1) + prefix.split()
            scored = []
            for text in texts:
                words = text.split()
                tokens = tuple(self._logprob(before + words[:i], word) for i, word in enumerate(words))
                scored.append(Logprob(tokens, self._logprob(before + words, END)))
            yield scored

    def classify(self, examples: Sequence[Example], candidates: Sequence[Sequence[str]]) -> Iterator[list[float]]:
        for scored in self.logprob(examples, candidates, [""] * len(examples)):
            yield [math.exp(value.mean()) for value in scored]
