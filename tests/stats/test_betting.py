"""Bounds by betting: exact for 0/1 losses, never above their level, and close to the z-test where that is right."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.stats.betting import (
    betting_bounds,
    binomial_at_most,
    items_without_loss,
    mean_rejected,
    most_failures,
)

ALPHA = 0.05


def passes(values: np.ndarray, margin: float, down: float = 1.0) -> bool:
    return bool(mean_rejected(values, np.ones(len(values)), down, np.array([-margin]), ALPHA)[0])


def test_binomial_probabilities() -> None:
    for count, n, chance in ((0, 5, 0.3), (3, 50, 0.1), (12, 1000, 0.02), (5, 5, 0.2), (-1, 9, 0.5)):
        assert binomial_at_most(count, n, chance) == pytest.approx(stats.binom.cdf(count, n, chance), abs=1e-12)
    assert most_failures(50, 0.02, ALPHA) == -1
    assert most_failures(1000, 0.02, ALPHA) == 12
    assert items_without_loss(0.01, 1.0, ALPHA) == 299


@pytest.mark.parametrize("n", [20, 50, 100, 300, 1000])
def test_rare_failures_at_the_margin_pass_at_most_at_the_level(n: int) -> None:
    """All numbers of empty outputs are enumerated, each losing all of the range; the other outputs are unchanged."""
    chance = np.random.default_rng(n)
    for percent in (1, 2, 5, 10):
        rate, passed = percent / 100, 0.0
        for failures in range(n + 1):
            values = np.zeros(n)
            values[:failures] = -1.0
            if not passes(chance.permutation(values), rate):
                break
            passed += float(stats.binom.pmf(failures, n, rate))
        most = most_failures(n, rate, ALPHA)
        assert passed <= ALPHA
        assert passed == pytest.approx(stats.binom.cdf(most, n, rate) if most >= 0 else 0.0, abs=1e-9)


@pytest.mark.parametrize("loss", [1.0, 0.4])
def test_failures_among_other_changes_pass_at_most_at_the_level(loss: float) -> None:
    chance, n, sets, rate = np.random.default_rng(5), 100, 150, 0.1
    passed = 0
    for _ in range(sets):
        noise = chance.normal(0, 0.05, n)
        values = np.where(chance.random(n) < rate, -loss, noise)
        passed += passes(values, rate * loss)
    assert passed <= 15  # 7.5 are expected at most, more than 15 come once in two hundred


def test_the_bound_of_losses_alone_is_that_of_clopper_and_pearson() -> None:
    values = np.zeros(300)
    values[[3, 80, 211]] = -1.0
    low, high = betting_bounds(values, 1.0, 1.0, ALPHA)
    assert -low == pytest.approx(stats.beta.ppf(0.95, 4, 297), abs=1e-4)
    assert low < values.mean() < high


def test_a_long_sample_has_about_the_interval_of_the_z_test() -> None:
    values = np.clip(np.random.default_rng(1).normal(0.01, 0.2, 4000), -1, 1)
    low, high = betting_bounds(values, 1.0, 1.0, ALPHA)
    error = values.std(ddof=1) / np.sqrt(len(values))
    for end, classical in ((low, values.mean() - 1.645 * error), (high, values.mean() + 1.645 * error)):
        assert end == pytest.approx(classical, abs=0.35 * error)


def test_weights_and_units_do_not_matter() -> None:
    chance = np.random.default_rng(3)
    values = np.clip(chance.normal(0, 0.2, 200), -1, 1)
    plain = betting_bounds(values, 1.0, 1.0, ALPHA)
    assert betting_bounds(values * 100, 100.0, 100.0, ALPHA) == pytest.approx([100 * end for end in plain], abs=0.02)
    weighted = betting_bounds(values * 3, 1.0, 1.0, ALPHA, weights=np.full(200, 3.0))
    assert weighted == pytest.approx(plain, abs=2e-4)
    unequal = np.where(np.arange(200) % 2, 1.0, 5.0)
    low, high = betting_bounds(values * unequal, 1.0, 1.0, ALPHA, weights=unequal)
    assert low < (values * unequal).sum() / unequal.sum() < high
    assert high - low > plain[1] - plain[0]


def test_too_few_values_exclude_nothing() -> None:
    assert betting_bounds(np.empty(0), 1.0, 1.0, ALPHA) == (-1.0, 1.0)
    low, high = betting_bounds(np.zeros(2), 1.0, 1.0, ALPHA)
    assert low < -0.7
    assert high > 0.7
