"""Strengths from pairwise choices: choix's values, Davidson by hand, covariates, and what has no finite strength."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.stats.paired_comparison import paired_comparison
from assay.stats.rogan_gladen import corrected_rate
from assay.stats.validation import UndefinedStatistic

CHOICES = "01 12 20 01 10 21 02 12 31 03 23 32 13 30 21 01 12 02 13 23"
"""Winner and loser of each choice."""
CHOIX = (0.5609245074405236, 0.01596735326262205, -0.14631223138519406, -0.4305796293179515)
"""Strengths of CHOICES by choix.opt_pairwise with alpha=0, mean 0."""


def test_equal_to_choix() -> None:
    pairs = CHOICES.split()
    fitted = paired_comparison(
        [p[0] for p in pairs], [p[1] for p in pairs], [1.0] * len(pairs), list(map(str, range(20)))
    )
    choix = pytest.importorskip("choix")
    data = [(int(p[0]), int(p[1])) for p in pairs]
    expected = choix.opt_pairwise(4, data, alpha=0.0, tol=1e-12)
    assert fitted.strengths == pytest.approx(expected - expected.mean(), abs=1e-6)


def test_the_stored_values_of_choix() -> None:
    pairs = CHOICES.split()
    fitted = paired_comparison(
        [p[0] for p in pairs], [p[1] for p in pairs], [1.0] * len(pairs), list(map(str, range(20)))
    )
    assert fitted.strengths == pytest.approx(CHOIX, abs=1e-6)
    assert fitted.tie is None
    low, high = fitted.interval(0)
    assert low < CHOIX[0] < high


def test_davidson_by_hand() -> None:
    """Of two systems, the shares are fitted exactly: exp(difference) = wins / losses, nu = ties / sqrt(wins losses)."""
    results = [1.0] * 12 + [0.0] * 3 + [0.5] * 6
    fitted = paired_comparison(["a"] * 21, ["b"] * 21, results, list(map(str, range(21))))
    assert fitted.strengths == pytest.approx([math.log(4) / 2, -math.log(4) / 2], abs=1e-9)
    assert fitted.tie == pytest.approx(1.0, abs=1e-9)
    assert fitted.win_probability(0, 1) == pytest.approx((12 + 3) / 21)
    # delta method: var(log(12 / 3)) = 1/12 + 1/3, here with the factor 21 / 20 of clusters
    assert fitted.difference(0, 1)[1] == pytest.approx(math.sqrt((1 / 12 + 1 / 3) * 21 / 20), rel=1e-6)


def test_three_systems_with_ties_have_the_expected_points() -> None:
    """At the maximum, expected points equal observed points (Davidson's equations)."""
    rows = [("a", "b", 1.0)] * 5 + [("a", "b", 0.5)] * 2 + [("b", "c", 1.0)] * 4 + [("c", "a", 1.0)] * 2
    rows += [("a", "c", 0.5)] * 3 + [("c", "b", 1.0)] * 2
    first, second, results = ([row[i] for row in rows] for i in range(3))
    fitted = paired_comparison(first, second, results, list(map(str, range(len(rows)))))  # type: ignore[arg-type]
    place = {name: i for i, name in enumerate(fitted.systems)}
    points, expected = np.zeros(3), np.zeros(3)
    for a, b, result in rows:
        share = fitted.win_probability(place[a], place[b])
        points[[place[a], place[b]]] += [result, 1 - result]
        expected[[place[a], place[b]]] += [share, 1 - share]
    assert expected == pytest.approx(points, abs=1e-8)


def test_a_covariate_takes_its_effect_out() -> None:
    """A judge that prefers longer texts: at equal length, two equal systems are equal."""
    draw = np.random.default_rng(0)
    n = 4000
    longer = draw.normal(0.8, 1, n)  # the first system writes more
    won = (draw.random(n) < 1 / (1 + np.exp(-1.5 * longer))).astype(float)
    items = list(map(str, range(n)))
    raw = paired_comparison(["long"] * n, ["short"] * n, won, items)
    fair = paired_comparison(["long"] * n, ["short"] * n, won, items, {"length": longer})
    assert raw.strengths[0] > 0.3
    assert abs(fair.difference(0, 1)[0]) < 3 * fair.difference(0, 1)[1]
    effect, error = fair.effects["length"]
    assert abs(effect - 1.5) < 3 * error


def test_a_system_that_never_wins_is_named() -> None:
    with pytest.raises(UndefinedStatistic, match="b never wins against a"):
        paired_comparison(["a", "a"], ["b", "b"], [1, 1], ["1", "2"])


def test_rates_are_corrected() -> None:
    """Apparent .4 with sensitivity .9 and specificity .8: (.4 + .8 - 1) / .7 = .2857."""
    rate = corrected_rate(80, 200, 45, 50, 40, 50)
    assert rate.value == pytest.approx(0.2 / 0.7)
    assert 0 < rate.low < rate.value < rate.high < 0.5
    with pytest.raises(UndefinedStatistic, match="not above chance level"):
        corrected_rate(80, 200, 25, 50, 20, 50)
    assert corrected_rate(0, 200, 45, 50, 40, 50).value == 0


def test_corrected_rates_cover_the_truth() -> None:
    draw = np.random.default_rng(0)
    covered = 0
    for _ in range(1000):
        rate = corrected_rate(
            int(draw.binomial(300, 0.3 * 0.9 + 0.7 * 0.15)), 300, int(draw.binomial(60, 0.9)), 60,
            int(draw.binomial(60, 0.85)), 60,
        )  # fmt: skip
        covered += rate.low <= 0.3 <= rate.high
    assert covered >= 930
