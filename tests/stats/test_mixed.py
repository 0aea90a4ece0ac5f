"""Linear mixed models: lme4's published fits, parity with statsmodels, the level of the test of systems."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats.minimize import minimize, minimize_sizes
from assay.stats.mixed import Problem, fit
from assay.stats.ordinal import fit_ordinal
from assay.stats.validation import UndefinedStatistic
from benchmarks.mixed_parity import one_factor, parity
from tests.support.rating_tables import DYESTUFF2, MACHINES, PASTES, PENICILLIN


def test_penicillin_is_lme4s() -> None:
    """diameter ~ 1 + (1 | plate) + (1 | sample): crossed."""
    plate, sample = (index.ravel() for index in np.indices(PENICILLIN.shape))
    factors = {"plate": plate, "sample": sample}
    model = fit(PENICILLIN.ravel(), np.ones(144), factors)
    assert model.converged
    assert model.criterion == pytest.approx(330.8606, abs=5e-5)
    assert model.fixed[0] == pytest.approx(22.9722, abs=5e-5)
    assert model.variances == pytest.approx({"plate": 0.7169, "sample": 3.7309, "residual": 0.3024}, abs=6e-5)
    found = model.contrast([1])
    assert found.error == pytest.approx(0.8086, abs=5e-5)
    assert found.df == pytest.approx(5.49, abs=0.005)
    plain = fit(PENICILLIN.ravel(), np.ones(144), factors, reml=False)
    assert plain.criterion == pytest.approx(332.18834867, abs=1e-6)
    relative = [np.sqrt(plain.variances[name] / plain.variances["residual"]) for name in factors]
    assert relative == pytest.approx([1.537594, 3.219792], abs=5e-5)


def test_pastes_is_lme4s() -> None:
    """strength ~ 1 + (1 | batch) + (1 | cask:batch): nested."""
    row = np.arange(60)
    model = fit(PASTES.ravel(), np.ones(60), {"batch": row // 6, "cask": row // 2})
    assert model.criterion == pytest.approx(246.9907, abs=5e-5)
    assert model.fixed[0] == pytest.approx(60.0533, abs=5e-5)
    assert model.variances == pytest.approx({"batch": 1.657, "cask": 8.434, "residual": 0.678}, abs=5e-4)
    assert model.contrast([1]).error == pytest.approx(0.6769, abs=5e-5)


def test_a_variance_of_zero_is_lme4s() -> None:
    """Yield ~ 1 + (1 | Batch) of Dyestuff2: the estimate lies at the edge."""
    model = fit(DYESTUFF2.ravel(), np.ones(30), {"batch": np.arange(30) // 5})
    assert model.variances["batch"] == 0
    assert model.variances["residual"] == pytest.approx(3.7157**2, rel=2e-5)
    assert model.criterion == pytest.approx(161.8283, abs=5e-5)
    assert model.contrast([1]).df == pytest.approx(29, abs=1e-3)


def test_machines_is_lmes() -> None:
    """score ~ Machine + (1 | Worker) + (1 | Worker:Machine): what systems and annotators are in a study."""
    machine, worker, _ = (index.ravel() for index in np.indices(MACHINES.shape))
    x = np.column_stack([np.ones(54), machine == 1, machine == 2])
    model = fit(MACHINES.ravel(), x, {"worker": worker, "worker:machine": machine * 6 + worker})
    assert model.fixed == pytest.approx([52.35556, 7.96667, 13.91667], abs=5e-6)
    deviations = {name: variance**0.5 for name, variance in model.variances.items()}
    assert deviations == pytest.approx({"worker": 4.781, "worker:machine": 3.7295, "residual": 0.9616}, abs=5e-4)
    assert model.criterion == pytest.approx(2 * 107.8438, abs=1e-4)
    gap = model.contrast([0, 1, 0])
    assert gap.error == pytest.approx(2.176974, abs=5e-6)
    assert gap.df == pytest.approx(10, abs=1e-3)
    means = fit(MACHINES.ravel(), np.eye(3)[machine], {"worker": worker, "worker:machine": machine * 6 + worker})
    same = means.contrast([-1, 1, 0])
    assert (same.value, same.error, same.df) == pytest.approx((gap.value, gap.error, gap.df), rel=1e-5)


def test_crossed_factors_are_statsmodels() -> None:
    rng = np.random.default_rng(5)
    item, rater = rng.integers(0, 12, 150), rng.integers(0, 7, 150)
    x = rng.normal(size=150)
    y = 2 + 0.3 * x + rng.normal(0, 0.8, 12)[item] + rng.normal(0, 0.6, 7)[rater] + rng.normal(0, 0.7, 150)
    data = pd.DataFrame({"y": y, "x": x, "item": item, "rater": rater, "all": 1})
    parts = {"item": "0 + C(item)", "rater": "0 + C(rater)"}
    theirs = smf.mixedlm("y ~ x", data, groups="all", re_formula="0", vc_formula=parts).fit(reml=True)
    ours = fit(y, np.column_stack([np.ones(150), x]), {"item": item, "rater": rater})
    assert -2 * theirs.llf == pytest.approx(ours.criterion, abs=1e-4)
    assert ours.fixed == pytest.approx(theirs.fe_params.to_numpy(), abs=1e-4)
    variances = [*theirs.vcomp, theirs.scale]
    assert list(ours.variances.values()) == pytest.approx(variances, rel=5e-3)


def test_no_fit_stops_where_the_gradient_alone_vanishes() -> None:
    """At a variance of 0 the gradient in the standard deviation is 0 for any data; a grid shows where 0 is the best."""
    grid = [np.zeros(1), *np.geomspace(1e-3, 10, 60)[:, None]]
    zero = best_at_zero = 0
    for seed in range(60):
        y, group = one_factor(seed)
        model = fit(y, np.ones(len(y)), {"group": group})
        values = [model.problem.profile(size)[0] for size in grid]
        assert model.converged
        assert model.criterion <= min(values) + 1e-6
        zero += model.variances["group"] == 0
        best_at_zero += int(np.argmin(values)) == 0
    assert zero == best_at_zero < 15


def test_a_start_at_zero_is_left() -> None:
    y, group = one_factor(16)
    problem = Problem(y, np.ones(len(y)), {"group": group})
    stuck, flat = minimize(problem.profile, np.zeros(1))
    assert (stuck.tolist(), flat) == ([0.0], True)
    left, flat = minimize_sizes(problem.profile, [np.zeros(1)], [0])
    assert left[0] > 0.2
    assert flat


def test_random_designs_are_statsmodels() -> None:
    """One to three factors, nested or crossed, unbalanced; 500 designs are in `python -m benchmarks rating_models`."""
    found = parity(12)
    assert found.designs == 12
    assert found.worse == found.different == found.unsettled == 0, found
    assert found.likelihood < 1e-5


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_criterion_and_slopes_are_those_of_the_whole_matrix(seed: int) -> None:
    """Blocks or not: against the density of all rows at once, and slopes against differences."""
    rng = np.random.default_rng(seed)
    n = 40
    item, rater, system = rng.integers(0, 8, n), rng.integers(0, 4, n), rng.integers(0, 2, n)
    factors = {"item": item, "rater": rater, "item:system": item * 2 + system, "rater:system": rater * 2 + system}
    x = np.column_stack([np.ones(n), system])
    y = rng.normal(size=n)
    problem = Problem(y, x, factors)
    variances = {name: float(rng.uniform(0.1, 2)) for name in (*factors, "residual")}

    def whole(given: dict[str, float]) -> float:
        v = given["residual"] * np.eye(n)
        for name, codes in factors.items():
            v += given[name] * np.equal.outer(codes, codes)
        inverse = np.linalg.inv(v)
        inner = x.T @ inverse @ x
        rest = y - x @ np.linalg.solve(inner, x.T @ inverse @ y)
        logs = np.linalg.slogdet(v)[1] + np.linalg.slogdet(inner)[1]
        return float(logs + rest @ inverse @ rest + (n - 2) * np.log(2 * np.pi))

    sizes = np.sqrt([variances[name] / variances["residual"] for name in factors])
    best = problem.residual_squares(problem.terms(sizes).left) / problem.df
    scaled = {name: value * best / variances["residual"] for name, value in variances.items()}
    assert problem.profile(sizes)[0] == pytest.approx(whole(scaled), abs=1e-8)
    local, width = problem.at(variances), 1e-5
    for k, name in enumerate(variances):
        up, down = ({**variances, name: variances[name] * np.exp(step)} for step in (width, -width))
        assert local.slope[k] == pytest.approx((whole(up) - whole(down)) / (2 * width), abs=1e-5)


def test_models_without_a_solution_are_refused_with_the_reason() -> None:
    with pytest.raises(UndefinedStatistic, match="every row has its own item"):
        fit([1.0, 2, 3, 4], np.ones(4), {"item": range(4)})
    with pytest.raises(UndefinedStatistic, match="not identifiable"):
        fit([1.0, 2, 3, 4], np.ones((4, 2)), {"item": [0, 0, 1, 1]})
    with pytest.raises(UndefinedStatistic, match="no random effects"):
        fit([1.0, 2, 3, 4], np.ones(4), {})
    with pytest.raises(UndefinedStatistic, match="no residual"):
        fit([1.0, 1, 2, 2, 3, 3], np.ones(6), {"item": [0, 0, 1, 1, 2, 2]})


def test_the_test_of_systems_holds_its_level() -> None:
    """Ten annotators with tastes of their own; a model that ignores these rejects a true null far too often."""
    rng = np.random.default_rng(12)
    draws, rejected, without = 80, 0, 0
    item, rater, system = (index.ravel() for index in np.indices((20, 10, 2)))
    x = np.column_stack([np.ones(400), system])
    factors = {"item": item, "rater": rater, "item:system": item * 2 + system, "rater:system": rater * 2 + system}
    for _ in range(draws):
        y = rng.normal(0, 0.5, 20)[item] + rng.normal(0, 0.5, 10)[rater] + rng.normal(0, 0.7, 400)
        y += rng.normal(0, 0.2, (20, 2))[item, system] + rng.normal(0, 0.3, (10, 2))[rater, system]
        found = fit(y, x, factors).contrast([0, 1])
        assert (found.p < 0.05) == (not found.low <= 0 <= found.high)
        rejected += found.p < 0.05
        without += fit(y, x, {"item": item, "rater": rater}).contrast([0, 1]).p < 0.05
    assert rejected <= 0.10 * draws
    assert without > 0.15 * draws


def test_items_judged_by_few_of_many_annotators_have_the_same_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the columns that a block uses are multiplied, which saves most of the time and changes nothing."""
    random = np.random.default_rng(0)
    item = np.repeat(np.arange(40), 6)
    annotator = np.concatenate([np.repeat(random.choice(20, 3, replace=False), 2) for _ in range(40)])
    system = np.tile([0, 1], 120)
    y = random.normal(size=40)[item] + random.normal(size=20)[annotator] + random.normal(size=240) + 0.3 * system
    factors = {"item": item, "annotator": annotator, "annotator x system": 2 * annotator + system}
    x = np.eye(2)[system]
    few = fit(y, x, factors)
    assert not few.problem.design.whole
    monkeypatch.setattr("assay.stats.random_effects.MANY", 1000)
    all_columns = fit(y, x, factors)
    assert all_columns.problem.design.whole
    assert few.criterion == pytest.approx(all_columns.criterion, rel=1e-12)
    assert few.variances == pytest.approx(all_columns.variances, rel=1e-5)
    assert few.contrast([1, -1]).df == pytest.approx(all_columns.contrast([1, -1]).df, rel=1e-4)
    ordered = fit_ordinal(np.round(y), x[:, 1:], factors)
    monkeypatch.undo()
    assert fit_ordinal(np.round(y), x[:, 1:], factors).fixed == pytest.approx(ordered.fixed, rel=1e-4)


def test_a_start_that_stops_short_does_not_hide_one_that_converges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two starts reach the same minimum; the one whose gradient does not vanish by rounding is not reported."""
    found = iter([(1.0, np.array([2.0]), False), (1.0 + 1e-9, np.array([2.1]), True), (3.0, np.array([9.0]), True)])
    monkeypatch.setattr("assay.stats.minimize._settled", lambda *_: next(found))
    sizes, converged = minimize_sizes(lambda x: (0.0, x), [np.ones(1)] * 3, [0])
    assert converged
    assert sizes == [2.1]
