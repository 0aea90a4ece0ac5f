"""Differences on subsets by partial pooling, also of subsets that are too small for an interval of their own."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.results.comparison import Comparison
from assay.results.equal_means import with_scores
from assay.results.pooled_subsets import pooled_differences
from assay.results.result import Result


def subsets(values: list[np.ndarray]) -> dict[str, Comparison]:
    """Return comparisons on subsets whose items differ by these values."""
    made = {}
    for number, differences in enumerate(values):
        blank: Result = assay.score(["x"] * len(differences), ["x"] * len(differences), metrics="rouge1")
        pair = [with_scores(blank, {"s": 0.5 + sign * differences}) for sign in (0, 1)]
        made[f"topic=t{number}"] = assay.compare(*pair, samples=49)
    return made


def test_small_subsets_are_pooled_with_the_variance_within_all_of_them() -> None:
    rng = np.random.default_rng(0)
    small = pooled_differences(subsets([rng.normal(0.1, 0.2, 6) for _ in range(8)]))["s"]
    observed = [each.row.difference or 0.0 for each in small.values()]
    pooled = [each.pooled for each in small.values()]
    assert np.std(pooled) < 0.7 * np.std(observed)
    assert np.mean(pooled) == pytest.approx(np.mean(observed), abs=0.01)
    assert all(each.low < each.pooled < each.high for each in small.values())
    assert all(each.row.low is None for each in small.values())


def test_intervals_of_small_subsets_cover() -> None:
    covered = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        true = rng.normal(0, 0.1, 12)
        pooled = pooled_differences(subsets([rng.normal(mean, 0.2, 7) for mean in true]))["s"]
        covered += [each.low <= mean <= each.high for mean, each in zip(true, pooled.values(), strict=True)]
    assert 0.87 < np.mean(covered) <= 1


def test_large_subsets_keep_their_own_error_and_few_items_are_not_pooled() -> None:
    rng = np.random.default_rng(1)
    large = subsets([rng.normal(0, size, 40) for size in (0.01, 0.2, 0.2)])
    both = pooled_differences(large)["s"]
    widths = [each.high - each.low for each in both.values()]
    assert widths[0] < widths[1] / 3
    assert pooled_differences(subsets([rng.normal(0, 0.2, 2) for _ in range(4)])) == {}
