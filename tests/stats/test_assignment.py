"""The assignment with the largest sum: against all permutations, and pair by pair as scipy finds it."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from assay.stats.assignment import best_assignment


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (3, 3), (3, 5), (5, 2), (4, 4)])
def test_no_permutation_has_a_larger_sum(shape: tuple[int, int]) -> None:
    for seed in range(20):
        scores = np.random.default_rng(seed).random(shape)
        rows, columns = best_assignment(scores)
        assert len(rows) == min(shape) == len({*rows.tolist()}) == len({*columns.tolist()})
        wide = scores if shape[0] <= shape[1] else scores.T
        best = max(sum(wide[i, j] for i, j in enumerate(some)) for some in permutations(range(max(shape)), min(shape)))
        assert scores[rows, columns].sum() == pytest.approx(best, abs=1e-12)


def test_pairs_are_those_of_scipy_also_among_equals() -> None:
    """Ties decide which pairs are summed, and so the last digit of the sum."""
    chance = np.random.default_rng(1)
    for _ in range(600):
        shape = tuple(chance.integers(1, 8, 2))
        kind = int(chance.integers(3))
        whole = chance.integers(0, 2 if kind == 0 else 4, shape)
        scores = chance.random(shape) if kind == 2 else whole / chance.integers(1, 5, (1, shape[1]))
        ours, theirs = best_assignment(scores), linear_sum_assignment(scores, maximize=True)
        assert [each.tolist() for each in ours] == [each.tolist() for each in theirs]
        assert scores[ours].sum() == scores[theirs].sum()


def test_a_large_matrix() -> None:
    scores = np.random.default_rng(3).random((60, 90))
    assert best_assignment(scores)[1].tolist() == linear_sum_assignment(scores, maximize=True)[1].tolist()
