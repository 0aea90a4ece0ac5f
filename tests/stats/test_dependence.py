"""Intraclass correlation, design effect and the permutation test of groupings."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats.dependence import dependence, design_effect, intraclass_correlation
from assay.stats.validation import UndefinedStatistic


def test_balanced_groups_have_the_one_way_icc() -> None:
    table = np.random.default_rng(0).normal(size=(12, 4)) + np.random.default_rng(1).normal(size=(12, 1))
    # ICC(1) of Shrout and Fleiss by hand: (MSB - MSW) / (MSB + (k - 1) MSW)
    between = 4 * table.mean(axis=1).var(ddof=1)
    within = table.var(axis=1, ddof=1).mean()
    expected = (between - within) / (between + 3 * within)
    assert intraclass_correlation(table.ravel(), np.repeat(np.arange(12), 4)) == pytest.approx(expected)


def test_kish_design_effect_of_unequal_groups() -> None:
    groups = [0] * 8 + [1] * 2
    assert design_effect(0.5, groups) == pytest.approx(1 + (68 / 10 - 1) * 0.5)
    assert design_effect(-0.2, groups) == 1.0


def test_identical_items_count_once() -> None:
    values = np.repeat(np.random.default_rng(0).normal(size=20), 10)[:, None]
    measured = dependence(values, np.repeat(np.arange(20), 10))
    assert measured.icc == pytest.approx(1.0)
    assert measured.effective_n == pytest.approx(20)
    assert measured.p < 0.001


def test_random_groups_are_rarely_significant() -> None:
    random = np.random.default_rng(5)
    small = [
        dependence(random.exponential(size=(100, 3)), random.integers(0, 20, 100), seed=seed).p < 0.05
        for seed in range(200)
    ]
    assert sum(small) <= 20  # 10 expected


def test_values_of_small_groups_that_vary_more_are_not_dependent() -> None:
    """Independent values, those of groups of one or two four times as variable: the variance between groups exceeds
    that within."""
    groups = np.concatenate([np.repeat(np.arange(8), 25), np.repeat(np.arange(8, 38), 2), np.arange(38, 88)])
    spread = np.where(groups < 8, 0.25, 1.0)
    found = []
    for seed in range(60):
        values = np.random.default_rng(seed).normal(size=(len(groups), 2)) * spread[:, None]
        measured = dependence(values, groups, seed=seed)
        found.append(measured.p < 0.05)
        assert measured.icc < 0.35
    assert sum(found) <= 8  # 3 expected


def test_dependence_is_found_whatever_the_variances() -> None:
    groups = np.repeat(np.arange(40), 5)
    spread = np.where(groups < 20, 0.2, 1.0)
    random = np.random.default_rng(2)
    values = (random.normal(size=40)[groups] + random.normal(size=200)) * spread
    measured = dependence(values[:, None], groups)
    assert measured.icc == pytest.approx(0.5, abs=0.15)
    assert measured.p < 0.01


def test_large_sets_are_tested_on_some_groups() -> None:
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(3000), 4)
    values = (random.normal(size=3000)[groups] + random.normal(size=12_000))[:, None]
    measured = dependence(values, groups)
    assert measured.icc == pytest.approx(0.5, abs=0.06)
    assert measured.groups == 3000
    assert measured.p < 0.001


@pytest.mark.parametrize("groups", [[0, 0, 0, 0], [0, 1, 2, 3]])
def test_no_group_or_one_group_is_undefined(groups: list[int]) -> None:
    with pytest.raises(UndefinedStatistic):
        intraclass_correlation([1.0, 2.0, 3.0, 4.0], groups)


def test_equal_values_are_undefined() -> None:
    with pytest.raises(UndefinedStatistic):
        dependence(np.ones((6, 1)), [0, 0, 1, 1, 2, 2])


def test_values_that_differ_by_rounding_are_equal() -> None:
    groups = np.repeat(np.arange(20), 5)
    with pytest.raises(UndefinedStatistic, match="values that vary"):
        dependence(np.full((100, 1), 0.1) + 1e-17 * groups[:, None], groups)
    with pytest.raises(UndefinedStatistic, match="values that vary"):
        dependence(np.full((100, 1), 0.1), groups)  # the mean is not 0.1
