"""Mapping of predicted to gold templates with the best F1 of a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
Mapping = tuple[int | None, ...]
State = tuple[float, float, Mapping]
"""Matched predictions and matched gold entities so far, and the mapping that leads there."""


def best_mapping(
    gold: Sequence[T],
    predicted: Sequence[T],
    matched: Callable[[T, T], tuple[float, float] | None],
    sizes: tuple[float, float],
) -> Mapping:
    """Return the gold template of each prediction, or None; each gold template is used at most once.

    Both sums grow with each match and F1 grows with both, so of the mappings that use the same gold templates only
    those that are not dominated in both sums are kept. The result is exact without trying all mappings.

    Args:
        gold: The gold templates.
        predicted: The predicted templates.
        matched: Returns the matched predicted and gold entities of a pair; None if it may not be paired.
        sizes: Numbers of predicted and gold entities.
    """
    agree = [[matched(wanted, template) for wanted in gold] for template in predicted]
    states: dict[int, list[State]] = {0: [(0.0, 0.0, ())]}
    for row in agree:
        reached: dict[int, list[State]] = {}
        for taken, candidates in states.items():
            for correct, recalled, mapping in candidates:
                for j, pair in enumerate(row):
                    if pair is not None and not taken >> j & 1:
                        state = (correct + pair[0], recalled + pair[1], (*mapping, j))
                        reached.setdefault(taken | 1 << j, []).append(state)
                reached.setdefault(taken, []).append((correct, recalled, (*mapping, None)))
        states = {taken: _undominated(candidates) for taken, candidates in reached.items()}
    ends = [state for candidates in states.values() for state in candidates]
    return min(ends, key=lambda state: (-_f1(state, sizes), _order(state[2])))[2]


def _f1(state: State, sizes: tuple[float, float]) -> float:
    precision, recall = (part / size if size else 0.0 for part, size in zip(state[:2], sizes, strict=True))
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _undominated(states: list[State]) -> list[State]:
    kept: list[State] = []
    for correct, recalled, mapping in sorted(states, key=lambda state: (-state[0], -state[1], _order(state[2]))):
        if not kept or recalled > kept[-1][1]:
            kept.append((correct, recalled, mapping))
    return kept


def _order(mapping: Mapping) -> tuple[float, ...]:
    """Return a sort key: of equal mappings the first in the order of the gold templates wins, None is last."""
    return tuple(float("inf") if j is None else j for j in mapping)
