"""Few items whose mean is that of all: random subsets, balanced on how the scores of known systems vary over items.

The first principal components of the items (for two: how difficult an item is, and which systems it favours) have the
same mean in the subset as in all items, and the others nearly so, so that the known systems keep their means and tiers.
A new system loses only what the components do not explain. How much that is is measured on each known system, with a
subset that was chosen without it.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.stats.validation import UndefinedStatistic

Values = NDArray[np.float64]
Places = NDArray[np.int64]
DIMENSIONS = 2
OTHERS = 0.3
"""Weight of the other components: they are peculiar to single systems, and say less about a new one."""
SWAPS = 100
CANDIDATES = 2000
"""Items of each side that may be exchanged in one step."""
ENOUGH = 1e-10
FEWEST_SYSTEMS = 4
DRAWS = 3
"""Subsets for each system that is left out."""


def balanced_subset(scores: Values, keep: int, seed: int = 0) -> Places:
    """Choose items at random, and exchange some until the subset is balanced.

    Args:
        scores: Scores, items x systems.
        keep: Number of items.
        seed: Random seed.

    Raises:
        UndefinedStatistic: There are not more items than are kept, or the scores do not differ.
    """
    n = len(scores)
    if not 1 <= keep < n:
        raise UndefinedStatistic(f"{keep} of {n} items: keep fewer items than there are")
    points = _components(scores)
    draw = np.random.default_rng(seed)
    order = draw.permutation(n)
    inside, outside = order[:keep], order[keep:]
    mean = points[inside].mean(axis=0)
    for _ in range(SWAPS):
        # Of all exchanges of one item, the one that brings the mean closest to that of all items, which is 0.
        near, far = (draw.permutation(len(side))[:CANDIDATES] for side in (inside, outside))
        without, added = mean - points[inside[near]] / keep, points[outside[far]] / keep
        apart = (without**2).sum(axis=1)[:, None] + (added**2).sum(axis=1) + 2 * without @ added.T
        i, j = np.unravel_index(int(apart.argmin()), apart.shape)
        if apart[i, j] >= float(mean @ mean) - 1e-15:
            break
        mean = without[i] + added[j]
        inside[near[i]], outside[far[j]] = outside[far[j]], inside[near[i]]
        if float(mean @ mean) < ENOUGH:
            break
    return np.sort(inside)


def _components(scores: Values) -> Values:
    spread = scores.std(axis=0)
    if not (spread > 0).any():
        raise UndefinedStatistic("all scores of each system are equal, so any item gives the mean of all")
    points = (scores - scores.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    left, size, _ = np.linalg.svd(points, full_matrices=False)
    return np.asarray(left * size * np.where(np.arange(len(size)) < DIMENSIONS, 1.0, OTHERS))


class LeftOut(NamedTuple):
    """What a subset loses for a system that was not used to choose it."""

    errors: Values
    """Error of the mean, draws x systems."""
    random: Values
    """Standard error of the mean of as many random items, of each system."""

    @property
    def of_system(self) -> Values:
        """Return the root mean squared error of each system."""
        return np.asarray(np.sqrt((self.errors**2).mean(axis=0)))

    @property
    def error(self) -> float:
        """Return the root mean squared error of all."""
        return float(np.sqrt((self.errors**2).mean()))


def leave_out_systems(scores: Values, keep: int, seed: int = 0) -> LeftOut:
    """Choose subsets without each system, and compare its mean on them with that on all items.

    Raises:
        UndefinedStatistic: There are too few systems.
    """
    n, systems = scores.shape
    if systems < FEWEST_SYSTEMS:
        raise UndefinedStatistic(f"{systems} systems; {FEWEST_SYSTEMS} are needed to measure what a new one loses")
    errors = np.zeros((DRAWS, systems))
    for out in range(systems):
        others = np.delete(scores, out, axis=1)
        for draw in range(DRAWS):
            kept = balanced_subset(others, keep, seed + draw)
            errors[draw, out] = scores[kept, out].mean() - scores[:, out].mean()
    random = scores.std(axis=0, ddof=1) * np.sqrt((1 - keep / n) / keep)
    return LeftOut(errors, random)


def kept_order(scores: Values, keep: int, significant: NDArray[np.bool_], seed: int = 0) -> float | None:
    """Return the share of significant pairs with the same order on a subset chosen without both systems.

    Args:
        scores: Scores, items x systems.
        keep: Number of items.
        significant: Whether two systems differ on all items, systems x systems.
        seed: Random seed.
    """
    same = []
    for a, b in combinations(range(scores.shape[1]), 2):
        if significant[a, b]:
            kept = balanced_subset(np.delete(scores, [a, b], axis=1), keep, seed)
            apart = scores[:, a] - scores[:, b]
            same.append(np.sign(apart[kept].mean()) == np.sign(apart.mean()))
    return float(np.mean(same)) if same else None
