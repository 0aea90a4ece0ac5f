"""Maps to the human scale: fits by hand, coverage of conformal intervals, and the test of another population."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats.calibration import FEWEST, Form, calibrate, fit_curve, shift_p
from assay.stats.validation import UndefinedStatistic


def test_isotonic_pools_violators() -> None:
    x, y = np.array([1.0, 2, 3, 4, 4]), np.array([1.0, 3, 2, 5, 7])
    assert fit_curve(x, y, "isotonic")(x).tolist() == [1, 2.5, 2.5, 6, 6]
    falling = fit_curve(x[:4], -x[:4], "isotonic")
    assert falling(x).tolist() == [-2.5] * 5


def test_linear_is_least_squares_and_continues() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=30), rng.normal(size=30)
    slope, start = np.polyfit(x, y, 1)
    assert fit_curve(x, y, "linear")(np.array([-9.0, 9.0])) == pytest.approx([start - 9 * slope, start + 9 * slope])


def test_ordinal_finds_the_model() -> None:
    """Levels 1 to 3 of a proportional-odds model with slope 2 and thresholds at -1 and 1."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=4000)
    latent = 2 * x + rng.logistic(size=4000)
    y = np.searchsorted([-1, 1], latent).astype(np.float64) + 1
    at = np.array([-1.0, 0.0, 1.0])
    below = 1 / (1 + np.exp(-(np.array([[-1.0], [1.0]]) - 2 * at)))
    assert fit_curve(x, y, "ordinal")(at) == pytest.approx(3 - below.sum(axis=0), abs=0.06)


@pytest.mark.parametrize("form", ["isotonic", "linear", "ordinal"])
def test_intervals_cover_new_texts(form: Form) -> None:
    rng = np.random.default_rng(2)
    covered = []
    for _ in range(40 if form != "ordinal" else 4):
        shared = np.repeat(rng.normal(size=130), 3) / 2  # three texts of each input
        quality = shared + rng.normal(size=390)
        score = quality + rng.normal(size=390) * 0.7
        human = np.clip(np.round(3 + quality), 1, 5)
        made = calibrate(score[:90], human[:90], np.repeat(np.arange(30), 3), form, (1, 5))
        low, high = made.intervals(score[90:], 0.9)
        assert (low >= 1).all()
        assert (high <= 5).all()
        covered.append(np.mean((low <= human[90:]) & (human[90:] <= high)))
    assert np.mean(covered) > 0.88


def test_few_texts_give_the_whole_scale_or_nothing() -> None:
    x = np.arange(25.0)
    low, high = calibrate(x, x, np.arange(25), "linear", (0, 24)).intervals(x, 0.98)
    assert (low.tolist(), high.tolist()) == ([0.0] * 25, [24.0] * 25)
    with pytest.raises(UndefinedStatistic, match=f"{FEWEST} of at least 5 inputs are needed"):
        calibrate(x[:9], x[:9], np.arange(9), "linear", (0, 24))
    with pytest.raises(UndefinedStatistic, match="all scores are equal"):
        fit_curve(np.ones(9), x[:9], "isotonic")


def test_another_population_is_detected() -> None:
    rng = np.random.default_rng(3)
    same = sum(shift_p(rng.normal(size=50), rng.normal(size=200), 100)[1] < 0.05 for _ in range(60))
    assert same <= 8
    assert shift_p(rng.normal(size=50), rng.normal(1, 1, 200))[1] < 0.01
