"""Every two of several systems at once: p corrected by the largest difference of all, groups, places with doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def step_down(observed: Values, null: Values, exact: bool = False) -> Values:
    """p of each difference, adjusted for all of them by Westfall and Young's step-down maximum.

    `observed` are absolute studentised differences, `null` the same under the null hypothesis, one row a swap that is
    common to all. What depends on each other is corrected less than by Holm, and a thousand swaps are enough however
    many the pairs. With `exact` the rows are all swaps there are; otherwise one is added for the one that was observed.
    """
    order = np.argsort(-observed, kind="stable")
    largest = np.maximum.accumulate(null[:, order[::-1]], axis=1)[:, ::-1]  # of this pair and all that differ less
    adjusted = np.empty(len(observed))
    adjusted[order] = np.maximum.accumulate(unadjusted_p(observed[order], largest, exact))
    return adjusted


def unadjusted_p(observed: Values, null: Values, exact: bool = False) -> Values:
    """p of each difference by itself: the share of swaps (columns of `null`) that come as far, up to rounding."""
    reached = (null >= observed * (1 - 1e-9)).sum(axis=0)
    return np.asarray(reached / len(null) if exact else (reached + 1) / (len(null) + 1))


def tied_groups(systems: Sequence[str], apart: Mapping[tuple[str, str], bool]) -> list[list[str]]:
    """The largest groups of systems of which no two are told apart, in the order given; a system may be in several."""
    alike = {
        system: {other for other in systems if other != system and not _apart(apart, system, other)}
        for system in systems
    }
    found: list[set[str]] = []

    def extend(group: set[str], left: set[str], done: set[str]) -> None:
        if not left and not done:
            found.append(group)
            return
        # Whoever is alike to most stands for all of them: without it, n systems that are all alike take 2^n steps.
        pivot = max(left | done, key=lambda each: len(left & alike[each]))
        for system in [each for each in systems if each in left - alike[pivot]]:
            extend(group | {system}, left & alike[system], done & alike[system])
            left = left - {system}
            done = done | {system}

    extend(set(), set(systems), set())
    ordered = [[system for system in systems if system in group] for group in found]
    return sorted(ordered, key=lambda group: [systems.index(system) for system in group])


def rank_ranges(systems: Sequence[str], apart: Mapping[tuple[str, str], bool]) -> dict[str, tuple[int, int]]:
    """From which place to which each system may stand: behind all that are surely better, before all surely worse.

    `systems` are in order, the best first.
    """
    surely = {pair for pair in combinations(systems, 2) if _apart(apart, *pair)}
    return {
        system: (
            1 + sum(worse == system for _, worse in surely),
            len(systems) - sum(better == system for better, _ in surely),
        )
        for system in systems
    }


def _apart(apart: Mapping[tuple[str, str], bool], a: str, b: str) -> bool:
    return apart[a, b] if (a, b) in apart else apart[b, a]
