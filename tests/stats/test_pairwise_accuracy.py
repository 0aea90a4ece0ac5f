"""Pairwise accuracy: examples of the published package, counting by hand, and the level of the permutation test."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from assay.stats.pairwise_accuracy import (
    one_sided_p,
    random_flips,
    soft_difference_p,
    soft_pairwise_accuracy,
    text_pairs,
)
from assay.stats.validation import UndefinedStatistic

NO = None


def test_thresholds_of_the_published_examples() -> None:
    """The values are those that the tests of mt-metrics-eval expect."""
    metric, zero = [0, 2, 6, 8], np.zeros(4)
    thresholds, values = text_pairs(metric, [1, 2, 3, 4], zero).curve
    assert thresholds.tolist() == [0, 2, 4, 6, 8]
    assert values == pytest.approx([1, 4 / 6, 3 / 6, 1 / 6, 0])
    pairs = text_pairs(metric, [1, 1, 1, 4], zero)
    assert pairs.curve[1] == pytest.approx([3 / 6, 3 / 6, 4 / 6, 4 / 6, 3 / 6])
    assert pairs.calibrated() == pytest.approx((4, 4 / 6))


def test_groups_with_missing_values_as_published() -> None:
    metric: list[list[int | None]] = [[0, 5, 2, 3, 2], [NO, 2, 1, 5, 3], [9, 1, 5, 3, 8], [9, 3, 4, 4, 1], [NO] * 5]
    human: list[list[int | None]] = [[1, 5, 2, 1, 1], [4, 2, 2, 1, 4], [5, 9, 2, 8, 7], [7, 6, NO, 3, 2], [NO] * 5]
    rows = [
        (x, y, number)
        for number, (own, other) in enumerate(zip(metric, human, strict=True))
        for x, y in zip(own, other, strict=True)
        if x is not None and y is not None
    ]
    pairs = text_pairs(*(list(column) for column in zip(*rows, strict=True)))
    thresholds, values = pairs.curve
    assert thresholds.tolist() == list(range(9))
    expected = [0.4666666666666667, 0.4916666666666668, 0.38333333333333347, 0.29166666666666674, 0.2666666666666667,
                0.2, 0.15833333333333335, 0.15833333333333335, 0.1166666666666667]  # fmt: skip
    assert values == pytest.approx(expected, abs=1e-12)
    assert pairs.calibrated() == pytest.approx((1, expected[1]))


def test_accuracy_is_what_counting_gives() -> None:
    rng = np.random.default_rng(1)
    metric, human, group = rng.normal(size=60), rng.integers(1, 4, 60), rng.integers(0, 9, 60)
    pairs = text_pairs(metric, human, group)
    threshold, best = pairs.calibrated()
    shares = []
    for own in range(9):
        members = np.flatnonzero(group == own)
        hits = [
            human[a] == human[b]
            if abs(metric[a] - metric[b]) <= threshold
            else (metric[a] > metric[b]) == (human[a] > human[b]) and human[a] != human[b]
            for a, b in combinations(members, 2)
        ]
        shares.append(np.mean(hits))
    assert best == pytest.approx(np.mean(shares))
    assert pairs.right(threshold).mean() == pytest.approx(best)
    assert pairs.held_out().mean() <= best + 1e-12
    with pytest.raises(UndefinedStatistic, match="no two texts"):
        text_pairs([1, 2], [1, 2], ["a", "b"])


def test_soft_accuracy_is_what_counting_gives() -> None:
    rng = np.random.default_rng(2)
    human, metric = rng.normal(size=(2, 30, 4)) + np.array([0, 0.3, 0.6, 0.6])
    flips = random_flips(400, 30, 3)
    wanted = []
    for a, b in combinations(range(4), 2):
        p = []
        for own in (metric, human):
            difference = own[:, a] - own[:, b]
            p.append(np.mean([(sign * difference).sum() >= difference.sum() - 1e-9 for sign in flips]))
        wanted.append(abs(p[0] - p[1]))
    of_metric, of_human = (one_sided_p(each, flips) for each in (metric, human))
    assert soft_pairwise_accuracy(of_metric, of_human) == pytest.approx(1 - np.mean(wanted))
    assert soft_pairwise_accuracy(of_human, of_human) == 1


def test_equal_metrics_are_rarely_different_and_unequal_ones_often() -> None:
    """Two metrics that are the judgements with equal noise, and one with much more."""
    rng = np.random.default_rng(4)
    found = {"equal": 0, "worse": 0}
    for _ in range(60):
        human = rng.normal(size=(60, 6)) + np.linspace(0, 1, 6)
        flips = random_flips(300, 60, 0)
        p_human = one_sided_p(human, flips)
        first, second = (human + rng.normal(size=human.shape) for _ in range(2))
        worse = rng.normal(size=human.shape) * 3 + rng.normal(size=6)
        found["equal"] += soft_difference_p(first, second, p_human, 200)[1] < 0.05
        found["worse"] += soft_difference_p(first, worse, p_human, 200)[1] < 0.05
    assert found["equal"] <= 7
    assert found["worse"] >= 30
