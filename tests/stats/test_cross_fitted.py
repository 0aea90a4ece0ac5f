"""Weights of proxies: systems with little variation are not made worse, and no weight comes from its own judgement."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats.bounded_mean import bounded_means
from assay.stats.cross_fitted import cross_fitted
from assay.stats.prediction_powered import Judged, Population, estimate_means


def test_weights_are_those_of_each_cluster_left_out() -> None:
    """The one pass over all clusters equals a fit of the other texts, cluster by cluster."""
    draw = np.random.default_rng(3)
    system, cluster = np.tile(np.arange(3), 12), np.repeat(np.arange(12), 3)
    x, weights = draw.normal(size=(36, 2)), draw.uniform(0.5, 2, 36)
    y = x[:, 0] * (1 + system) + draw.normal(size=36)
    spread = draw.uniform(0.5, 1.5, (3, 2))
    _, fitted = cross_fitted(x, y, weights, system, cluster, spread)
    for left in range(12):
        rest = cluster != left
        slope, _ = cross_fitted(x[rest], y[rest], weights[rest], system[rest], cluster[rest], spread)
        assert (slope[system] * x).sum(axis=1)[~rest] == pytest.approx(fitted[~rest])


def test_a_system_near_the_end_of_the_scale_is_not_made_worse() -> None:
    """The proxy varies alike for all systems; judgements of the first vary little. With one weight for both, its
    squared error was five times that of its judgements alone, and its interval more than twice as long."""
    draw = np.random.default_rng(0)
    system, cluster = np.tile(np.arange(2), 150), np.repeat(np.arange(150), 2)
    errors, lengths = np.zeros((2, 2)), []
    for _ in range(150):
        quality = draw.normal(size=300)
        y = np.where(system == 0, 5 - (draw.random(300) < 0.06), np.clip(np.round(3 + quality), 1, 5))
        proxy = quality + 0.3 * draw.normal(size=300)
        population = Population(proxy[:, None], system, cluster)
        rows = np.concatenate([draw.choice(np.flatnonzero(system == k), 25, replace=False) for k in range(2)])
        judged, truth = Judged(rows, y[rows]), [y[system == k].mean() for k in range(2)]
        ours, alone = (estimate_means(each, judged, True) for each in (population, population.without_proxies()))
        if not alone.clusters.any(axis=0).all():
            continue
        errors += [(ours.value - truth) ** 2, (alone.value - truth) ** 2]
        low, high = bounded_means(ours, alone, (1, 5)).interval(0)
        least, most = bounded_means(alone, alone, (1, 5)).interval(0)
        lengths.append((high - low) / (most - least))
    assert errors[0, 0] < 1.6 * errors[1, 0]
    assert errors[0, 1] < 0.5 * errors[1, 1]  # the proxy is good for the second
    assert np.mean(lengths) < 1.15


def test_a_proxy_that_is_constant_where_it_was_judged_has_no_weight() -> None:
    """Rounded means of weighted constants differ from them, and were divided by each other: estimates of 1e13."""
    draw = np.random.default_rng(5)
    system = np.repeat(np.arange(3), 40)
    for _ in range(40):
        proxy = np.full(120, 4.7)
        proxy[draw.integers(10, 40, 3) + 40 * np.arange(3)] = 3.1
        rows = np.concatenate([np.arange(10) + 40 * k for k in range(3)])
        y = draw.normal(size=30)
        population = Population(proxy[:, None], system, np.arange(120), draw.uniform(0.1, 0.9, 120))
        ours, alone = (estimate_means(each, Judged(rows, y)) for each in (population, population.without_proxies()))
        assert ours.value == pytest.approx(alone.value, abs=1e-4)


def test_constant_proxies_change_nothing() -> None:
    draw = np.random.default_rng(6)
    system, cluster = np.zeros(200, dtype=np.int64), np.arange(200)
    y = draw.normal(size=200)
    good, flat = y + 0.5 * draw.normal(size=200), np.full(200, 0.1)
    judged = Judged(np.arange(20), y[:20])
    one, both = (
        estimate_means(Population(np.column_stack(each), system, cluster), judged) for each in ([good], [good, flat])
    )
    assert both.mean(0) == pytest.approx(one.mean(0))
    assert both.slope[0] == pytest.approx([one.slope[0, 0], 0.0])
