"""Answers in words: rates of systems, what minorities say instead, and what models of annotators make of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.meta.majority import majority_value
from assay.records import Judgement
from assay.stats.annotator_models import MODELS, Truth
from assay.stats.clusters import cluster_error
from assay.stats.interval import share_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

Key = tuple[str, str, str]
"""Input, system and unit: what was judged."""


@dataclass(frozen=True)
class Rate:
    """How often most people gave an answer to a system's texts."""

    system: str
    value: str
    count: int
    of: int
    low: float
    high: float

    @property
    def share(self) -> float:
        return self.count / self.of


def _by_text(judgements: Sequence[Judgement]) -> dict[Key, list[Judgement]]:
    texts: dict[Key, list[Judgement]] = {}
    for judgement in judgements:
        texts.setdefault((judgement.id, judgement.system, judgement.unit), []).append(judgement)
    return texts


def rates(judgements: Sequence[Judgement]) -> list[Rate]:
    """By system and answer, with Wilson's interval; texts without a majority are counted as `no majority`.

    Sentences of one text are alike: the interval is that of so many independent ones as they are worth.
    """
    answers: dict[str, list[tuple[str, str]]] = {}
    for (id, system, _), given in _by_text(judgements).items():
        most = majority_value([judgement.value for judgement in given])
        answers.setdefault(system, []).append((id, "no majority" if most is None else str(most)))
    found = []
    for system, rows in sorted(answers.items()):
        for value, count in sorted(Counter(value for _, value in rows).items()):
            worth = _worth([id for id, _ in rows], np.array([given == value for _, given in rows], dtype=np.float64))
            low, high = share_interval(count / len(rows) * worth, worth)
            found.append(Rate(system, value, count, len(rows), low, high))
    return found


def _worth(ids: Sequence[str], hits: NDArray[np.float64]) -> float:
    """How many independent texts these are worth, never more than there are and never fewer than inputs."""
    n, inputs = len(hits), len(set(ids))
    share = float(hits.mean())
    if inputs == n or inputs < 2 or share in (0.0, 1.0):
        return float(inputs)
    alone = share * (1 - share) / n
    return min(max(n * alone / max(cluster_error(hits - share, ids).error ** 2, 1e-12), inputs), n)


@dataclass(frozen=True)
class Models:
    """What each model takes for true of each text, and how good it takes each person to be."""

    labels: list[str]
    texts: list[Key]
    annotators: list[str]
    truths: dict[str, Truth]

    def answers(self, model: str) -> dict[Key, str]:
        return {text: self.labels[code] for text, code in zip(self.texts, self.truths[model].best, strict=True)}


def model_annotators(judgements: Sequence[Judgement]) -> Models:
    """Majority, Dawid-Skene and MACE over the same answers."""
    labels = sorted({str(judgement.value) for judgement in judgements})
    texts = list(dict.fromkeys((j.id, j.system, j.unit) for j in judgements))
    people = sorted({judgement.annotator for judgement in judgements})
    number = {text: place for place, text in enumerate(texts)}
    item = np.array([number[j.id, j.system, j.unit] for j in judgements])
    who = np.array([people.index(j.annotator) for j in judgements])
    label = np.array([labels.index(str(j.value)) for j in judgements])
    return Models(labels, texts, people, {name: fit(item, who, label) for name, fit in MODELS.items()})


def accuracy(models: Models, truth: Mapping[Key, str]) -> dict[str, tuple[int, int]]:
    """How many texts with a known answer each model gets right."""
    found = {}
    for name in models.truths:
        answers = models.answers(name)
        known = [key for key in answers if key in truth]
        found[name] = sum(answers[key] == truth[key] for key in known), len(known)
    return found


def consistency(judgements: Sequence[Judgement], truth: Mapping[Key, str]) -> dict[str, tuple[int, int]]:
    """Of every person: how many of their answers are those of the gold standard."""
    found: dict[str, tuple[int, int]] = {}
    for judgement in judgements:
        key = (judgement.id, judgement.system, judgement.unit)
        if key in truth:
            right, of = found.get(judgement.annotator, (0, 0))
            found[judgement.annotator] = right + (str(judgement.value) == truth[key]), of + 1
    return dict(sorted(found.items()))
