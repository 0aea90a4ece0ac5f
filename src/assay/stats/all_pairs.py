"""All pairs of several systems: step-down max-T correction, groups of tied systems, and ranges of ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import ceil

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def step_down(observed: Values, null: Values, exact: bool = False) -> Values:
    """Return adjusted p values by Westfall and Young's step-down max-T procedure.

    Correlated differences are corrected less than by Holm, and a thousand permutations suffice for any number of pairs.

    Args:
        observed: Absolute studentised differences.
        null: The same under the null hypothesis, one row per permutation, common to all differences.
        exact: Whether the rows are all permutations; otherwise 1 is added for the observed one.
    """
    order = np.argsort(-observed, kind="stable")
    largest = np.maximum.accumulate(null[:, order[::-1]], axis=1)[:, ::-1]  # over this pair and all smaller differences
    adjusted = np.empty(len(observed))
    adjusted[order] = np.maximum.accumulate(unadjusted_p(observed[order], largest, exact))
    return adjusted


def unadjusted_p(observed: Values, null: Values, exact: bool = False) -> Values:
    """Return the unadjusted p of each difference: the share of permutations as extreme, up to rounding."""
    reached = (null >= observed * (1 - 1e-9)).sum(axis=0)
    return np.asarray(reached / len(null) if exact else (reached + 1) / (len(null) + 1))


def distance_of(p: float, null: Values, exact: bool = False) -> float:
    """Return the largest difference under the null hypothesis whose `unadjusted_p` is at least p."""
    reached = ceil(p * len(null) - 1e-9) if exact else ceil(p * (len(null) + 1) - 1e-9) - 1
    return float(np.sort(null)[-min(max(reached, 1), len(null))])


def smallest_p(null: Values, exact: bool = False) -> float:
    """Return the smallest p that the test can give: that of the largest difference under any permutation.

    With few units that differ it can be above the significance level, and then no result is significant.

    Args:
        null: Absolute differences of all or of random permutations.
        exact: Whether these are all permutations.
    """
    largest = null[np.isfinite(null)].max(initial=0.0)
    reached = int((null >= largest * (1 - 1e-9)).sum())
    return 1.0 if largest == 0 else reached / (len(null) + (not exact))


def critical_value(null: Values, level: float) -> float:
    """Return the size from which the largest of several studentised differences is significant at this level."""
    largest = null.max(axis=1)
    return float(np.quantile(largest[np.isfinite(largest)], 1 - level, method="higher"))


def tied_groups(systems: Sequence[str], apart: Mapping[tuple[str, str], bool]) -> list[list[str]]:
    """Return the largest groups of systems with no significant difference; a system can be in several groups.

    Args:
        systems: Names; groups keep their order.
        apart: Whether two systems differ significantly, by pair.
    """
    tied = {
        system: {other for other in systems if other != system and not _apart(apart, system, other)}
        for system in systems
    }
    groups: list[set[str]] = []

    def extend(group: set[str], left: set[str], done: set[str]) -> None:
        if not left and not done:
            groups.append(group)
            return
        # The pivot of Bron and Kerbosch: without it, n tied systems take 2^n steps.
        pivot = max(left | done, key=lambda each: len(left & tied[each]))
        for system in [each for each in systems if each in left - tied[pivot]]:
            extend(group | {system}, left & tied[system], done & tied[system])
            left = left - {system}
            done = done | {system}

    extend(set(), set(systems), set())
    ordered = [[system for system in systems if system in group] for group in groups]
    return sorted(ordered, key=lambda group: [systems.index(system) for system in group])


def rank_ranges(systems: Sequence[str], apart: Mapping[tuple[str, str], bool]) -> dict[str, tuple[int, int]]:
    """Return the best and worst rank of each system: below all significantly better ones, above all worse ones.

    `systems` are ordered, the best first.
    """
    significant = {pair for pair in combinations(systems, 2) if _apart(apart, *pair)}
    return {
        system: (
            1 + sum(worse == system for _, worse in significant),
            len(systems) - sum(better == system for better, _ in significant),
        )
        for system in systems
    }


def _apart(apart: Mapping[tuple[str, str], bool], a: str, b: str) -> bool:
    return apart[a, b] if (a, b) in apart else apart[b, a]
