"""Correlations: hand vectors, parity with scipy, levels, and refusals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as reference

from assay.stats.correlation import Method, averaged_within, correlate, kendall, of_group_means, of_r, pearson, spearman
from assay.stats.distributions import noncentral_t_upper, t_quantile, t_two_sided
from assay.stats.ranks import average_ranks, inversions
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

tied = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=4, max_size=60)
real = st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=4, max_size=60)


def columns(pairs: list[tuple[float, float]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    assume(len(np.unique(np.round(x, 6))) > 1 and len(np.unique(np.round(y, 6))) > 1)
    return x, y


def test_tau_c_hand_vector() -> None:
    x, y = [1, 2, 2, 3, 3], [0.1, 0.4, 0.3, 0.2, 0.9]
    assert kendall(x, y, "c").r == pytest.approx(0.48)
    assert kendall(x, y, "b").r == pytest.approx(0.4472, abs=5e-5)
    assert kendall(x, y, "c").p == pytest.approx(0.2963, abs=5e-5)


def test_spearman_by_hand() -> None:
    assert spearman(range(1, 8), [1, 2, 3, 5, 7, 6, 4]).r == pytest.approx(0.75)
    assert spearman(range(1, 8), [1, 2, 3, 5, 7, 6, 4]).p == pytest.approx(0.0522, abs=5e-5)


# mean scores by text length: people, then a regressor trained on people; lower is more human-like
PEOPLE = """
2.80 2.83 3.05 2.89 3.08 2.55 2.77
2.44 2.68 2.57 2.85 2.74 2.97 2.93
2.61 3.01 2.87 2.83 2.97 2.85 2.78
2.59 2.45 2.38 2.37 2.48 2.39 2.18
"""
REGRESSOR = """
2.79 2.78 2.88 2.80 2.76 2.53 2.68
2.53 2.62 2.52 2.44 2.44 2.46 2.43
2.68 2.67 2.67 2.45 2.63 2.38 2.44
2.74 2.70 2.38 2.55 2.51 2.20 2.16
"""


def test_printed_cells_of_a_perception_study() -> None:
    people, regressor = (np.array(text.split(), dtype=float) for text in (PEOPLE, REGRESSOR))
    cells = pearson(people, regressor)
    assert (cells.r, cells.p) == pytest.approx((0.501, 0.0067), abs=5e-4)
    assert spearman(people, regressor).r == pytest.approx(0.367, abs=5e-4)
    printed = [2.85, 2.74, 2.84, 2.41], [2.74, 2.49, 2.56, 2.47]
    assert pearson(*printed).r == pytest.approx(0.659, abs=5e-4)
    assert spearman(*printed).r == kendall(*printed).r == pytest.approx(1)


@pytest.mark.parametrize(("r", "n", "p"), [(-0.28, 350, 1e-7), (-0.20, 1400, 5e-14), (0.2787, 50, 0.05)])
def test_p_of_a_printed_correlation(r: float, n: int, p: float) -> None:
    assert of_r(r, n).p == pytest.approx(p, rel=0.25 if p < 0.01 else 0.01)


@given(tied)
def test_kendall_is_scipys(pairs: list[tuple[float, float]]) -> None:
    x, y = columns(pairs)
    has_ties = len(np.unique(x)) < len(x) or len(np.unique(y)) < len(y)
    method = "asymptotic" if has_ties else "exact"
    for variant in ("b", "c"):
        theirs = reference.kendalltau(x, y, variant=variant, method=method)
        ours = correlate(x, y, f"kendall-{variant}")  # type: ignore[arg-type]
        assert ours.r == pytest.approx(theirs.statistic, abs=1e-12)
        assert ours.p == pytest.approx(theirs.pvalue, rel=1e-8, abs=1e-12)


@given(st.permutations(range(9)))
def test_exact_kendall(order: list[int]) -> None:
    theirs = reference.kendalltau(range(9), order, method="exact")
    assert kendall(range(9), order).p == pytest.approx(theirs.pvalue, rel=1e-9)


@given(real)
def test_pearson_and_spearman_are_scipys(pairs: list[tuple[float, float]]) -> None:
    x, y = columns(pairs)
    for ours, theirs in ((pearson(x, y), reference.pearsonr(x, y)), (spearman(x, y), reference.spearmanr(x, y))):
        assert ours.r == pytest.approx(theirs.statistic, abs=1e-9)
        assert ours.p == pytest.approx(theirs.pvalue, rel=1e-5, abs=1e-12)


@given(st.lists(st.integers(-5, 5), max_size=80))
def test_inversions(values: list[int]) -> None:
    slow = sum(values[i] > values[j] for j in range(len(values)) for i in range(j))
    assert inversions(values) == slow
    if values:
        assert average_ranks(values) == pytest.approx(reference.rankdata(values))


def not_tiny(t: float) -> bool:
    """Where scipy's own tails can be relied on: nearer to 0 they lose half their digits (t) or are no number (nct)."""
    return t == 0 or abs(t) > 1e-4


@given(st.floats(-30, 30), st.just(1.0) | st.just(2.0))
def test_t_tail_is_the_closed_form(t: float, df: float) -> None:
    lower = 2 / math.pi * math.atan(abs(t)) if df == 1 else abs(t) / math.sqrt(2 + t * t)
    assert t_two_sided(t, df) == pytest.approx(1 - lower, rel=1e-9)


@given(st.floats(-30, 30).filter(not_tiny), st.floats(1, 5000))
def test_t_tail_is_scipys(t: float, df: float) -> None:
    assert t_two_sided(t, df) == pytest.approx(2 * reference.t.sf(abs(t), df), rel=1e-9, abs=1e-300)


@given(st.floats(0.001, 0.999), st.integers(1, 3000))
def test_t_quantile_is_scipys(probability: float, df: int) -> None:
    assert t_quantile(probability, df) == pytest.approx(reference.t.ppf(probability, df), rel=1e-7, abs=1e-9)


@given(st.floats(0, 6).filter(not_tiny), st.integers(1, 800), st.floats(-4, 6))
def test_noncentral_tail_is_scipys(t: float, df: int, shift: float) -> None:
    assert noncentral_t_upper(t, df, shift) == pytest.approx(reference.nct.sf(t, df, shift), abs=2e-6)


def test_levels() -> None:
    x = [1.0, 2, 3, 3, 2, 1, 7, 7, 7]
    y = [1.0, 2, 3, 1, 2, 3, 1, 2, 3]
    document = list("aaabbbccc")
    summary = averaged_within(x, y, document, "pearson")
    assert (summary.r, summary.groups) == pytest.approx((0.0, 2))
    assert [why for _, why in summary.left_out] == ["the first column is constant, so it has no correlation"]
    system = of_group_means([1, 2, 3, 4, 6, 6], [1, 1, 2, 2, 4, 4], list("aabbcc"), "pearson")
    assert system.n == 3
    assert system.r == pytest.approx(0.9921, abs=5e-5)


@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall-b", "kendall-c"])
def test_constant_column_is_refused(method: Method) -> None:
    with pytest.raises(UndefinedStatistic, match="second column is constant"):
        correlate([1, 2, 3, 4], [0.1] * 4, method)
    with pytest.raises(UndefinedStatistic, match="position 2"):
        correlate([1, 2, np.nan, 4], [1, 2, 3, 4], method)


def test_too_few_rows() -> None:
    with pytest.raises(UndefinedStatistic, match="only 2 rows"):
        pearson([1, 2], [2, 1])
    with pytest.raises(UndefinedStatistic, match="degrees of freedom"):
        pearson([1, 2, 4], [2, 1, 2], lost_df=2)
