"""Standardised effects: parity with pingouin, intervals by scipy's noncentral t, coverage."""

from __future__ import annotations

import math

import numpy as np
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from assay.stats.effects import d_av, d_z, shift_interval
from assay.stats.undefined import UndefinedStatistic


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.integers(3, 60))
def test_effects_are_pingouins(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = 0.5 * a + rng.normal(0.3, 1, n)
    assert d_av(a, b).value == pytest.approx(pingouin.compute_effsize(b, a, paired=True, eftype="cohen"))
    t = stats.ttest_rel(b, a).statistic
    assert d_z(a, b).value == pytest.approx(t / math.sqrt(n))
    found = d_z(a, b)
    assert found.low < found.value < found.high


@pytest.mark.parametrize(("t", "df"), [(2.0, 5), (-1.3, 9), (0.0, 20), (8.0, 100), (30.0, 1000), (-9.0, 3), (2.0, 1)])
def test_shifts_are_scipys(t: float, df: int) -> None:
    def shift(share: float) -> float:
        return float(optimize.brentq(lambda at: stats.nct.sf(t, df, at) - share, t - 60, t + 60))

    assert shift_interval(t, df) == pytest.approx((shift(0.025), shift(0.975)), abs=1e-8)


def test_refusals() -> None:
    with pytest.raises(UndefinedStatistic, match="all differences are equal"):
        d_z([1, 2, 3], [2, 3, 4])
    with pytest.raises(UndefinedStatistic, match="neither"):
        d_av([1, 1], [2, 2])


def test_intervals_cover() -> None:
    """Values of the two systems correlate by .6, as those of the same items do."""
    rng = np.random.default_rng(5)
    truth_z, truth_av = 0.4 / math.sqrt(2 - 2 * 0.6), 0.4
    hits = [0, 0]
    for _ in range(80):
        x = rng.multivariate_normal([0, 0.4], [[1, 0.6], [0.6, 1]], 25)
        z, av = d_z(x[:, 0], x[:, 1]), d_av(x[:, 0], x[:, 1])
        hits[0] += z.low <= truth_z <= z.high
        hits[1] += av.low <= truth_av <= av.high
    assert min(hits) >= 70, hits
