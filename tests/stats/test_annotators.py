"""Intervals over annotators: what they need, and whether they hold the agreement of people not asked."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats.agreement import krippendorff, percent, tabulate
from assay.stats.annotators import interval_over, jackknife_variance
from assay.stats.uncertainty import item_weights
from assay.stats.undefined import UndefinedStatistic


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
