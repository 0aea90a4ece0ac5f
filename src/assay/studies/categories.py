"""Categorical judgements: rates by system, annotator models, accuracy against a gold standard."""

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
from assay.stats.interval import wilson_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

Key = tuple[str, str, str]
"""Input, system and unit of a judged text."""


@dataclass(frozen=True)
class Rate:
    """How often the majority of annotators chose a value for the texts of a system."""

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
    """Return the rate of each value by system with Wilson's interval; `no majority` counts as a value.

    Sentences of one text are correlated: the interval uses their effective sample size.
    """
    by_system: dict[str, list[tuple[str, str]]] = {}
    for (id, system, _), rows in _by_text(judgements).items():
        majority = majority_value([judgement.value for judgement in rows])
        by_system.setdefault(system, []).append((id, "no majority" if majority is None else str(majority)))
    result = []
    for system, texts in sorted(by_system.items()):
        for value, count in sorted(Counter(value for _, value in texts).items()):
            hits = np.array([each == value for _, each in texts], dtype=np.float64)
            effective = _effective_size([id for id, _ in texts], hits)
            low, high = wilson_interval(count / len(texts) * effective, effective)
            result.append(Rate(system, value, count, len(texts), low, high))
    return result


def _effective_size(ids: Sequence[str], hits: NDArray[np.float64]) -> float:
    """Return the effective number of independent texts, between the number of inputs and that of texts."""
    n, inputs = len(hits), len(set(ids))
    share = float(hits.mean())
    if inputs == n or inputs < 2 or share in (0.0, 1.0):
        return float(inputs)
    alone = share * (1 - share) / n
    return min(max(n * alone / max(cluster_error(hits - share, ids).error ** 2, 1e-12), inputs), n)


@dataclass(frozen=True)
class AnnotatorModels:
    """Labels inferred by each annotator model, and the competence it estimates for each annotator."""

    labels: list[str]
    texts: list[Key]
    annotators: list[str]
    truths: dict[str, Truth]

    def answers(self, model: str) -> dict[Key, str]:
        """Return the label that a model infers for each text."""
        return {text: self.labels[code] for text, code in zip(self.texts, self.truths[model].best, strict=True)}


def model_annotators(judgements: Sequence[Judgement]) -> AnnotatorModels:
    """Fit the majority vote, the Dawid-Skene model and MACE to the same judgements."""
    labels = sorted({str(judgement.value) for judgement in judgements})
    texts = list(dict.fromkeys((j.id, j.system, j.unit) for j in judgements))
    annotators = sorted({judgement.annotator for judgement in judgements})
    number = {text: index for index, text in enumerate(texts)}
    item = np.array([number[j.id, j.system, j.unit] for j in judgements])
    annotator = np.array([annotators.index(j.annotator) for j in judgements])
    label = np.array([labels.index(str(j.value)) for j in judgements])
    truths = {name: fit(item, annotator, label) for name, fit in MODELS.items()}
    return AnnotatorModels(labels, texts, annotators, truths)


def accuracy(models: AnnotatorModels, truth: Mapping[Key, str]) -> dict[str, tuple[int, int]]:
    """Return for each model the number of texts with the gold label, and of all texts with one."""
    result = {}
    for name in models.truths:
        answers = models.answers(name)
        known = [key for key in answers if key in truth]
        result[name] = sum(answers[key] == truth[key] for key in known), len(known)
    return result


def consistency(judgements: Sequence[Judgement], truth: Mapping[Key, str]) -> dict[str, tuple[int, int]]:
    """Return for each annotator the number of judgements equal to the gold standard, and of all that have one."""
    result: dict[str, tuple[int, int]] = {}
    for judgement in judgements:
        key = (judgement.id, judgement.system, judgement.unit)
        if key in truth:
            right, of = result.get(judgement.annotator, (0, 0))
            result[judgement.annotator] = right + (str(judgement.value) == truth[key]), of + 1
    return dict(sorted(result.items()))
