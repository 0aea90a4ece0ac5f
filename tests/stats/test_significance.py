"""Paired tests: hand vectors and parity with scipy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from assay.stats.significance import paired_t, sign_flip, sign_test, wilcoxon
from assay.stats.validation import UndefinedStatistic

A, B = [5, 4, 5, 3, 5, 4, 5, 2], [4, 4, 3, 3, 4, 5, 4, 1]
ratings = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=6, max_size=40)
floats = st.lists(st.floats(-100, 100, width=32), min_size=4, max_size=30)


def test_wilcoxon_hand_vector() -> None:
    normal, exact = wilcoxon(A, B, "normal"), wilcoxon(A, B, "exact")
    assert (normal.statistic, normal.n) == (3, 6)
    assert normal.p == pytest.approx(0.0956, abs=5e-5)
    assert exact.p == 0.1875
    assert "normal" in normal.method
    assert wilcoxon(A, B).method == exact.method == "Wilcoxon signed-rank, exact"


@given(ratings)
def test_wilcoxon_normal_is_scipys(pairs: list[tuple[int, int]]) -> None:
    a, b = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    assume((a != b).any())
    ours = wilcoxon(a, b, "normal")
    theirs = reference.wilcoxon(a, b, zero_method="wilcox", correction=False, method="asymptotic")
    assert ours.statistic == pytest.approx(theirs.statistic)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9)


@given(st.lists(st.integers(1, 10**6), min_size=3, max_size=12, unique=True), st.data())
def test_wilcoxon_exact_is_scipys(sizes: list[int], data: st.DataObject) -> None:
    signs = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(sizes), max_size=len(sizes)))
    d = np.array(sizes) * np.array(signs)
    theirs = reference.wilcoxon(d, method="exact")
    assert wilcoxon(d, np.zeros(len(d)), "exact").p == pytest.approx(theirs.pvalue, rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-4, 4).filter(bool), min_size=2, max_size=9))
def test_wilcoxon_with_ties_counts_every_choice_of_signs(d: list[int]) -> None:
    """scipy's exact method is meant for untied differences only; this one holds for ratings too."""
    ranks = reference.rankdata(np.abs(d))
    sums = np.array([ranks[np.array(signs)].sum() for signs in product([False, True], repeat=len(d))])
    smaller = np.minimum(sums, ranks.sum() - sums)
    plus = ranks[np.array(d) > 0].sum()
    expected = float(np.mean(smaller <= min(plus, ranks.sum() - plus)))
    assert wilcoxon(d, np.zeros(len(d)), "exact").p == pytest.approx(expected)


@given(ratings)
def test_t_is_scipys(pairs: list[tuple[int, int]]) -> None:
    a, b = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    assume((a - b).std() > 0)
    ours, theirs = paired_t(a, b), reference.ttest_rel(a, b)
    assert (ours.statistic, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
    assert ours.df == len(a) - 1


@given(ratings)
def test_sign_test_is_binomial(pairs: list[tuple[int, int]]) -> None:
    a, b = zip(*pairs, strict=True)
    wins = sum(x > y for x, y in pairs)
    n = sum(x != y for x, y in pairs)
    assume(n > 0)
    assert sign_test(a, b).p == pytest.approx(reference.binomtest(wins, n).pvalue, rel=1e-9)


def test_sign_test_on_many_items() -> None:
    a = np.r_[np.ones(1100), np.zeros(900)]
    assert sign_test(a, 1 - a).p == pytest.approx(reference.binomtest(1100, 2000).pvalue, rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=2, max_size=8))
def test_small_permutations_are_enumerated(d: list[int]) -> None:
    signs = np.array(np.meshgrid(*[[-1, 1]] * len(d))).reshape(len(d), -1)
    sums = np.abs(signs.T @ np.array(d))
    expected = float(np.mean(sums >= abs(sum(d))))
    result = sign_flip(d, np.zeros(len(d)))
    assert result.p == pytest.approx(expected)
    assert "paired permutation test, all " in result.method


def test_large_permutations_are_seeded_and_close_to_t() -> None:
    rng = np.random.default_rng(3)
    a = rng.normal(0.2, 1, 200)
    b = rng.normal(0, 1, 200)
    one, again = sign_flip(a, b, seed=5), sign_flip(a, b, seed=5)
    assert one == again
    assert one.p == pytest.approx(paired_t(a, b).p, abs=0.01)
    assert "seed 5" in one.method


def test_clusters_swap_as_one() -> None:
    d = np.array([1.0, 1, 1, 1, -1, 1])
    result = sign_flip(d, np.zeros(6), clusters=["a", "a", "a", "b", "b", "c"])
    # cluster sums 3, 0, 1: four swaps of the two moving ones, half of them as extreme as 4
    assert result.p == 0.5
    assert result.n == 3


@pytest.mark.parametrize("test", [wilcoxon, sign_test])
def test_identical_systems_have_no_p(test: object) -> None:
    assert callable(test)
    with pytest.raises(UndefinedStatistic, match="all"):
        test([1, 2, 3], [1, 2, 3])


def test_bad_input_is_named() -> None:
    with pytest.raises(UndefinedStatistic, match="position 1"):
        paired_t([1.0, float("nan"), 2], [1, 2, 3])
    with pytest.raises(UndefinedStatistic, match="3 and 2 rows"):
        paired_t([1, 2, 3], [1, 2])
    with pytest.raises(UndefinedStatistic, match="equal"):
        paired_t([1, 2, 3], [0, 1, 2])
