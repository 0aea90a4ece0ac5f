"""Confidence sequences: level under peeking after every value, monotone limits, evidence that grows."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats.confidence_sequence import confidence_sequence, evidence_above


@pytest.mark.parametrize("kind", ["rare", "graded"])
def test_the_level_holds_at_every_look(kind: str) -> None:
    """The mean is exactly the hypothetical one. A z-test after every value would reject in every second sequence."""
    chance, n, sets = np.random.default_rng(11), 300, 400
    one = np.ones(n)
    wrong = naive = 0
    for _ in range(sets):
        if kind == "rare":
            values, mean = -(chance.random(n) < 0.05).astype(float), -0.05
        else:
            values, mean = chance.uniform(-0.6, 0.6, n), 0.0
        wrong += evidence_above(values, one, 1.0, mean).first_above(0.05) is not None
        places = np.arange(10, n + 1)
        means = np.cumsum(values)[9:] / places
        errors = np.array([values[:k].std() for k in places]) / np.sqrt(places)
        naive += bool((means - mean > 1.645 * errors).any())
    assert wrong <= 32  # 20 are expected at most
    assert naive > 60


def test_limits_are_the_means_that_were_rejected() -> None:
    values = np.clip(np.random.default_rng(2).normal(0.2, 0.3, 400), -1, 1)
    one = np.ones(400)
    low, high = confidence_sequence(values, one, 1.0, 1.0, 0.025)
    assert 0 < low < 0.2 < high < 0.5
    assert evidence_above(values, one, 1.0, low - 1e-6).first_above(0.025) is not None
    assert evidence_above(values, one, 1.0, low + 1e-6).first_above(0.025) is None
    shorter = confidence_sequence(values[:100], one[:100], 1.0, 1.0, 0.025)
    assert shorter[0] <= low
    assert high <= shorter[1]  # what one look has excluded stays excluded


def test_the_expected_capital_is_one() -> None:
    """An e-value has mean at most 1 under the hypothesis, here over all sequences of six losses of probability 1/4."""
    total = 0.0
    for number in range(2**6):
        losses = np.array([number >> place & 1 for place in range(6)])
        weight = float(np.where(losses == 1, 0.25, 0.75).prod())
        total += weight * float(np.exp(evidence_above(-losses.astype(float), np.ones(6), 1.0, -0.25).log_capital[-1]))
    assert total == pytest.approx(1.0)
