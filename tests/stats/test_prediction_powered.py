"""Few judgements and proxies: equal to PPI++ as published, right coverage, no loss by a useless proxy."""

import numpy as np
import pytest

from assay.stats.prediction_powered import Judged, Population, estimate_means, ppi_mean


def test_equals_the_published_package() -> None:
    package = pytest.importorskip("ppi_py")
    draw = np.random.default_rng(0)
    for n, others, slope in ((50, 500, 0.6), (100, 300, 0.9), (30, 60, -0.3)):
        y = draw.normal(size=n)
        proxy, other = slope * y + draw.normal(size=n) * 0.5, draw.normal(size=others)
        value, error, _ = ppi_mean(y, proxy, other)
        assert value == pytest.approx(float(package.ppi_mean_pointestimate(y, proxy, other)[0]), abs=1e-9)
        low, high = (float(end[0]) for end in package.ppi_mean_ci(y, proxy, other, alpha=0.05))
        assert (high - low) / 2 == pytest.approx(1.959963984540054 * error, abs=1e-9)


def test_equals_stored_values_of_the_published_package() -> None:
    """Mean and interval of `ppi_py.ppi_mean_pointestimate` and `ppi_mean_ci`, version 0.2.3."""
    y = np.array([3, 4, 2, 5, 4, 3, 1, 4, 5, 2, 3, 4.0])
    proxy = np.array([2.5, 4.2, 2.4, 4.4, 3.9, 3.3, 1.9, 3.2, 4.8, 2.9, 2.2, 4.1])
    other = np.array([3.1, 2.2, 4.5, 3.9, 1.7, 2.8, 4.4, 3.6, 2.0, 4.9, 3.3, 2.7, 3.8, 1.9, 4.1, 3.0, 2.6, 4.7, 3.5,
                      2.9, 4.0, 3.4, 2.3, 3.7])  # fmt: skip
    value, error, _ = ppi_mean(y, proxy, other)
    ends = value - 1.959963984540054 * error, value + 1.959963984540054 * error
    assert (value, *ends) == pytest.approx((3.3142209868, 2.8568468205766826, 3.771595153033793), abs=1e-9)


def test_without_proxies_it_is_the_interval_of_student() -> None:
    y = np.array([1.0, 2.0, 4.0, 5.0])
    population = Population(np.zeros((9, 0)), np.zeros(9, dtype=np.int64), np.arange(9))
    mean = estimate_means(population, Judged(np.array([0, 2, 4, 6]), y)).mean(0)
    assert (mean.value, mean.error, mean.df) == pytest.approx((3.0, y.std(ddof=1) / 2, 3.0))


@pytest.mark.parametrize(("slope", "least", "most"), [(0.0, 0.93, 1.03), (0.9, 2.5, 6.0)])
def test_coverage_and_gain_of_50_judgements(slope: float, least: float, most: float) -> None:
    draw = np.random.default_rng(1)
    covered, gains = 0, []
    system, cluster = np.tile(np.arange(2), 300), np.repeat(np.arange(300), 2)
    for _ in range(300):
        proxy = draw.normal(size=600)
        y = slope * proxy + np.sqrt(1 - slope**2) * draw.normal(size=600)
        rows = np.flatnonzero(np.isin(cluster, draw.choice(300, 25, replace=False)))
        judged = Judged(rows, y[rows])
        mean = estimate_means(Population(proxy[:, None], system, cluster), judged).mean(0)
        alone = estimate_means(Population(np.zeros((600, 0)), system, cluster), judged).mean(0)
        low, high = mean.interval()
        covered += low <= 0 <= high
        gains.append((alone.error / mean.error) ** 2)
    assert 0.91 <= covered / 300 <= 0.985
    assert least <= np.median(gains) <= most


def test_unequal_probabilities_and_strata_are_weighted() -> None:
    draw = np.random.default_rng(2)
    system, cluster = np.zeros(400, dtype=np.int64), np.arange(400)
    covered = {"probability": 0, "stratum": 0}
    for _ in range(300):
        proxy = draw.normal(size=400)
        y = proxy + draw.normal(size=400)
        probability = np.where(proxy > 0, 0.3, 0.1)  # better outputs are drawn three times as often
        rows = np.flatnonzero(draw.random(400) < probability)
        stratum = (proxy > 0).astype(np.int64)
        designs = {
            "probability": Population(np.zeros((400, 0)), system, cluster, probability),
            "stratum": Population(np.zeros((400, 0)), system, cluster, stratum=stratum),
        }
        for name, population in designs.items():
            low, high = estimate_means(population, Judged(rows, y[rows]), finite=True).mean(0).interval()
            covered[name] += low <= y.mean() <= high
    assert all(0.91 <= count / 300 <= 0.985 for count in covered.values()), covered


def test_other_annotators_widen_the_interval_to_the_right_coverage() -> None:
    draw = np.random.default_rng(4)
    system, cluster = np.zeros(200, dtype=np.int64), np.arange(200)
    population = Population(np.zeros((200, 0)), system, cluster)
    covered = {"these": 0, "others": 0}
    for _ in range(300):
        lenient = draw.normal(size=8)
        rows = np.repeat(draw.choice(200, 40, replace=False), 2)
        person = np.tile(np.arange(8), 10)
        y = draw.normal(size=200)[rows] + lenient[person]
        for name, people in (("these", None), ("others", person)):
            low, high = estimate_means(population, Judged(rows, y, people)).mean(0).interval()
            covered[name] += low <= 0 <= high
    assert covered["these"] / 300 < 0.8
    assert 0.91 <= covered["others"] / 300 <= 0.99


def test_simultaneous_intervals_of_all_pairs_hold_together() -> None:
    """16 systems without a difference: all 120 intervals together exclude zero in at most 5 % (8 of 100 by chance)."""
    from itertools import combinations

    from assay.stats.all_pairs import critical_value
    from assay.stats.simultaneous import null_of_contrasts

    draw = np.random.default_rng(2)
    system, cluster = np.tile(np.arange(16), 100), np.repeat(np.arange(100), 16)
    weights = np.array([np.eye(16)[a] - np.eye(16)[b] for a, b in combinations(range(16), 2)])
    wrong = 0
    for _ in range(100):
        proxy = draw.normal(size=1600)
        y = 0.6 * proxy + 0.8 * draw.normal(size=1600)
        rows = np.flatnonzero(np.isin(cluster, draw.choice(100, 30, replace=False)))
        estimates = estimate_means(Population(proxy[:, None], system, cluster), Judged(rows, y[rows]))
        contrasts = [estimates.contrast(each) for each in weights]
        reach = critical_value(
            null_of_contrasts(estimates.covariance(), weights, min(each.df for each in contrasts), 2000), 0.05
        )
        wrong += any(abs(each.value) > reach * each.error for each in contrasts)
    assert wrong <= 10


def test_a_proxy_that_is_constant_without_one_text_has_no_weight_there() -> None:
    """Without the only text that differs, rounding errors of the sums were divided by rounding errors."""
    draw = np.random.default_rng(5)
    for _ in range(50):
        proxy = np.full(60, 4.7)
        proxy[draw.integers(10)] = 3.1
        y = draw.normal(size=10)
        judged = Judged(np.arange(10), y)
        with np.errstate(over="raise", invalid="raise"):
            mean = estimate_means(Population(proxy[:, None], np.zeros(60, dtype=np.int64), np.arange(60)), judged).mean(
                0
            )
        assert mean.error < 3 * y.std(ddof=1) / np.sqrt(10)


def test_many_contrasts_of_few_clusters_need_a_larger_critical_value() -> None:
    """16 equal systems with 12 values each: the largest of 120 Welch t is above the critical value in 5 % at most."""
    from itertools import combinations

    from assay.stats.all_pairs import critical_value
    from assay.stats.simultaneous import null_of_contrasts

    draw = np.random.default_rng(3)
    pairs = list(combinations(range(16), 2))
    weights = np.array([np.eye(16)[a] - np.eye(16)[b] for a, b in pairs])
    critical = critical_value(null_of_contrasts(np.eye(16) / 12, weights, 11), 0.05)
    common = critical_value(null_of_contrasts(np.eye(16) / 12, weights, 1000), 0.05)
    values = draw.normal(size=(1500, 12, 16))
    means, errors = values.mean(axis=1), values.var(axis=1, ddof=1) / 12
    a, b = np.array(pairs).T
    largest = (np.abs(means[:, a] - means[:, b]) / np.sqrt(errors[:, a] + errors[:, b])).max(axis=1)
    assert (largest > critical).mean() <= 0.05
    assert (largest > common).mean() > 0.1


def test_degrees_of_freedom_are_those_of_the_judgements_that_decide_the_error() -> None:
    """Three of 19 judgements are of half of the texts: their variance is known from two degrees of freedom, not 16."""
    draw = np.random.default_rng(8)
    system, cluster = np.zeros(400, dtype=np.int64), np.arange(400)
    stratum = np.repeat([0, 1, 2], [200, 140, 60])
    covered = equal = 0
    for _ in range(400):
        y = draw.normal(size=400)
        rows = np.concatenate([draw.choice(np.flatnonzero(stratum == h), n, False) for h, n in enumerate((3, 3, 13))])
        mean = estimate_means(
            Population(np.zeros((400, 0)), system, cluster, None, stratum), Judged(rows, y[rows])
        ).mean(0)
        low, high = mean.interval()
        covered += low <= 0 <= high
        equal += abs(mean.value) <= 2.12 * mean.error  # Student's t with 16 degrees of freedom
    assert mean.df == pytest.approx(3.7, abs=0.1)
    assert equal / 400 < 0.92
    assert 0.93 <= covered / 400 <= 0.985


def test_large_weights_leave_few_degrees_of_freedom() -> None:
    probability = np.r_[np.full(20, 0.9), np.full(20, 0.05)]
    population = Population(np.zeros((40, 0)), np.zeros(40, dtype=np.int64), np.arange(40), probability)
    judged = Judged(np.r_[:12, 20:24], np.arange(16.0))
    assert 3 < estimate_means(population, judged).mean(0).df < 5
    alike = Population(np.zeros((40, 0)), np.zeros(40, dtype=np.int64), np.arange(40), np.full(40, 0.4))
    assert estimate_means(alike, judged).mean(0).df == pytest.approx(15)
