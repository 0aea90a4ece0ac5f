"""Correlations with systems and inputs left out: by hand, one distribution for p and interval, level and coverage."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats.correlation import pearson
from assay.stats.crossed import Crossed
from assay.stats.crossed_jackknife import Estimate, LeftOut, leave_out
from assay.stats.validation import UndefinedStatistic
from benchmarks.shared_inputs import Scenario, rates


def test_each_system_and_input_is_left_out_by_hand() -> None:
    rng = np.random.default_rng(0)
    systems, inputs = (index.ravel() for index in np.indices((5, 7)))
    x, y = rng.normal(size=(2, 35)) + systems
    found = leave_out(x, y, Crossed(35, systems, inputs))
    assert found.z == pytest.approx(np.arctanh(pearson(x, y).r))
    for name, codes in (("systems", systems), ("inputs", inputs)):
        by_hand = [np.arctanh(pearson(x[codes != k], y[codes != k]).r) for k in range(codes.max() + 1)]
        assert sorted(found.parts[name]) == pytest.approx(sorted(by_hand))  # type: ignore[index]
    alone = leave_out(x, y, Crossed(35, systems, inputs), unit="inputs")
    assert list(alone.parts) == ["inputs"]


def test_variances_add_up_less_what_both_contain() -> None:
    systems, inputs, texts = np.array([0.5, 0.9, 0.7]), np.array([0.6, 0.8, 0.7, 0.7]), np.array([0.7, 0.7, 0.65])
    estimate = LeftOut(0.7, {"systems": systems, "inputs": inputs, "texts": texts}).estimate()
    assert estimate.error**2 == pytest.approx(0.08 + 0.02 - 0.0025)
    assert estimate.df == pytest.approx(0.0975**2 / (0.08**2 / 1 + 0.02**2 / 2))
    more = LeftOut(0.7, {"systems": systems, "inputs": inputs, "texts": np.array([0.7, 0.3])}).estimate()
    assert more.error**2 == pytest.approx(0.08)
    assert more.df == 1


def test_p_is_below_05_where_the_interval_excludes_0() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        found = Estimate(rng.normal(), abs(rng.normal()) + 0.01, rng.uniform(1, 30))
        low, high = found.interval()
        assert (found.p < 0.05) == (not low <= 0 <= high)


def test_too_few_are_refused() -> None:
    systems, inputs = (index.ravel() for index in np.indices((4, 9)))
    x, y = np.random.default_rng(2).normal(size=(2, 36))
    with pytest.raises(UndefinedStatistic, match="4 systems are too few for a statement about other systems"):
        leave_out(x, y, Crossed(36, systems, inputs))
    with pytest.raises(UndefinedStatistic, match="4 systems are too few"):
        leave_out(x, y, Crossed(36, systems, inputs), "system", unit="inputs")
    assert leave_out(x, y, Crossed(36, systems, inputs), unit="inputs").estimate().df == 7


def test_shared_inputs_do_not_raise_the_error_rate() -> None:
    """The classical p of the same tables rejects two to four times as often as it says."""
    found = rates(Scenario(8, 40, "inputs"), 80)
    assert found.classical > 0.15
    assert found.rejected <= 0.12
    assert found.different <= 0.12
    assert found.covered >= 0.88
