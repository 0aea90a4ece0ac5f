"""Intervals of ratings: Wilson's for rates, on the scale near its ends, and the right coverage of skewed ratings."""

import numpy as np
import pytest

from assay.stats.bounded_mean import BoundedMeans, bounded_means
from assay.stats.interval import rate_interval
from assay.stats.prediction_powered import Judged, Population, estimate_means

ONE = np.ones(1)


@pytest.mark.parametrize(("share", "n"), [(0.0, 12), (0.3, 20), (0.97, 150), (1.0, 5)])
def test_a_rate_has_the_interval_of_wilson(share: float, n: int) -> None:
    means = BoundedMeans(share * ONE, ONE, ONE / n, 0 * ONE, 1e9 * ONE, (0.0, 1.0))
    assert means.interval(0) == pytest.approx(rate_interval(share, n), abs=1e-6)
    rated = BoundedMeans(1 + 4 * share * ONE, ONE, ONE / n, 0 * ONE, 1e9 * ONE, (1.0, 5.0))
    assert rated.interval(0) == pytest.approx([1 + 4 * end for end in rate_interval(share, n)], abs=1e-6)


def test_skewed_ratings_are_covered_with_and_without_a_proxy() -> None:
    """Three systems, 90 to 97 % of the highest rating: Student's t covers 20 judged outputs in less than 85 %."""
    draw = np.random.default_rng(0)
    system, cluster = np.tile(np.arange(3), 200), np.repeat(np.arange(200), 3)
    covered = {"t": 0, "alone": 0, "proxy": 0}
    for _ in range(250):
        bad = draw.random(600) > np.array([0.97, 0.93, 0.9])[system]
        rating = 5.0 - bad * draw.integers(1, 5, 600)
        population = Population((rating + draw.normal(size=600))[:, None], system, cluster)
        rows = np.concatenate([draw.choice(np.flatnonzero(system == k), 20, replace=False) for k in range(3)])
        judged = Judged(rows, rating[rows])
        ours, plain = (estimate_means(each, judged, True) for each in (population, population.without_proxies()))
        ends = {"alone": bounded_means(plain, plain, (1, 5)), "proxy": bounded_means(ours, plain, (1, 5))}
        for k in range(3):
            mean = rating[system == k].mean()
            low, high = plain.mean(k).interval()
            covered["t"] += low <= mean <= high
            for name, each in ends.items():
                low, high = each.interval(k)
                covered[name] += low <= mean <= high
    assert covered["t"] / 750 < 0.85
    assert 0.93 <= covered["alone"] / 750 <= 0.99
    assert 0.93 <= covered["proxy"] / 750 <= 0.995


def test_variances_are_those_of_single_means() -> None:
    draw = np.random.default_rng(1)
    system, cluster = np.tile(np.arange(2), 100), np.repeat(np.arange(100), 2)
    rows = np.repeat(draw.choice(200, 60, replace=False), 2)
    judged = Judged(rows, draw.normal(size=120), np.tile(np.arange(4), 30))
    estimates = estimate_means(Population(draw.normal(size=(200, 1)), system, cluster), judged)
    variance, df = estimates.variances()
    each = [estimates.mean(k) for k in range(2)]
    assert variance == pytest.approx([mean.error**2 for mean in each])
    assert df == pytest.approx([mean.df for mean in each])
