"""Intervals over annotators: what they need, and whether they hold the agreement of people not asked."""

from __future__ import annotations

import numpy as np
import pytest

from assay.meta.coefficients import coefficients
from assay.stats.agreement import gwet, krippendorff, percent, tabulate
from assay.stats.annotators import interval_over, interval_over_items, jackknife_variance, no_item_interval
from assay.stats.uncertainty import item_weights
from assay.stats.validation import UndefinedStatistic


def test_jackknife_by_hand() -> None:
    """Pairs agree on 2, 1 and 0 of two items; left out are the others' pairs."""
    ratings = tabulate([[1, 1, 2], [1, 1, 1]])
    without = np.array([percent(ratings.without(k)) for k in range(3)])
    assert without.tolist() == [0.5, 0.5, 1.0]
    assert jackknife_variance(ratings, percent) == pytest.approx(2 / 3 * np.sum((without - without.mean()) ** 2))
    with pytest.raises(UndefinedStatistic, match="three of them; there are 2"):
        jackknife_variance(tabulate([[1, 2], [1, 1]]), percent)


def test_interval_ends() -> None:
    assert interval_over(0.9, 0.0, 4, None, 10) == (0.9, 0.9)
    low, high = interval_over(0.9, 0.01, 4, None, 10)
    assert low == pytest.approx(0.9 - 3.182446 * 0.1, abs=1e-6)  # t with 3 degrees of freedom
    assert high == 1.0
    drawn = np.array([0.8, 1.0, np.nan])
    assert interval_over(0.9, 0.01, 4, drawn, 10)[0] < low
    with pytest.raises(UndefinedStatistic, match="2 of 3 resamples"):
        interval_over(0.9, 0.01, 4, np.array([0.8, np.nan, np.nan]), 10)


def test_intervals_over_items_cover_with_few_of_them() -> None:
    """Five answers, three annotators of whom each errs once in ten; percentiles held AC2 of 20 items in 77 %."""

    def study(rng: np.random.Generator, items: int) -> np.ndarray:
        right = rng.integers(1, 6, items)[:, None]
        return np.where(rng.random((items, 3)) < 0.1, rng.integers(1, 6, (items, 3)), right) * 1.0

    rng, hits = np.random.default_rng(2), 0
    truth = gwet(tabulate(study(rng, 40_000)), "quadratic")
    weights = np.concatenate(list(item_weights(20, 100, 0)))
    for _ in range(200):
        ratings = tabulate(study(rng, 20))
        value = gwet(ratings, "quadratic")
        if value == 1:
            continue
        low, high = interval_over_items(value, np.array([gwet(ratings, "quadratic", row) for row in weights]), 20)
        assert low < value < high < 1
        hits += low <= truth <= high
    assert hits >= 180


def test_items_that_give_no_interval() -> None:
    rng = np.random.default_rng(3)
    few = tabulate(rng.integers(1, 6, (9, 3)))
    assert no_item_interval(few) == "no interval: 9 items, at least 10 are needed"
    rare = np.ones((30, 3))
    rare[:4, 0] = 2
    assert "only 4 of 30 items have another answer" in (no_item_interval(tabulate(rare)) or "")
    same = tabulate(np.tile(rng.integers(1, 6, (20, 1)), 3))
    for ratings, why in (
        (few, "at least 10 are needed"),
        (tabulate(rare), "at least 5 are needed"),
        (same, "annotators never disagree"),
    ):
        entry = coefficients(ratings, True, 50, 0, "item")["alpha-ordinal"]
        assert (entry["low"], entry["high"]) == (None, None)
        assert why in entry["why_no_interval"]


def test_outputs_for_one_input_are_resampled_together() -> None:
    """An input that is hard to judge is so for all ten systems; taken as independent, 60 to 75 % were covered."""

    def study(rng: np.random.Generator, inputs: int) -> np.ndarray:
        hard = rng.beta(0.6, 1.4, inputs)[:, None, None]
        right = rng.integers(1, 5, inputs)[:, None] + rng.integers(0, 2, (inputs, 10))
        answers = np.where(rng.random((inputs, 10, 3)) < hard, rng.integers(1, 6, (inputs, 10, 3)), right[:, :, None])
        return answers.reshape(-1, 3) * 1.0

    rng, hits = np.random.default_rng(5), {"ids": 0, "outputs": 0}
    truth = percent(tabulate(study(rng, 20_000)))
    of_input = np.repeat(np.arange(15), 10)
    for _ in range(60):
        ratings = tabulate(study(rng, 15))
        for name, clusters in (("ids", of_input), ("outputs", None)):
            weights = np.concatenate(list(item_weights(150, 100, 0, clusters)))
            drawn = np.array([percent(ratings, row) for row in weights])
            low, high = interval_over_items(percent(ratings), drawn, 150 if clusters is None else 15)
            hits[name] += low <= truth <= high
    assert hits["ids"] >= 52
    assert hits["outputs"] <= 50


def test_both_covers_where_items_alone_do_not() -> None:
    """Raters with an accuracy of their own (50 to 100 %), four answers; the truth is that of many raters."""

    def study(rng: np.random.Generator, items: int, raters: int) -> np.ndarray:
        truth, right = rng.integers(0, 4, items), rng.uniform(0.5, 1, raters)
        return np.where(rng.random((items, raters)) < right, truth[:, None], rng.integers(0, 4, (items, raters))) * 1.0

    rng = np.random.default_rng(1)
    truth = np.mean([krippendorff(tabulate(study(rng, 400, 40)), "nominal") for _ in range(20)])
    hits = {"item": 0, "both": 0}
    for _ in range(100):
        ratings = tabulate(study(rng, 50, 6))
        weights = np.concatenate(list(item_weights(50, 60, 0)))
        drawn = np.array([krippendorff(ratings, "nominal", row) for row in weights])
        low, high = np.quantile(drawn, [0.025, 0.975])
        hits["item"] += bool(low <= truth <= high)
        noise = jackknife_variance(ratings, lambda given: krippendorff(given, "nominal"))
        low, high = interval_over(krippendorff(ratings, "nominal"), noise, 6, drawn, 50)
        hits["both"] += bool(low <= truth <= high)
    assert hits["both"] >= 90
    assert hits["item"] < 80
