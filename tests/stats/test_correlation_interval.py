"""Intervals of correlations: weights against repeated rows, the estimate inside, coverage in small simulations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from assay.stats.correlation import Method, averaged_within, correlate, of_group_means
from assay.stats.correlation_interval import correlation_interval, recentred
from assay.stats.crossed import Copies, Crossed, Level, Unit, correlations, resample_units
from assay.stats.partial import partial
from assay.stats.validation import UndefinedStatistic
from assay.stats.weighted import weighted_correlation, weighted_partial
from benchmarks.correlation_inference import World, cover

METHODS: tuple[Method, ...] = ("pearson", "spearman", "kendall-b", "kendall-c")
UNITS: tuple[Unit, ...] = ("systems", "inputs", "both", "texts")


@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall-b"])
def test_weights_are_copies(method: Method) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 8, 40).astype(float)
    y = np.round(x + 2 * rng.normal(size=40))
    group = rng.integers(0, 3, 40)
    weights = rng.multinomial(40, np.full(40, 1 / 40), 30).astype(float)
    drawn = [np.repeat(np.arange(40), row.astype(int)) for row in weights]
    slow = [correlate(x[rows], y[rows], method).r for rows in drawn]
    assert weighted_correlation(x, y, weights, method) == pytest.approx(slow, abs=1e-12)
    changing = np.broadcast_to(x, weights.shape)
    assert weighted_correlation(changing, y, weights, method) == pytest.approx(slow, abs=1e-12)
    slow = [partial(x[rows], y[rows], group[rows], method=method).r for rows in drawn]
    assert weighted_partial(x, y, group, weights, method) == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_every_row_once_is_the_plain_correlation(method: Method) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 9, 300).astype(float), rng.integers(0, 5, 300) + rng.normal(size=300)
    for rows in (slice(12), slice(300)):
        plain = correlate(x[rows], y[rows], method).r
        once = np.ones((2, len(x[rows])))
        assert weighted_correlation(x[rows], y[rows], once, method) == pytest.approx([plain] * 2, abs=1e-12)
        moved = np.stack([x[rows], 2 * x[rows] + 1])
        assert weighted_correlation(moved, y[rows], once, method) == pytest.approx([plain] * 2, abs=1e-12)


def test_a_constant_draw_has_no_value() -> None:
    weights = [[3, 0, 0, 1], [1, 1, 1, 1]]
    for method in METHODS:
        found = weighted_correlation([0.1, 0.2, 0.3, 0.1], [1.0, 3.0, 2.0, 4.0], weights, method)
        assert np.isnan(found).tolist() == [True, False]


def test_levels_are_those_of_the_estimates() -> None:
    world = World(6, 9)
    rng = np.random.default_rng(2)
    people, metric = world.scores(rng, world.effects(rng))
    table = world.table
    gone = rng.random(len(people)) > 0.2  # systems need not have answered everything
    people, metric = people[gone], metric[gone]
    assert table.systems is not None
    assert table.inputs is not None
    systems, documents = table.systems[gone], table.inputs[gone]
    table = Crossed(len(people), systems, documents)
    for method in METHODS:
        expected = {
            "global": correlate(metric, people, method).r,
            "system": of_group_means(metric, people, systems, method).r,
            "summary": averaged_within(metric, people, documents, method).r,
            "within": averaged_within(metric, people, systems, method).r,
        }
        for level, r in expected.items():
            found = correlations(metric, people, table, level, method, Copies())  # type: ignore[arg-type]
            assert found == pytest.approx([r], abs=1e-12), (level, method)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("level", ["global", "system", "summary", "within"])
def test_draws_are_the_level_of_drawn_texts(level: Level, unit: Unit) -> None:
    """Each draw written out as texts: copies of a system or an input are systems and inputs of their own."""
    world = World(5, 7)
    rng = np.random.default_rng(3)
    people, metric = world.scores(rng, world.effects(rng))
    table = world.table
    assert table.systems is not None
    assert table.inputs is not None
    copies = next(resample_units(table, unit, 12, 5))
    found = correlations(metric, people, table, level, "pearson", copies)
    for number, value in enumerate(found):
        rows: list[tuple[int, str, str]] = []
        for text in range(table.n):
            system, document = int(table.systems[text]), int(table.inputs[text])
            times = [
                1 if each is None else int(each[number, place])
                for each, place in ((copies.systems, system), (copies.inputs, document), (copies.texts, text))
            ]
            rows += [
                (text, f"{system}.{a}", f"{document}.{b}")
                for a in range(times[0])
                for b in range(times[1])
                for _ in range(times[2])
            ]
        places = np.array([row[0] for row in rows])
        x, y = metric[places], people[places]
        groups = {"system": [row[1] for row in rows], "summary": [row[2] for row in rows]}
        try:
            if level == "global":
                expected = correlate(x, y, "pearson").r
            elif level == "system":
                expected = of_group_means(x, y, groups["system"], "pearson").r
            else:
                by = groups["summary" if level == "summary" else "system"]
                expected = averaged_within(x, y, by, "pearson").r
        except UndefinedStatistic:
            assert np.isnan(value)
            continue
        if level in ("summary", "within") and unit == "texts":
            continue  # a group of fewer than three texts has a correlation here, and none there
        assert value == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["global", "system", "summary", "within"]),
    st.sampled_from(METHODS),
    st.sampled_from(UNITS),
    st.floats(-0.999, 0.999),
    st.floats(0.01, 5),
)
def test_the_estimate_is_inside(seed: int, level: Level, method: Method, unit: Unit, rho: float, noise: float) -> None:
    world = World(8, 12, rho, noise)
    rng = np.random.default_rng(seed)
    people, metric = world.scores(rng, world.effects(rng))
    if seed % 2:
        people = np.round(people)  # judgements tie
    estimate = float(correlations(metric, people, world.table, level, method, Copies())[0])
    assume(not np.isnan(estimate))
    try:
        found, p = correlation_interval(metric, people, estimate, world.table, level, method, unit, 60, seed)
    except UndefinedStatistic:  # a perfect order, or one that hardly any draw changes
        blocks = resample_units(world.table, unit, 60, seed)
        drawn = np.concatenate([correlations(metric, people, world.table, level, method, block) for block in blocks])
        assert abs(estimate) > 0.99 or np.ptp(np.nanquantile(drawn, [0.025, 0.975])) < 1e-6
        return
    assert -1 <= found.low <= estimate <= found.high <= 1
    assert found.low < found.high or (level, unit) == ("system", "inputs")
    assert (p < 0.05) == (not found.low <= 0 <= found.high)


@given(st.lists(st.floats(-1, 1), min_size=30, max_size=60), st.floats(-1, 1), st.sampled_from(METHODS))
def test_any_draws_leave_the_estimate_inside(drawn: list[float], estimate: float, method: Method) -> None:
    assume(np.ptp(drawn) > 0.01)
    found = recentred(estimate, drawn, method, 10)
    assert -1 <= found.low <= estimate <= found.high <= 1


def test_plain_percentiles_would_exclude_the_estimate() -> None:
    """Few inputs, much noise, a metric that is right about systems: drawing inputs anew lowers every draw."""
    world = World(25, 40, 1.0, 2.0)
    rng = np.random.default_rng(0)
    people, metric = world.scores(rng, world.effects(rng))
    for method in METHODS:
        r = float(correlations(metric, people, world.table, "system", method, Copies())[0])
        drawn = correlations(
            metric, people, world.table, "system", method, next(resample_units(world.table, "inputs", 400, 0))
        )
        assert np.quantile(drawn, 0.975) < r
        found, _ = correlation_interval(metric, people, r, world.table, "system", method, "inputs", 400)
        assert found.low < r < found.high


def test_texts_alone_agree_with_theory() -> None:
    rng = np.random.default_rng(6)
    group = rng.integers(0, 4, 400)
    x = rng.normal(size=400)
    y = 0.5 * x + rng.normal(size=400) + group
    r = partial(x, y, group).r
    found, _ = correlation_interval(x, y, r, Crossed(400, controls=group), samples=500, seed=1)
    theory = np.tanh(np.arctanh(r) + np.array([-1, 1]) * reference.norm.ppf(0.975) / np.sqrt(397))
    assert (found.low, found.high) == pytest.approx(tuple(theory), abs=0.03)


def test_texts_of_one_input_widen_the_interval() -> None:
    rng = np.random.default_rng(6)
    document = np.repeat(np.arange(50), 8)
    x, y = rng.normal(size=50)[document], rng.normal(size=50)[document]
    table, r = Crossed(400, inputs=document), correlate(x, y, "pearson").r
    alone, together = (correlation_interval(x, y, r, table, unit=unit, samples=400)[0] for unit in ("texts", "inputs"))
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_an_outlier_is_no_reason_for_no_interval() -> None:
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(2, 60))
    x[3] = 1e11
    drawn = np.concatenate(
        [correlations(x, y, Crossed(60), "global", "pearson", c) for c in resample_units(Crossed(60), "texts", 200, 0)]
    )
    assert not np.isnan(drawn).any()
    without = [correlate(np.delete(x, 3), np.delete(y, 3), "pearson").r]
    none = np.ones((1, 60))
    none[0, 3] = 0
    assert weighted_correlation(x, y, none, "pearson") == pytest.approx(without, abs=1e-4)


def test_few_units_and_perfect_orders_have_no_interval() -> None:
    table = World(5, 30).table
    x = np.arange(150.0)
    with pytest.raises(
        UndefinedStatistic, match="5 systems are too few for an interval over systems; at least 8 are needed"
    ):
        correlation_interval(x, x + np.sin(x), 0.9, table, "system", unit="both")
    table = Crossed(10, systems=np.arange(10))
    with pytest.raises(UndefinedStatistic, match=r"all resamples are 1\.000"):
        correlation_interval(x[:10], x[:10] ** 2, 1.0, table, "system", "kendall-b", "systems", 100)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["systems", "inputs", "both"])
@pytest.mark.parametrize(("method", "world"), [("pearson", World(12, 30)), ("kendall-b", World(12, 30, 0.9, 1.0))])
def test_coverage_is_near_nominal(unit: Unit, method: Method, world: World) -> None:
    share, width = cover(world, "system", method, unit, 120, 200)
    assert share > 0.895
    assert 0 < width < 1.5
