"""Partial correlation: hand vector, parity with pingouin, the rank null, and its closed form."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats.correlation import pearson
from assay.stats.partial import fitted_groups, modal_share, partial, rank_nulls, residuals
from assay.stats.undefined import UndefinedStatistic
from assay.stats.williams import williams

GROUPS, X, Y = list("AAABBB"), [1, 2, 3, 5, 6, 9], [0, 0.5, 1, 0, 0, 0.3]


def test_hand_vector() -> None:
    assert residuals(X, GROUPS) == pytest.approx([-1, 0, 1, -5 / 3, -2 / 3, 7 / 3], abs=1e-7)
    assert pearson(X, Y).r == pytest.approx(-0.1868, abs=5e-5)
    assert partial(X, Y, GROUPS).r == pytest.approx(0.6956, abs=5e-5)
    assert partial(X, Y, GROUPS, method="spearman").r == pytest.approx(0.8407, abs=5e-5)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_parity_with_pingouin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    group = np.r_[0, 1, 2, rng.integers(0, 3, 37)]
    x, y = rng.normal(size=40) + group, rng.normal(size=40) - group
    frame = pd.DataFrame({"x": x, "y": y, "d1": (group == 1).astype(float), "d2": (group == 2).astype(float)})
    theirs = pingouin.partial_corr(frame, x="x", y="y", covar=["d1", "d2"])
    ours = partial(x, y, group, corrected_df=True)
    assert ours.r == pytest.approx(float(theirs["r"].iloc[0]), abs=1e-6)
    p_name = "p-val" if "p-val" in theirs else "p_val"
    assert ours.p == pytest.approx(float(theirs[p_name].iloc[0]), rel=1e-4)


def test_several_controls_are_additive() -> None:
    rng = np.random.default_rng(0)
    one, two = rng.integers(0, 3, 60), rng.integers(0, 4, 60)
    x = 10 * one + 3 * two + rng.normal(size=60)
    left = residuals(x, one, two)
    for control in (one, two):
        assert np.bincount(control, weights=left) == pytest.approx(0, abs=1e-5)
    assert fitted_groups(one, two) == 2 + 3
    assert residuals(x, one, one) == pytest.approx(residuals(x, one), abs=1e-6)


def test_closed_form_of_the_null_is_what_shuffling_gives() -> None:
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(4), 50)
    y = (rng.random(200) < 0.1 * (group + 1) / 2).astype(float)  # mostly zeros, a mean per group
    x = rng.exponential(1 + group)
    null = rank_nulls([x], y, group, permutations=3000, seed=2)[0]
    observed = []
    for _ in range(1500):
        shuffled = x.copy()
        for code in range(4):
            shuffled[group == code] = rng.permutation(x[group == code])
        observed.append(partial(shuffled, y, group, method="spearman").r)
    assert null.null_mean == pytest.approx(np.mean(observed), abs=0.005)
    assert null.null_sd == pytest.approx(np.std(observed), rel=0.1)
    assert null.observed == pytest.approx(partial(x, y, group, method="spearman").r)


def test_uninformative_metric_has_a_large_p() -> None:
    rng = np.random.default_rng(4)
    group = np.repeat(np.arange(3), 40)
    x, y = rng.normal(size=120) + group, rng.normal(size=120)
    empty, full = rank_nulls([x, x + 3 * y], y, group, seed=1)
    for p in (empty.p, empty.within_rank_p, empty.linear_p):
        assert p > 0.05
    for p in (full.p, full.within_rank_p, full.linear_p):
        assert p == pytest.approx(1 / 1001)
    assert rank_nulls([x], y, group, seed=1) == [empty]  # the same seed shuffles alike, alone or in company


def test_modal_share() -> None:
    assert modal_share([0, 0, 0, 1]) == (0, 0.75)


@pytest.mark.parametrize(
    ("r12", "r13", "r23", "n", "t", "p"),
    [
        (0.5, 0.3, 0.4, 100, 2.06499, 0.020796),
        (0.6, 0.2, 0.1, 50, 2.48469, 0.008292),
        (0.204, 0.162, 0.10, 2163, 1.49237, 0.067875),
    ],
)
def test_williams_vectors(r12: float, r13: float, r23: float, n: int, t: float, p: float) -> None:
    result, turned = williams(r12, r13, r23, n), williams(r13, r12, r23, n)
    assert (result.t, result.p) == pytest.approx((t, p), abs=5e-6)
    assert result.df == n - 3
    assert not result.swapped
    assert (turned.p, turned.swapped) == (result.p, True)


def test_williams_refusals() -> None:
    with pytest.raises(UndefinedStatistic, match="at least 4"):
        williams(0.5, 0.3, 0.4, 3)
    with pytest.raises(UndefinedStatistic, match="same up to scale"):
        williams(0.5, 0.3, 1.0, 50)
    assert williams(0.5, 0.5, 1.0, 50).p == 0.5
