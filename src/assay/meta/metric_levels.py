"""Accuracy of metrics on pairs of texts and pairs of systems, with the tests between metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.meta.directions import Better
from assay.stats.adjust import holm
from assay.stats.error_effects import mean_effect
from assay.stats.pairwise_accuracy import (
    TextPairs,
    one_sided_p,
    random_flips,
    soft_difference_p,
    soft_pairwise_accuracy,
)
from assay.stats.ranking import shared_ranks
from assay.stats.significance import sign_flip

Average = Literal["item", "system", "global"]
Values = NDArray[np.float64]
FEWEST_INPUTS = 10
"""Inputs below which metrics are not tested against each other."""


@dataclass(frozen=True)
class ChoiceRequest:
    """How metrics are compared: the options of `assay metric choose`."""

    criterion: str | None = None
    average: Average = "item"
    """Pairs of texts that are compared: of the same input, of the same system, or all."""
    directions: Mapping[str, Better] = field(default_factory=dict)
    permutations: int = 1000
    seed: int = 0


class TextLevel:
    """Accuracies of pairs of texts, and the tests between metrics."""

    def __init__(self, pairs: Mapping[str, TextPairs], request: ChoiceRequest) -> None:
        self.pairs = pairs
        self.notes: list[str] = []
        self.tests: list[dict[str, Any]] = []
        shares = {name: _shares(each) for name, each in pairs.items()}
        self.shares = shares
        many = next(iter(pairs.values())).groups
        self.ranks = dict.fromkeys(pairs, 1)
        if many < FEWEST_INPUTS:
            self.notes.append(f"{many} groups of texts: too few for intervals and tests ({FEWEST_INPUTS} are needed)")
            return
        compared = list(combinations(pairs, 2))
        raw = [_flip(shares[a], shares[b], request) for a, b in compared]
        means = {name: float(own.mean()) for name, own in shares.items()}
        self.ranks, self.tests = _ranked(compared, raw, means, "texts")

    def accuracy(self, name: str) -> tuple[float, float, float | None, float | None, float]:
        own = self.shares[name]
        threshold, best = self.pairs[name].calibrated()
        if len(own) < FEWEST_INPUTS:
            return best, float(own.mean()), None, None, threshold
        effect = mean_effect(own, [str(place) for place in range(len(own))])
        return best, effect.value, max(0.0, effect.low), min(1.0, effect.high), threshold


class SystemLevel:
    """Accuracies of pairs of systems, and the tests between metrics."""

    def __init__(self, x: Mapping[str, Values], y: Values, request: ChoiceRequest) -> None:
        flips = random_flips(request.permutations, len(y), request.seed)
        human = one_sided_p(y, flips)
        a, b = np.triu_indices(y.shape[1], 1)
        signs = np.sign((y[:, a] - y[:, b]).sum(axis=0))
        self.values = {
            name: (
                soft_pairwise_accuracy(one_sided_p(own, flips), human),
                float((np.sign((own[:, a] - own[:, b]).sum(axis=0)) == signs).mean()),
            )
            for name, own in x.items()
        }
        compared = list(combinations(x, 2))
        raw = [soft_difference_p(x[m], x[n], human, request.permutations, request.seed)[1] for m, n in compared]
        soft = {name: value[0] for name, value in self.values.items()}
        self.ranks, self.tests = _ranked(compared, raw, soft, "systems")

    def accuracy(self, name: str) -> tuple[float, float, int]:
        return *self.values[name], self.ranks[name]


def _ranked(
    compared: Sequence[tuple[str, str]], raw: Sequence[float], values: Mapping[str, float], level: str
) -> tuple[dict[str, int], list[dict[str, Any]]]:
    adjusted = holm(raw).tolist()
    place = {name: number for number, name in enumerate(values)}
    matrix = np.ones((len(values), len(values)))
    for (a, b), p in zip(compared, adjusted, strict=True):
        matrix[place[a], place[b]] = matrix[place[b], place[a]] = p
    ranks = dict(zip(values, shared_ranks(list(values.values()), matrix), strict=True))
    tests = [
        {"level": level, "a": a, "b": b, "difference": values[a] - values[b], "p": p, "p_adjusted": q}
        for (a, b), p, q in zip(compared, raw, adjusted, strict=True)
    ]
    return ranks, tests


def _shares(pairs: TextPairs) -> Values:
    return pairs.held_out() if pairs.groups > 1 else pairs.right(pairs.calibrated()[0])


def _flip(a: Values, b: Values, request: ChoiceRequest) -> float:
    return 1.0 if (a == b).all() else sign_flip(a, b, samples=request.permutations, seed=request.seed).p
