"""Cluster-robust standard errors: parity with statsmodels, by hand, coverage where rows share two things."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.stats.clusters import cluster_error
from assay.stats.validation import UndefinedStatistic


@given(st.integers(0, 10**6), st.integers(3, 12), st.integers(3, 25))
def test_one_and_two_ways_are_statsmodels(seed: int, first: int, second: int) -> None:
    rng = np.random.default_rng(seed)
    a = np.append(np.arange(first), rng.integers(0, first, 120))
    b = np.append(np.arange(first) % second, rng.integers(0, second, 120))
    y = rng.normal(size=first)[a] + rng.normal(size=second)[b] + rng.normal(size=len(a))
    for kinds in ((a,), (a, b)):
        ours = cluster_error(y - y.mean(), *kinds)
        groups = np.column_stack(kinds) if len(kinds) > 1 else a
        theirs = sm.OLS(y, np.ones(len(y))).fit(cov_type="cluster", cov_kwds={"groups": groups}).cov_params()[0, 0]
        larger = [cluster_error(y - y.mean(), kind).error ** 2 for kind in kinds]
        assert ours.error**2 == pytest.approx(max(theirs, *larger), rel=1e-9)
        assert ours.df == min(len(np.unique(kind)) for kind in kinds) - 1


def test_no_cluster_is_the_usual_error() -> None:
    y = np.array([1.0, 4, 2, 8, 5])
    found = cluster_error(y - y.mean())
    assert (found.error, found.df) == pytest.approx((stats.sem(y), 4))
    assert found.p(float(y.mean())) == pytest.approx(stats.ttest_1samp(y, 0).pvalue)
    interval = stats.t.interval(0.95, 4, y.mean(), stats.sem(y))
    assert found.interval(float(y.mean())) == pytest.approx(tuple(interval))
    same = cluster_error(y - y.mean(), range(5))
    assert (same.error, same.df) == pytest.approx((found.error, 4))


def test_rows_that_are_not_alike_keep_the_level() -> None:
    """The two-way variance alone is noisy: it rejects 7 % of true nulls where clusters add nothing."""
    rng = np.random.default_rng(5)
    first, second = np.repeat(np.arange(12), 12), np.tile(np.arange(12), 12)
    rejected = 0
    for _ in range(1500):
        y = rng.normal(size=144)
        rejected += cluster_error(y - y.mean(), first, second).p(float(y.mean())) < 0.05
    assert rejected <= 0.05 * 1500


def test_a_difference_below_zero_falls_back_on_one_way() -> None:
    """Rows that pull against each other within both kinds: the intersection alone is larger than either."""
    influence = [1.0, -1, -1, 1]
    found = cluster_error(influence, [0, 0, 1, 1], [0, 1, 0, 1])
    assert (found.error, found.note) == (0.0, "")
    found = cluster_error([2.0, -1, -2, 1.0], [0, 0, 1, 1], [0, 1, 0, 1])
    assert found.error > 0
    assert "conservative" in found.note


def test_too_few_clusters_are_refused_with_the_reason() -> None:
    with pytest.raises(UndefinedStatistic, match="two clusters"):
        cluster_error([1.0, -1.0], [0, 0])
    with pytest.raises(UndefinedStatistic, match="as many"):
        cluster_error([1.0, -1.0], [0, 1, 2])
    with pytest.raises(UndefinedStatistic, match="t has no value"):
        cluster_error([0.0, 0.0], [0, 1]).p(1.0)
    assert cluster_error([0.0, 0.0], [0, 1]).p(0.0) == 1


def test_two_ways_cover_where_one_does_not() -> None:
    """Documents and annotators both leave their mark on a row."""
    rng = np.random.default_rng(3)
    hits = {"documents": 0, "both": 0}
    draws = 300
    for _ in range(draws):
        a, b = rng.integers(0, 40, 400), rng.integers(0, 12, 400)
        y = rng.normal(0, 0.5, 40)[a] + rng.normal(0, 0.5, 12)[b] + rng.normal(size=400)
        for name, kinds in (("documents", (a,)), ("both", (a, b))):
            low, high = cluster_error(y - y.mean(), *kinds).interval(float(y.mean()))
            hits[name] += low <= 0 <= high
    assert hits["both"] >= 0.91 * draws
    assert hits["documents"] < 0.80 * draws
