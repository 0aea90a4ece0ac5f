"""Paired tests and corrections against sacrebleu, scipy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from assay.stats.adjust import benjamini_hochberg, holm
from assay.stats.interval import percentile
from assay.stats.paired import count_extreme, items_needed, permutation_p, reconcile_interval
from assay.stats.pivot import Pivot, studentized
from assay.stats.resample import bootstrap, is_exhaustive, permutation_blocks


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    adjusted = holm([0.5, np.nan, 0.001])
    assert adjusted[[0, 2]].tolist() == pytest.approx([0.5, 0.002])
    assert np.isnan(adjusted[1])
    assert len(holm([])) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_benjamini_hochberg_is_scipys(p: list[float]) -> None:
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_never_lowers_and_keeps_order(p: list[float]) -> None:
    adjusted = holm(p)
    assert (adjusted >= np.array(p) - 1e-15).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


@given(st.lists(st.floats(-1e6, 1e6), min_size=20, max_size=60), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_percentile_is_numpys_to_the_last_bit(values: list[float], level: float) -> None:
    tail = (1 - level) / 2
    assert percentile([*values, np.nan], level) == tuple(np.quantile(values, [tail, 1 - tail]))


def test_percentile_needs_values() -> None:
    assert percentile(np.arange(101.0)) == pytest.approx((2.5, 97.5))
    assert percentile([1.0, np.nan]) is None


def permuted_p(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """p of the mean difference by swapping."""
    apart, gaps = b - a, []
    for block in permutation_blocks(len(a), 4000, 1):
        gaps.append(apart.mean() - 2 * block.moved(apart[:, None])[:, 0] / len(a))
    null = np.concatenate(gaps)
    return permutation_p(count_extreme(null, apart.mean()), len(null), exact=is_exhaustive(len(a)))


def pivot(a: NDArray[np.float64], b: NDArray[np.float64]) -> Pivot:
    (found,) = studentized((b - a)[:, None], (resamples.weights for resamples in bootstrap(len(a), 4000, 1)))
    assert found is not None
    return found


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.3])
def test_p_is_near_the_t_test(shift: float) -> None:
    random = np.random.default_rng(4)
    a = random.normal(size=200)
    b = a + random.normal(shift, 0.8, size=200)
    expected = stats.ttest_rel(a, b)
    assert permuted_p(a, b) == pytest.approx(expected.pvalue, abs=0.03)
    assert pivot(a, b).p_of(0.0) == pytest.approx(expected.pvalue, abs=0.03)
    interval = expected.confidence_interval()
    assert pivot(b, a).interval() == pytest.approx((interval.low, interval.high), abs=0.01)


def test_permutation_is_scipys_when_exact() -> None:
    random = np.random.default_rng(2)
    a, b = random.normal(size=9), random.normal(0.5, size=9)
    exact = stats.permutation_test(
        (a, b), lambda x, y: np.mean(x) - np.mean(y), permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert permuted_p(a, b) == pytest.approx(exact)


def test_identical_systems_have_p_one_and_no_spread() -> None:
    a = np.random.default_rng(0).normal(size=50)
    assert permuted_p(a, a) == 1.0
    assert studentized(np.zeros((50, 1)), (resamples.weights for resamples in bootstrap(50, 100, 0))) == [None]


@given(st.integers(0, 2**32 - 1), st.floats(-1, 1), st.sampled_from([99, 100, 299, 1000]))
def test_interval_and_p_of_a_pivot_never_contradict_each_other(seed: int, shift: float, samples: int) -> None:
    values = np.random.default_rng(seed).normal(shift, size=(30, 1))
    (found,) = studentized(values, (resamples.weights for resamples in bootstrap(30, samples, seed)))
    assert found is not None
    for value in (0.0, shift, shift + 0.3):
        ends = found.interval()
        assert ends is not None
        assert (found.p_of(value) < 0.05) == (not ends[0] <= value <= ends[1])
        assert found.p_at_most(value) + found.p_at_least(value) >= 1 - 1e-9
        assert min(found.p_at_most(value), found.p_at_least(value)) >= found.p_of(value) / 2 - 1e-9


@given(st.integers(0, 2**32 - 1), st.floats(-1, 3), st.sampled_from([99, 199, 1000]))
def test_bounds_and_one_sided_tests_of_a_pivot_never_contradict_each_other(
    seed: int, value: float, samples: int
) -> None:
    values = np.random.default_rng(seed).exponential(size=(25, 1))
    (found,) = studentized(values, (resamples.weights for resamples in bootstrap(25, samples, seed)))
    assert found is not None
    ends = found.bounds(0.9)
    assert ends is not None
    assert (found.p_at_most(value) < 0.05) == (value < ends[0])
    assert (found.p_at_least(value) < 0.05) == (value > ends[1])


@given(st.floats(-2, 1), st.floats(0.01, 3), st.floats(0.001, 1) | st.just(0.05))
def test_intervals_hold_zero_exactly_where_the_test_does_not_reject_it(low: float, width: float, p: float) -> None:
    ends = reconcile_interval((low, low + width), p, 0.05)
    assert (p < 0.05) == (not ends[0] <= 0 <= ends[1])
    assert ends[0] < ends[1]


def test_items_needed() -> None:
    """A mean difference of half a standard deviation takes about 31 items by the normal approximation."""
    assert items_needed(0.5, 1.0 / np.sqrt(100), 100) == 32
    assert items_needed(0.0, 0.1, 100) is None
