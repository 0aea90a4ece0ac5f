"""Partial correlation: hand vector, parity with pingouin, the rank null, and its closed form."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from assay.stats.correlation import of_group_means, pearson
from assay.stats.partial import fitted_groups, modal_share, partial, rank_nulls, residuals
from assay.stats.validation import UndefinedStatistic
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
    ours = partial(x, y, group)
    assert ours.r == pytest.approx(float(theirs["r"].iloc[0]), abs=1e-6)
    p_name = "p-val" if "p-val" in theirs else "p_val"
    assert ours.p == pytest.approx(float(theirs[p_name].iloc[0]), rel=1e-4)


def exact_residuals(values: Sequence[float | Fraction], groups: list[int]) -> list[Fraction]:
    """Centring by group without any rounding."""
    exact = [Fraction(value) for value in values]
    means = {}
    for group in set(groups):
        inside = [value for value, member in zip(exact, groups, strict=True) if member == group]
        means[group] = sum(inside, Fraction(0)) / len(inside)
    return [value - means[group] for value, group in zip(exact, groups, strict=True)]


@pytest.mark.parametrize("outlier", [1e6, 1e11, -1e12])
def test_an_outlier_leaves_the_ranks_of_others_alone(outlier: float) -> None:
    rng = np.random.default_rng(0)
    group, half = np.repeat(np.arange(4), 30), np.tile([0, 1], 60)
    x = rng.normal(size=120) + group
    y = -0.4 * x + rng.normal(size=120)
    x[7] = outlier
    once = [exact_residuals(column.tolist(), group.tolist()) for column in (x, y)]
    twice = [exact_residuals(column, half.tolist()) for column in once]  # the two controls are balanced
    for controls, exact, off in (((group,), once, 1e-12), ((group, half), twice, 0.002)):
        expected = spearmanr(*([sorted(column).index(value) for value in column] for column in exact)).statistic
        assert partial(x, y, *controls, method="spearman").r == pytest.approx(expected, abs=off)


@pytest.mark.parametrize("offset", [1e6, 1e9, 1e11])
def test_an_offset_makes_no_column_constant(offset: float) -> None:
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(4), 30)
    x, y = rng.normal(size=120) + group, rng.normal(size=120)
    for controls in ((group,), (group, np.tile([0, 1], 60))):
        assert partial(x + offset, y, *controls).r == pytest.approx(partial(x, y, *controls).r, abs=1e-5)
    assert pearson(x + offset, y).r == pytest.approx(pearson(x, y).r, abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4), st.integers(0, 2)), min_size=8, max_size=40),
    st.floats(1e-150, 1e150),
    st.floats(-1e6, 1e6),
)
def test_shift_and_scale_change_nothing(rows: list[tuple[int, int, int]], scale: float, shift: float) -> None:
    x, y, group = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    moved = (x / 10 + shift) * scale
    for method in ("pearson", "spearman", "kendall-b"):
        try:
            expected = partial(x, y, group, method=method).r
        except UndefinedStatistic as why:
            with pytest.raises(UndefinedStatistic, match=str(why)):
                partial(moved, y, group, method=method)
            continue
        assert partial(moved, y, group, method=method).r == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("scale", [0.1, 0.17, 19.7, 1e-9])
def test_ties_of_scaled_whole_numbers_stay_ties(scale: float) -> None:
    """Tenths are no exact numbers; where a group's mean is near 0, their errors are larger than it."""
    rng = np.random.default_rng(7)
    for _ in range(3_000):
        x, group = rng.integers(0, 4, 12).astype(float), rng.integers(0, 3, 12)
        assert len(np.unique(residuals(scale * x, group))) == len(np.unique(residuals(x, group)))


def test_what_is_constant_within_groups_stays_constant() -> None:
    group = np.repeat(np.arange(3), [3, 7, 11])
    with pytest.raises(UndefinedStatistic, match="first column is constant"):
        partial(0.1 + 0.7 * group, np.arange(21.0), group)
    with pytest.raises(UndefinedStatistic, match="first column is constant"):
        of_group_means(np.full(21, 0.3), np.arange(21.0), group, "spearman")


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


def test_groups_of_which_each_has_one_constant_column() -> None:
    """The residuals of both columns vary, in different groups: there is a partial correlation, and no mean of those
    inside the groups, which must not end the report of all other metrics."""
    (null,) = rank_nulls([[1, 1, 1, 1, 2, 3]], [0, 1, 1, 4, 4, 4], list("aaabbb"), permutations=20)
    assert null.within_mean is None
    assert null.within_rank == 0


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
    assert (result.t, result.p_greater, result.p) == pytest.approx((t, p, 2 * p), abs=1e-5)
    assert result.df == n - 3
    assert (turned.t, turned.p, turned.p_greater) == pytest.approx((-t, result.p, 1 - p), abs=1e-5)
    held = williams(r12, r13, r23, n, lost_df=8)
    assert held.df == n - 11
    assert held.t == williams(r12, r13, r23, n - 8).t


def test_williams_as_the_psych_package_has_it() -> None:
    """The example of `r.test` in its manual: .4 and .5 that share a variable, .1 between the others, 103 cases."""
    result = williams(0.4, 0.5, 0.1, 103)
    assert (result.t, result.p) == pytest.approx((-0.89, 0.37), abs=5e-3)
    assert result.p_greater == pytest.approx(1 - result.p / 2)


def test_williams_refusals() -> None:
    with pytest.raises(UndefinedStatistic, match="at least 4"):
        williams(0.5, 0.3, 0.4, 3)
    with pytest.raises(UndefinedStatistic, match="equal up to scale"):
        williams(0.5, 0.3, 1.0, 50)
    assert (williams(0.5, 0.5, 1.0, 50).p, williams(0.5, 0.5, 1.0, 50).p_greater) == (1, 0.5)
    with pytest.raises(UndefinedStatistic, match="beyond 8 fitted groups"):
        williams(0.5, 0.3, 0.4, 11, lost_df=8)
