"""Swapping two metrics' scores: published p-values, all swaps by hand, level in small simulations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from assay.stats.correlation import Method, pearson
from assay.stats.crossed import Crossed, Level, Unit
from assay.stats.metric_difference import inflation, metric_permutation_test, spread
from assay.stats.validation import UndefinedStatistic
from assay.stats.williams import williams
from benchmarks.correlation_inference import World, wrongly_different


@pytest.mark.parametrize(
    ("level", "method", "unit", "p"),
    [
        ("global", "pearson", "texts", 0.5362),
        ("system", "spearman", "inputs", 0.698),
        ("summary", "kendall-b", "systems", 0.519),
    ],
)
def test_about_the_p_that_nlpstats_prints(level: Level, method: Method, unit: Unit, p: float) -> None:
    """Its own test of random numbers; it compares differences where we compare them in standard errors."""
    draw = np.random.RandomState(1234).random_sample
    x, y, z = (draw((9, 5)).ravel() for _ in range(3))
    found = metric_permutation_test(x, y, z, World(9, 5).table, level, method, unit, 2000)
    assert found.p == pytest.approx(p, abs=0.03)


def test_all_swaps_of_few_systems_are_counted() -> None:
    rng = np.random.default_rng(0)
    human = rng.normal(size=6)
    first, second = human + 0.3 * rng.normal(size=6), human + 2 * rng.normal(size=6)
    a, b = ((each - each.mean()) / each.std() for each in (first, second))
    observed = abs(williams(pearson(a, human).r, pearson(b, human).r, pearson(a, b).r, 6).t)
    extreme = 0
    for choice in itertools.product([False, True], repeat=6):
        x, y = np.where(choice, b, a), np.where(choice, a, b)
        t = williams(pearson(x, human).r, pearson(y, human).r, pearson(x, y).r, 6).t
        extreme += abs(t) >= observed - 1e-9
    table = Crossed(6, systems=np.arange(6))
    found = metric_permutation_test(first, second, human, table, "system", "pearson", "systems", 100)
    assert (found.p, found.permutations, found.exact) == (extreme / 64, 64, True)
    assert found.difference == pytest.approx(pearson(first, human).r - pearson(second, human).r)
    turned = metric_permutation_test(second, 5 * first + 3, human, table, "system", "pearson", "systems", 100)
    assert (turned.p, turned.difference) == pytest.approx((found.p, -found.difference))


def test_a_better_metric_is_found_at_every_level() -> None:
    rng = np.random.default_rng(3)
    world = World(16, 40, 0.9, 1.0, texts=0.8)
    people, metric = world.scores(rng, world.effects(rng))
    worse = rng.normal(size=len(metric))
    asked: tuple[tuple[Level, Unit], ...] = (
        ("global", "systems"), ("system", "systems"), ("summary", "systems"), ("within", "inputs"),
    )  # fmt: skip
    for level, unit in asked:
        found = metric_permutation_test(metric, worse, people, world.table, level, "pearson", unit, 500)
        assert found.p < 0.05
        assert found.difference > 0.1
    assert metric_permutation_test(metric, worse, people, world.table, "global", "spearman", "texts", 300).p == 1 / 301


def test_other_inputs_widen_what_systems_show() -> None:
    """Where inputs differ in how far a metric rewards quality, other inputs would change its correlation."""
    widened = []
    for taste in (0.0, 2.0):
        world = World(16, 30, taste=taste)
        rng = np.random.default_rng(2)
        people, first, second = world.scores(rng, world.effects(rng, 2))
        one, other = (spread(x, people, world.table, "system", "pearson") for x in (first, second))
        widened.append(inflation(one, other))
        plain, both = (
            metric_permutation_test(
                first, second, people, world.table, "system", unit="both", samples=400, inflation=wide
            ).p
            for wide in (1.0, widened[-1])
        )
        assert both >= plain
    assert widened[0] < 1.15
    assert widened[1] > 1.3


def test_what_cannot_be_compared() -> None:
    x = np.arange(20.0)
    y = x + np.sin(x)
    with pytest.raises(UndefinedStatistic, match="equal up to scale"):
        metric_permutation_test(x, 3 * x + 1, y, Crossed(20))
    with pytest.raises(UndefinedStatistic, match="a metric has no correlation"):
        metric_permutation_test(x, np.ones(20), y, Crossed(20))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "unit", "world"),
    [
        ("system", "systems", World(10, 20)),
        ("system", "both", World(12, 20, taste=1.5)),
        ("system", "inputs", World(12, 20)),
        ("summary", "systems", World(10, 6)),
        ("global", "inputs", World(8, 40)),
    ],
)
def test_equal_metrics_are_rarely_called_different(level: Level, unit: Unit, world: World) -> None:
    assert wrongly_different(world, level, "pearson", unit, 120, 120) < 0.1
