"""Detection, power, ranks and intervals: parity with scikit-learn and statsmodels, and plain properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from statsmodels.stats.power import TTestPower

from assay.stats.classification import balanced_accuracy, best_threshold, pairwise_accuracy, roc_auc
from assay.stats.power import correlation_items_needed, detectable_effect, items_needed, judgements_needed, power_of
from assay.stats.ranking import rank_intervals, shared_ranks
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    pass

labelled = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=3, max_size=40).filter(
    lambda rows: len({label for _, label in rows}) == 2
)


@given(labelled)
def test_detection_is_scikit_learns(rows: list[tuple[int, bool]]) -> None:
    score, label = zip(*rows, strict=True)
    assert roc_auc(score, label) == pytest.approx(roc_auc_score(label, score))
    best = best_threshold(score, label)
    for cut in {*score}:
        ours = balanced_accuracy(score, label, cut)
        assert ours == pytest.approx(balanced_accuracy_score(label, np.array(score) >= cut))
        assert best.balanced_accuracy >= ours - 1e-12
    assert balanced_accuracy(score, label, best.cut) == pytest.approx(best.balanced_accuracy)


def test_one_label_only_has_no_auc() -> None:
    with pytest.raises(UndefinedStatistic, match="same label"):
        roc_auc([1, 2, 3], [True] * 3)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=2, max_size=15), st.sampled_from([0.0, 1.0, 2.0])
)
def test_pairwise_accuracy_counts_pairs(rows: list[tuple[int, int]], epsilon: float) -> None:
    x, y = zip(*rows, strict=True)

    def accuracy(width: float) -> float:
        right = pairs = 0
        for i in range(len(x)):
            for j in range(i):
                pairs += 1
                tied = abs(x[i] - x[j]) <= width
                right += (y[i] == y[j]) if tied else (np.sign(x[i] - x[j]) == np.sign(y[i] - y[j]))
        return right / pairs

    assert pairwise_accuracy(x, y, epsilon=epsilon).accuracy == pytest.approx(accuracy(epsilon))
    best = pairwise_accuracy(x, y, epsilon=None)
    assert best.accuracy == pytest.approx(max(accuracy(width) for width in range(5)))
    assert accuracy(best.epsilon) == pytest.approx(best.accuracy)


def test_pairs_stay_inside_groups() -> None:
    result = pairwise_accuracy([1, 2, 5, 4], [1, 2, 1, 2], groups=["a", "a", "b", "b"])
    assert (result.pairs, result.accuracy) == (2, 0.5)
    with pytest.raises(UndefinedStatistic, match="no pairs"):
        pairwise_accuracy([1, 2], [1, 2], groups=["a", "b"])


@settings(max_examples=40, deadline=None)
@given(st.floats(0.05, 1.5), st.integers(3, 400), st.sampled_from([0.01, 0.05]))
def test_power_is_statsmodels(effect: float, n: int, alpha: float) -> None:
    theirs = TTestPower().power(effect, n, alpha)
    assume(np.isfinite(theirs))  # it has no value where the power is nearly 1
    assert power_of(effect, 1, n, alpha) == pytest.approx(theirs, abs=2e-5)


@settings(max_examples=20, deadline=None)
@given(st.floats(0.05, 1.0), st.sampled_from([0.8, 0.9]))
def test_items_and_effect_are_inverse(effect: float, power: float) -> None:
    n = items_needed(effect, 1, power)
    assert power_of(effect, 1, n) >= power - 1e-9
    assert n == 2 or power_of(effect, 1, n - 1) < power
    assert detectable_effect(1, n, power) <= effect + 1e-6


def test_scale_does_not_matter() -> None:
    assert items_needed(0.01, 0.02) == items_needed(50, 100) == 34


def test_judgements() -> None:
    plan = judgements_needed(0.5, sd_items=0.3, sd_judges=1.0, n=34)
    assert plan.per_item == 2
    assert plan.total == 68
    assert power_of(0.5, plan.sd_of_item_mean, 34) >= 0.8
    assert judgements_needed(0.1, sd_items=1.0, sd_judges=1.0, n=34).per_item is None


def test_correlation_power() -> None:
    assert correlation_items_needed(0.3) == 85  # the usual table value
    with pytest.raises(UndefinedStatistic):
        correlation_items_needed(0.3, 0.3)


@pytest.mark.parametrize(("effect", "sd"), [(0.0, 1.0), (0.1, 0.0), (0.1, float("nan"))])
def test_power_refusals(effect: float, sd: float) -> None:
    with pytest.raises(UndefinedStatistic):
        items_needed(effect, sd)


def test_ranks_are_shared_when_in_doubt() -> None:
    p = np.array([[1, 0.5, 0.01], [0.5, 1, 0.03], [0.01, 0.03, 1]])
    assert shared_ranks([3.0, 2.9, 1.0], p) == [1, 1, 3]
    assert shared_ranks([3.0, 2.9, 1.0], np.ones((3, 3))) == [1, 1, 1]
    with pytest.raises(UndefinedStatistic):
        shared_ranks([1, 2], np.ones((3, 3)))


def test_a_rank_never_contradicts_the_values() -> None:
    """3.76 is told from 4.13 and 3.72, with wider differences, is not: neither stands behind the other by its rank."""
    p = np.array([[1, 0.01, 0.2, 0.001], [0.01, 1, 0.9, 0.03], [0.2, 0.9, 1, 0.04], [0.001, 0.03, 0.04, 1]])
    assert shared_ranks([4.13, 3.76, 3.72, 1.0], p) == [1, 1, 1, 4]
    values = np.random.default_rng(0).normal(size=8)
    for seed in range(50):
        chance = np.random.default_rng(seed).uniform(size=(8, 8)) ** 3
        ranks = np.array(shared_ranks(values, np.minimum(chance, chance.T)))
        assert (np.diff(ranks[np.argsort(-values)]) >= 0).all()


def test_rank_intervals() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal([3.0, 1.0, 1.0], 0.1, size=(500, 3))
    first, second, third = rank_intervals(values)
    assert (first.low, first.high) == (1, 1)
    assert (second.low, second.high) == (third.low, third.high) == (2, 3)
    same = rank_intervals(np.zeros((10, 2)))
    assert [(r.low, r.high) for r in same] == [(1, 2), (1, 2)]
