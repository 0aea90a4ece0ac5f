"""Intraclass correlation: Shrout and Fleiss' table, parity with pingouin, gaps, coverage of the intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.stats.distributions import f_quantile, f_upper
from assay.stats.icc import FORMS, icc_interval, variance_parts
from assay.stats.validation import UndefinedStatistic
from tests.support.rating_tables import SHROUT_FLEISS

PRINTED = {
    "1": (0.17, -0.13, 0.72),
    "2": (0.29, 0.02, 0.76),
    "3": (0.71, 0.34, 0.95),
    "1k": (0.44, -0.88, 0.91),
    "2k": (0.62, 0.07, 0.93),
    "3k": (0.91, 0.68, 0.99),
}


@pytest.mark.parametrize("form", FORMS)
def test_shrout_and_fleiss(form: str) -> None:
    interval = icc_interval(SHROUT_FLEISS, form)
    assert interval is not None
    assert (variance_parts(SHROUT_FLEISS).form(form), *interval) == pytest.approx(PRINTED[form], abs=0.005)


@pytest.mark.parametrize(("items", "raters"), [(48, 3), (100, 3), (333, 3), (333, 5), (1000, 3), (1000, 7)])
def test_degrees_of_freedom_of_sizes_whose_sums_round(items: int, raters: int) -> None:
    """The equations of annotators are singular up to rounding, which the usual limit does not cover for these sizes."""
    table = np.random.default_rng(items).integers(1, 6, size=(items, raters)).astype(float)
    centred = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    assert variance_parts(table).rest == pytest.approx((centred**2).sum() / ((items - 1) * (raters - 1)), rel=1e-9)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(8, 25), st.integers(2, 6))
def test_icc_is_pingouins(seed: int, items: int, raters: int) -> None:
    rng = np.random.default_rng(seed)
    # items that differ clearly: where they do not, an ICC may have no value
    table = rng.normal(0, 3, size=(items, 1)) + rng.normal(size=raters) + rng.normal(size=(items, raters))
    long = pd.DataFrame([(i, j, table[i, j]) for i in range(items) for j in range(raters)], columns=["i", "j", "y"])
    theirs = pingouin.intraclass_corr(long, "i", "j", "y").set_index("Type")
    parts = variance_parts(table)
    for form, name in zip(FORMS, ("(1,1)", "(A,1)", "(C,1)", "(1,k)", "(A,k)", "(C,k)"), strict=True):
        row = theirs.loc[f"ICC{name}"]
        assert parts.form(form) == pytest.approx(row["ICC"], abs=1e-9)
        interval = icc_interval(table, form)
        assert interval is not None
        assert interval == pytest.approx(tuple(row["CI95"]), abs=0.0051)


@given(st.floats(1, 300), st.floats(1, 300), st.sampled_from([0.025, 0.5, 0.975]))
def test_f_is_scipys(above: float, below: float, share: float) -> None:
    f = stats.f.ppf(share, above, below)
    assert f_quantile(share, above, below) == pytest.approx(f, rel=1e-8)
    assert f_upper(f, above, below) == pytest.approx(1 - share, abs=1e-10)


def test_weights_are_repeated_items() -> None:
    rng = np.random.default_rng(3)
    table = rng.normal(size=(30, 1)) + rng.normal(size=(30, 4))
    table[rng.random(table.shape) < 0.3] = np.nan
    times = rng.integers(0, 4, 30)
    weighted, repeated = variance_parts(table, times.astype(float)), variance_parts(np.repeat(table, times, axis=0))
    assert [weighted.form(form) for form in FORMS] == pytest.approx([repeated.form(form) for form in FORMS])
    assert icc_interval(table, "2") is None


def test_components_with_gaps_are_unbiased() -> None:
    rng = np.random.default_rng(4)
    found = []
    for _ in range(300):
        table = rng.normal(size=(30, 1)) + 0.5 * rng.normal(size=6) + rng.normal(size=(30, 6))
        table[rng.random(table.shape) < 0.5] = np.nan
        parts = variance_parts(table)
        found.append((parts.items, parts.annotators, parts.rest))
    error = np.std(found, axis=0) / 300**0.5
    assert np.all(np.abs(np.mean(found, axis=0) - [1, 0.25, 1]) < 3 * error)


def test_undefined_icc_is_refused_with_the_reason() -> None:
    with pytest.raises(UndefinedStatistic, match="common items"):
        variance_parts([[1, np.nan], [np.nan, 2], [3, np.nan]])
    with pytest.raises(UndefinedStatistic, match="no value"):
        variance_parts([[1, 3], [3, 1]]).form("3k")
    assert icc_interval([[1, 1], [2, 2], [4, 4]], "3") == (1.0, 1.0)


def test_intervals_cover() -> None:
    """Items, annotators and noise with variances .5, .25 and .5."""
    rng = np.random.default_rng(11)
    truth = {"2": 0.5 / 1.25, "3": 0.5}
    hits = dict.fromkeys(truth, 0)
    for _ in range(150):
        items, raters = rng.normal(0, 0.5**0.5, (40, 1)), rng.normal(0, 0.5, 8)
        table = items + raters + rng.normal(0, 0.5**0.5, (40, 8))
        for form, value in truth.items():
            low, high = icc_interval(table, form) or (1, 0)
            hits[form] += low <= value <= high
    assert min(hits.values()) >= 0.90 * 150, hits


def test_no_interval_has_its_ends_exchanged() -> None:
    table = [[5, 4], [2, 4], [4, 4]]
    assert icc_interval(table, "2k") is None
    for form in FORMS:
        interval = icc_interval(table, form)
        assert interval is None or interval[0] <= interval[1], form
