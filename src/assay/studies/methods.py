"""Comparison of methods: whether two ways to elicit a criterion order the systems alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assay.meta.ranking import compare_pairs, unit_values
from assay.records import Judgement
from assay.studies.design import Design
from assay.studies.kinds import direction

LEVEL = 0.05


@dataclass(frozen=True)
class MethodPair:
    """Two systems by two methods: differences a - b (higher is better), p-values, and whether they contradict."""

    criterion: str
    a: str
    b: str
    methods: tuple[str, str]
    differences: tuple[float, float]
    p: tuple[float | None, float | None]
    verdict: str
    """contradiction (opposite, and both significant), opposite, same, or no difference in one."""


def compare_methods(judgements: Sequence[Judgement], design: Design | None = None) -> list[MethodPair]:
    """Compare all pairs of systems for every criterion with more than one method; a design gives directions."""
    groups: dict[str, dict[str, list[Judgement]]] = {}
    for judgement in judgements:
        if judgement.method and isinstance(judgement.value, int | float):
            groups.setdefault(judgement.criterion, {}).setdefault(judgement.method, []).append(judgement)
    pairs: list[MethodPair] = []
    for criterion, methods in groups.items():
        tested = {name: _differences(rows, criterion, _sign(name, criterion, design)) for name, rows in methods.items()}
        for first, second in combinations(tested, 2):
            for (a, b), (difference, p) in tested[first].items():
                if (a, b) in tested[second]:
                    other, other_p = tested[second][a, b]
                    verdict = _verdict((difference, p), (other, other_p))
                    values = (difference, other), (p, other_p)
                    pairs.append(MethodPair(criterion, a, b, (first, second), *values, verdict))
    return pairs


def _differences(
    rows: Sequence[Judgement], criterion: str, sign: float
) -> dict[tuple[str, str], tuple[float, float | None]]:
    scores = unit_values(rows, criterion)
    names = sorted(scores)
    ordered = {name: _by_input(scores[name]) for name in names}
    return {
        (pair.a, pair.b): (sign * pair.difference, pair.p)
        for pair in compare_pairs(ordered, "permutation")
        if pair.difference is not None
    }


def _sign(method: str, criterion: str, design: Design | None) -> float:
    question = design.question_of_kind(criterion, method) if design else None
    return -1.0 if direction(method, question) == "lower" else 1.0


def _by_input(units: dict[str, float]) -> dict[str, float]:
    """Return the mean of each input, as two methods may judge different units."""
    values: dict[str, list[float]] = {}
    for key, value in units.items():
        values.setdefault(key.split("\t")[0], []).append(value)
    return {key: float(np.mean(own)) for key, own in values.items()}


def _verdict(first: tuple[float, float | None], second: tuple[float, float | None]) -> str:
    if first[0] == 0 or second[0] == 0:
        return "no difference in one"
    if (first[0] > 0) == (second[0] > 0):
        return "same"
    significant = all(p is not None and p < LEVEL for _, p in (first, second))
    return "contradiction" if significant else "opposite"
