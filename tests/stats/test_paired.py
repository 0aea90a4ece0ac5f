"""Paired tests and corrections against sacrebleu, scipy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.stats.adjust import benjamini_hochberg, holm
from assay.stats.interval import percentile
from assay.stats.paired import from_bootstrap, from_permutation, items_needed
from assay.stats.resample import bootstrap, swaps


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


def differences(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """p of the mean difference by both tests."""
    n = len(a)
    drawn = [(d.weights @ a / n, d.weights @ b / n) for d in bootstrap(n, 4000, 1)]
    boot = from_bootstrap(a.mean(), b.mean(), *(np.concatenate(side) for side in zip(*drawn, strict=True)))
    both = np.concatenate([a, b])
    swapped = [(x.weights @ both / n, y.weights @ both / n) for x, y in swaps(n, 4000, 1)]
    p = from_permutation(a.mean(), b.mean(), *(np.concatenate(side) for side in zip(*swapped, strict=True)))
    assert boot.p is not None
    assert p is not None
    return boot.p, p


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.3])
def test_p_is_near_the_t_test(shift: float) -> None:
    random = np.random.default_rng(4)
    a = random.normal(size=200)
    b = a + random.normal(shift, 0.8, size=200)
    expected = stats.ttest_rel(a, b).pvalue
    for p in differences(a, b):
        assert p == pytest.approx(expected, abs=0.03)


def test_permutation_is_scipys_when_exact() -> None:
    random = np.random.default_rng(2)
    a, b = random.normal(size=9), random.normal(0.5, size=9)
    exact = stats.permutation_test(
        (a, b), lambda x, y: np.mean(x) - np.mean(y), permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert differences(a, b)[1] == pytest.approx(exact, abs=0.03)


def test_identical_systems_have_p_one() -> None:
    a = np.random.default_rng(0).normal(size=50)
    assert differences(a, a) == (1.0, 1.0)


def test_missing_values_give_no_p() -> None:
    nothing = np.full(100, np.nan)
    assert from_bootstrap(np.nan, 1.0, nothing, nothing).p is None
    assert from_permutation(np.nan, 1.0, nothing, nothing) is None


def test_items_needed() -> None:
    """A mean difference of half a standard deviation takes about 31 items by the normal approximation."""
    assert items_needed(0.5, 1.0 / np.sqrt(100), 100) == 32
    assert items_needed(0.0, 0.1, 100) is None
