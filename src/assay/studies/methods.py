"""The same criterion asked in two ways: do the answers put the systems in the same order?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assay.meta.ranking import compare_pairs, unit_values
from assay.records import Judgement
from assay.studies.kinds import lower_is_better

LEVEL = 0.05


@dataclass(frozen=True)
class MethodPair:
    """Two systems by two methods: the differences a - b (more is better), their p, and whether they contradict."""

    criterion: str
    a: str
    b: str
    methods: tuple[str, str]
    differences: tuple[float, float]
    p: tuple[float | None, float | None]
    verdict: str
    """contradiction (opposite, both beyond chance), opposite, same, or no difference in one."""


def compare_methods(judgements: Sequence[Judgement]) -> list[MethodPair]:
    """All pairs of systems, for every criterion that was asked by more than one method."""
    groups: dict[str, dict[str, list[Judgement]]] = {}
    for judgement in judgements:
        if judgement.method and isinstance(judgement.value, int | float):
            groups.setdefault(judgement.criterion, {}).setdefault(judgement.method, []).append(judgement)
    found: list[MethodPair] = []
    for criterion, methods in groups.items():
        tested = {name: _tested(given, criterion, name) for name, given in methods.items()}
        for first, second in combinations(tested, 2):
            for (a, b), (gap, p) in tested[first].items():
                if (a, b) in tested[second]:
                    other_gap, other_p = tested[second][a, b]
                    verdict = _verdict((gap, p), (other_gap, other_p))
                    pair = (gap, other_gap), (p, other_p)
                    found.append(MethodPair(criterion, a, b, (first, second), *pair, verdict))
    return found


def _tested(
    given: Sequence[Judgement], criterion: str, method: str
) -> dict[tuple[str, str], tuple[float, float | None]]:
    scores = unit_values(given, criterion)
    names = sorted(scores)
    sign = -1.0 if lower_is_better(method) else 1.0
    ordered = {name: _by_input(scores[name]) for name in names}
    return {
        (pair.a, pair.b): (sign * pair.difference, pair.p)
        for pair in compare_pairs(ordered, "permutation")
        if pair.difference is not None
    }


def _by_input(units: dict[str, float]) -> dict[str, float]:
    """Means of inputs: of two methods the units need not be the same."""
    values: dict[str, list[float]] = {}
    for key, value in units.items():
        values.setdefault(key.split("\t")[0], []).append(value)
    return {key: float(np.mean(given)) for key, given in values.items()}


def _verdict(first: tuple[float, float | None], second: tuple[float, float | None]) -> str:
    if first[0] == 0 or second[0] == 0:
        return "no difference in one"
    if (first[0] > 0) == (second[0] > 0):
        return "same"
    sure = all(p is not None and p < LEVEL for _, p in (first, second))
    return "contradiction" if sure else "opposite"
