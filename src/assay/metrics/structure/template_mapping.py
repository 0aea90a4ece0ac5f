"""Which predicted template stands for which gold one: the map with the best F1 of a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
Mapping = tuple[int | None, ...]
State = tuple[float, float, Mapping]
"""What is right of the predictions so far, what of the gold is found, and the map that leads there."""


def best_mapping(
    gold: Sequence[T],
    predicted: Sequence[T],
    matched: Callable[[T, T], tuple[float, float] | None],
    sizes: tuple[float, float],
) -> Mapping:
    """For each prediction the gold template it stands for, or None; no gold template is taken twice.

    `matched` says what of a pair agrees on either side, None where they may not be paired; `sizes` how much there is of
    predictions and gold.

    Both sums only grow with what is matched, and F1 grows with both, so that of the maps that take the same gold
    templates those that are no worse in either sum are enough: exact, without trying all maps.
    """
    agree = [[matched(held, said) for held in gold] for said in predicted]
    states: dict[int, list[State]] = {0: [(0.0, 0.0, ())]}
    for row in agree:
        reached: dict[int, list[State]] = {}
        for taken, held in states.items():
            for right, found, made in held:
                for j, pair in enumerate(row):
                    if pair is not None and not taken >> j & 1:
                        state = (right + pair[0], found + pair[1], (*made, j))
                        reached.setdefault(taken | 1 << j, []).append(state)
                reached.setdefault(taken, []).append((right, found, (*made, None)))
        states = {taken: _undominated(held) for taken, held in reached.items()}
    ends = [state for held in states.values() for state in held]
    return min(ends, key=lambda state: (-_f1(state, sizes), _order(state[2])))[2]


def _f1(state: State, sizes: tuple[float, float]) -> float:
    precision, recall = (part / size if size else 0.0 for part, size in zip(state[:2], sizes, strict=True))
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _undominated(states: list[State]) -> list[State]:
    kept: list[State] = []
    for right, found, made in sorted(states, key=lambda state: (-state[0], -state[1], _order(state[2]))):
        if not kept or found > kept[-1][1]:
            kept.append((right, found, made))
    return kept


def _order(mapping: Mapping) -> tuple[float, ...]:
    """Of equal maps the first in order of the gold templates is taken, none being last."""
    return tuple(float("inf") if j is None else j for j in mapping)
