"""Agreement: hand and published vectors, parity with krippendorff, statsmodels and scikit-learn, refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import krippendorff as reference
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from assay.stats.agreement import (
    COEFFICIENTS,
    Level,
    fleiss,
    from_counts,
    gwet,
    krippendorff,
    majority_share,
    mean_cohen,
    percent,
    tabulate,
)
from assay.stats.span_agreement import span_agreement
from assay.stats.uncertainty import bootstrap
from assay.stats.validation import UndefinedStatistic
from tests.support.rating_tables import GWET_ABSTRACTORS, GWET_RAW, GWET_VOTES

if TYPE_CHECKING:
    from numpy.typing import NDArray


@st.composite
def tables(draw: st.DrawFn, missing: bool) -> NDArray[np.float64]:
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    table = rng.integers(1, draw(st.integers(3, 6)), (draw(st.integers(4, 25)), draw(st.integers(2, 5)))).astype(float)
    if missing:
        table[rng.random(table.shape) < 0.3] = np.nan
    assume(np.any((~np.isnan(table)).sum(axis=1) >= 2))
    paired = table[(~np.isnan(table)).sum(axis=1) >= 2]
    assume(len(np.unique(paired[~np.isnan(paired)])) > 1)
    return table


def test_fleiss_hand_vectors() -> None:
    votes = from_counts([[3, 0], [2, 1], [0, 3], [1, 2]])
    assert fleiss(votes) == pytest.approx(1 / 3)
    assert percent(votes) == pytest.approx(2 / 3)
    assert majority_share(votes) == pytest.approx(10 / 12)
    stories = from_counts([[5, 0, 0, 0], [0, 5, 0, 0], [0, 0, 3, 2], [1, 1, 1, 2]])
    assert fleiss(stories) == pytest.approx(0.4932, abs=5e-5)


@settings(deadline=None)
@given(tables(missing=True), st.sampled_from(["nominal", "ordinal", "interval"]))
def test_krippendorff_is_the_packages(table: NDArray[np.float64], level: Level) -> None:
    theirs = reference.alpha(reliability_data=table.T, level_of_measurement=level)
    assert krippendorff(tabulate(table), level) == pytest.approx(theirs, abs=1e-9)


@given(tables(missing=False))
def test_fleiss_is_statsmodels(table: NDArray[np.float64]) -> None:
    ratings = tabulate(table)
    assert fleiss(ratings) == pytest.approx(fleiss_kappa(ratings.counts), abs=1e-9)


@given(tables(missing=False), st.sampled_from([None, "linear", "quadratic"]))
def test_cohen_is_scikit_learns(table: NDArray[np.float64], weights: str | None) -> None:
    table = table[:, :2]
    values = np.unique(table)
    assume(len(values) > 1)
    assume(np.all(np.diff(values) == 1))  # scikit-learn weighs by position, we weigh by value
    theirs = cohen_kappa_score(table[:, 0], table[:, 1], labels=values, weights=weights)
    assert mean_cohen(tabulate(table), weights or "none") == pytest.approx(theirs, abs=1e-9)  # type: ignore[arg-type]


def test_weights_are_distances_of_the_values_not_of_their_ranks() -> None:
    """On the scale 1, 2, 5 scikit-learn counts from 2 to 5 as one step, we as three."""
    a, b = [1, 2, 5, 5, 2, 1], [1, 5, 5, 2, 2, 2]
    named = {1: "1", 2: "2", 5: "5"}
    ranks = cohen_kappa_score([named[x] for x in a], [named[x] for x in b], weights="linear")
    ours = mean_cohen(tabulate(list(zip(a, b, strict=True))), "linear")
    assert ours != pytest.approx(ranks, abs=1e-3)
    every = cohen_kappa_score(a, b, labels=[1, 2, 3, 4, 5], weights="linear")  # with the values nobody gave
    assert ours == pytest.approx(every, abs=1e-12)


def test_gwet_as_published() -> None:
    """AC1 and AC2 as printed for the examples of irrCAC 1.0, missing answers included."""
    raw = tabulate(GWET_RAW)
    assert gwet(raw) == pytest.approx(0.77544, abs=5e-6)
    assert gwet(raw, "quadratic") == pytest.approx(0.914, abs=5e-6)
    assert percent(raw) == pytest.approx(0.8181818, abs=5e-8)
    assert gwet(from_counts(GWET_VOTES)) == pytest.approx(0.4448007, abs=5e-8)
    two = tabulate(GWET_ABSTRACTORS)
    assert gwet(two) == pytest.approx(0.8493305, abs=5e-8)
    assert gwet(two, "quadratic") == pytest.approx(0.9402369, abs=5e-8)


def test_gwet_of_two_values_by_hand() -> None:
    """Nine of ten agree, 13/20 of the answers are yes: chance is 2 x .65 x .35."""
    table = [[1, 1]] * 6 + [[0, 0]] * 3 + [[1, 0]]
    assert gwet(tabulate(table)) == pytest.approx((0.9 - 2 * 0.65 * 0.35) / (1 - 2 * 0.65 * 0.35))


def test_cohen_by_hand() -> None:
    """Three of five agree; 3/5 and 3/5 of the answers are 1, so chance agrees on 13/25."""
    assert mean_cohen(tabulate([[1, 1], [2, 1], [2, 2], [1, 2], [1, 1]])) == pytest.approx((15 - 13) / (25 - 13))


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_weights_are_repeated_items(name: str) -> None:
    rng = np.random.default_rng(8)
    table = rng.integers(1, 5, (12, 3)).astype(float)
    table[0, 0] = np.nan
    times = rng.integers(0, 4, 12)
    weighted = COEFFICIENTS[name](tabulate(table), times.astype(float))
    assert weighted == pytest.approx(COEFFICIENTS[name](tabulate(np.repeat(table, times, axis=0)), None))


def test_interval_covers_and_repeats() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(1, 6, 80)
    table = np.column_stack([np.clip(truth + rng.integers(-1, 2, 80), 1, 5) for _ in range(3)]).astype(float)
    ratings = tabulate(table)
    value = krippendorff(ratings)
    interval = bootstrap(lambda w: krippendorff(ratings, "ordinal", w), ratings.items, samples=300, seed=4)
    assert interval.low < value < interval.high
    assert interval == bootstrap(lambda w: krippendorff(ratings, "ordinal", w), ratings.items, samples=300, seed=4)


def test_leave_one_out_finds_the_odd_one() -> None:
    table = np.array([[1, 1, 3], [2, 2, 1], [3, 3, 2], [1, 1, 2], [2, 2, 3]], dtype=float)
    ratings = tabulate(table)
    assert krippendorff(ratings.without(2)) == pytest.approx(1)
    assert krippendorff(ratings.without(0)) < krippendorff(ratings)


def test_undefined_agreement_is_refused_with_the_reason() -> None:
    with pytest.raises(UndefinedStatistic, match="at least two annotators"):
        tabulate([[1], [2]])
    with pytest.raises(UndefinedStatistic, match="no item was judged by two"):
        tabulate([[1, np.nan], [np.nan, 2]])
    same = tabulate([[3, 3], [3, 3]])
    for name in ("fleiss", "cohen", "alpha-ordinal", "ac1"):
        with pytest.raises(UndefinedStatistic):
            COEFFICIENTS[name](same, None)
    assert percent(same) == 1


def test_spans() -> None:
    result = span_agreement({"a": [[(0, 4, "E")], [(0, 4, "E"), (6, 8, "E")]], "b": [[(0, 4, "E")], [(2, 4, "E")]]})
    assert result.exact == pytest.approx(2 * 1 / 5)
    assert result.overlap == pytest.approx(2 * 6 / (4 + 6 + 4 + 2))
    other = {"a": [[(0, 4, "E")], [(0, 4, "F")]]}
    assert span_agreement(other).exact == 0
    assert span_agreement(other, labelled=False).exact == 1
    with pytest.raises(UndefinedStatistic, match="no annotator marked a span"):
        span_agreement({"a": [[], []]})
    with pytest.raises(UndefinedStatistic, match="two annotators"):
        span_agreement({"a": [[(0, 1, "x")]]})
