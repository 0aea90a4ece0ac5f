"""Logistic regression over 15 features of a candidate: the ranking baseline for neural models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.models.code_digest import file_digest
from assay.models.word_vectors import HASHED, PACKAGE, missing_vectors, word_vectors
from assay.records.inputs import Candidates, read_input
from assay.records.types import Example
from assay.stats.retrieval import average_precision, gold_ranks
from assay.systems.base import System
from assay.systems.tesa_features import Features
from assay.text.wordnet import wordnet_folder

Array = NDArray[np.float64]
BATCH = 4
"""Number of candidates of one ranking per update."""


@dataclass(eq=False)
class Logistic(System):
    """Ranker of candidates by logistic regression."""

    name: ClassVar = "logistic"
    about: ClassVar = "logistic regression over 15 features of candidate, background and context"
    abilities: ClassVar = ("classify",)
    takes_form: ClassVar = False
    trained: ClassVar = True
    presets: ClassVar = {"paper": {"faithful": True}}
    citation: ClassVar = "Jumel, Louis, Cheung (2020), TESA, section 5"

    epochs: int = 50
    """Number of epochs; the best by MAP on the validation examples is kept (`--valid`; default: the last quarter of
    the training examples)."""
    lr: float = 3e-3
    """Learning rate."""
    faithful: bool = False
    """The published behaviour: softmax applied twice, no scaling, and counts that include the training example."""
    only: int = 0
    """Use one feature (1 to 15) as the score, without training (default: 0, all features)."""
    vectors: str = PACKAGE
    """Word vectors of the five cosines: wordllama (a package), a text file of vectors, or hashed (random vectors,
    which measure only shared words)."""

    features: Features = field(default_factory=Features, init=False)
    weights: Array = field(default_factory=lambda: np.zeros((15, 2)), init=False)
    bias: Array = field(default_factory=lambda: np.zeros(2), init=False)
    mean: Array = field(default_factory=lambda: np.zeros(15), init=False)
    scale: Array = field(default_factory=lambda: np.ones(15), init=False)
    valid: list[Example] = field(default_factory=list, init=False)
    curve: list[float] = field(default_factory=list, init=False)
    """Validation MAP after each epoch."""

    def __post_init__(self) -> None:
        self.require("epochs", 1)
        self.require("lr", 1e-9)
        self.require("only", 0, 15)

    def why_not(self) -> str | None:
        return missing_vectors(self.vectors)

    def fingerprint(self) -> list[Any]:
        """Include WordNet, which decides the lemmas, and the file of word vectors."""
        made_of = file_digest(self.vectors) if self.vectors not in (PACKAGE, HASHED) else None
        return [*super().fingerprint(), made_of, wordnet_folder() is not None]

    def choose_by(self, valid: Sequence[Example]) -> None:
        self.valid = list(valid)

    def learn(self, train: Sequence[Example]) -> None:
        """Train; the epoch is selected on the validation examples, or on a held-out quarter."""
        if len(train) < 4:
            raise AssayError(f"system logistic: {len(train)} training examples are too few; give at least 4")
        counts = Counter(text for example in train for text in set(example.references))
        self.features = Features(counts, word_vectors(self.vectors))
        if self.only:
            return
        cut = len(train) if self.valid else len(train) - len(train) // 4
        learn = [self._rows(example, own=not self.faithful) for example in train[:cut]]
        check = [self._rows(example, own=True) for example in train[cut:]]
        check += [self._rows(example, own=False) for example in self.valid]
        if not self.faithful:
            stacked = np.concatenate([rows for rows, _ in learn])
            self.mean, self.scale = stacked.mean(axis=0), stacked.std(axis=0)
            self.scale[self.scale == 0] = 1.0
        reach = 1 / np.sqrt(15)
        random = np.random.default_rng(self.seed)
        self.weights, self.bias = random.uniform(-reach, reach, (15, 2)), random.uniform(-reach, reach, 2)
        best, moments = -1.0, _Adam(self.lr)
        kept = (self.weights, self.bias)
        self.curve = []
        for _ in range(self.epochs):
            for rows, labels in learn:
                for start in range(0, len(rows), BATCH):
                    self._update(moments, rows[start : start + BATCH], labels[start : start + BATCH])
            value = float(np.mean([_average_precision(self._score(rows), labels) for rows, labels in check]))
            self.curve.append(value)
            if value > best:
                best, kept = value, (self.weights.copy(), self.bias.copy())
        self.weights, self.bias = kept

    def _rows(self, example: Example, own: bool) -> tuple[Array, Array]:
        ranking = read_input(example, Candidates)
        counted = [int(own and text in example.references) for text in ranking.candidates]
        return self.features.rows(example, ranking.candidates, counted), np.array(ranking.labels)

    def _probabilities(self, rows: Array) -> Array:
        return _softmax(((rows - self.mean) / self.scale) @ self.weights + self.bias)

    def _score(self, rows: Array) -> Array:
        positive: Array = self._probabilities(rows)[:, 1]
        return positive

    def _update(self, moments: _Adam, rows: Array, labels: Array) -> None:
        probabilities = self._probabilities(rows)
        truth = np.eye(2)[labels.astype(int)]
        if self.faithful:  # the gradient through a second softmax
            outer = (_softmax(probabilities) - truth) / len(rows)
            inner = (outer * probabilities).sum(axis=1, keepdims=True)
            slope = probabilities * (outer - inner)
        else:
            slope = (probabilities - truth) / len(rows)
        scaled = (rows - self.mean) / self.scale
        self.weights, self.bias = moments.step((self.weights, self.bias), (scaled.T @ slope, slope.sum(axis=0)))

    def classify(self, examples: Sequence[Example], candidates: Sequence[Sequence[str]]) -> Iterator[list[float]]:
        for example, texts in zip(examples, candidates, strict=True):
            rows = self.features.rows(example, texts)
            yield (rows[:, self.only - 1] if self.only else self._score(rows)).tolist()

    def usage(self) -> dict[str, Any]:
        if not self.curve:
            return {}
        lemmas = "WordNet" if wordnet_folder() else "by rule (WordNet is not installed)"
        return {
            "best_epoch": int(np.argmax(self.curve)) + 1,
            "valid_map": max(self.curve),
            "vectors": self.vectors,
            "lemmas": lemmas,
        }


def _softmax(values: Array) -> Array:
    shifted = np.exp(values - values.max(axis=1, keepdims=True))
    probabilities: Array = shifted / shifted.sum(axis=1, keepdims=True)
    return probabilities


def _average_precision(scores: Array, labels: Array) -> float:
    ranks = gold_ranks(scores.tolist(), labels.tolist())
    return average_precision(ranks, len(ranks))


@dataclass
class _Adam:
    lr: float
    count: int = 0
    first: list[Array] = field(default_factory=list)
    second: list[Array] = field(default_factory=list)

    def step(self, values: tuple[Array, Array], slopes: tuple[Array, Array]) -> tuple[Array, Array]:
        self.count += 1
        if not self.first:
            self.first = [np.zeros_like(value) for value in values]
            self.second = [np.zeros_like(value) for value in values]
        moved = []
        for i, (value, slope) in enumerate(zip(values, slopes, strict=True)):
            self.first[i] = 0.9 * self.first[i] + 0.1 * slope
            self.second[i] = 0.999 * self.second[i] + 0.001 * slope**2
            up = self.first[i] / (1 - 0.9**self.count)
            spread = np.sqrt(self.second[i] / (1 - 0.999**self.count)) + 1e-8
            moved.append(value - self.lr * up / spread)
        return moved[0], moved[1]
