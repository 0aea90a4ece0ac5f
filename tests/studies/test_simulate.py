"""Simulated studies: forecasts come true, and the false-positive rate is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.errors import AssayError
from assay.stats.interval import wilson_interval
from assay.studies.crowd import Crowd, Texts, assign_items, perceived_quality
from assay.studies.kinds import QUESTION_KINDS, kinds_with
from assay.studies.simulate import SimulationPlan, compare_kinds, false_alarms, forecast
from tests.conftest import Call

Run = Callable[..., Call]
KINDS = kinds_with("simulated")
PERFECT = Crowd(noise=0, leniency=0, taste=0, careless=0, drop_out=0, speed=0)


def test_answers_by_hand() -> None:
    seen = np.array([[1.2, -0.4, 0.0], [0.1, 0.0, -3.0]])
    assert QUESTION_KINDS.get("likert").simulate(seen, SimulationPlan()).tolist() == [[4, 3, 3], [3, 3, 1]]
    assert QUESTION_KINDS.get("pairwise").simulate(seen, SimulationPlan(tie=0.25)).tolist() == [
        [1, 0, 0.5],
        [0.75, 0.75, 0],
    ]
    assert QUESTION_KINDS.get("best-worst").simulate(seen, SimulationPlan()).tolist() == [[1, -1, 0], [1, 0, -1]]


def test_minutes_by_hand() -> None:
    crowd = Crowd(reading=10, answering=2)
    assert [QUESTION_KINDS.get(kind).task_seconds(4, crowd) for kind in KINDS] == [48, 6 * 22, 44]


@pytest.mark.parametrize("drop_out", [0.0, 0.1, 0.5])
def test_every_item_gets_its_annotators_and_none_gets_it_twice(drop_out: float) -> None:
    for seed in range(20):
        draw = np.random.default_rng(seed)
        work = assign_items(Crowd(drop_out=drop_out), 17, 3, 8, 10.0, draw)
        assert Counter(work.item.tolist()) == dict.fromkeys(range(17), 3)
        assert max(Counter(zip(work.item, work.annotator, strict=True)).values()) == 1
        assert max(Counter(work.annotator.tolist()).values()) <= 8
        assert (work.given_up > 0) == (drop_out > 0)


def test_perfect_annotators_perceive_the_true_quality() -> None:
    draw = np.random.default_rng(0)
    quality = Texts(items=9, systems=3).qualities(draw)
    work = assign_items(PERFECT, 9, 2, None, 10.0, draw)
    assert np.array_equal(perceived_quality(PERFECT, quality, work, draw), quality[work.item])
    assert (work.annotators, work.given_up, work.seconds) == (2, 0, 180.0)


@pytest.mark.parametrize("kind", KINDS)
def test_false_positive_rate_of_equal_systems(kind: str) -> None:
    result = false_alarms(kind, Texts(items=60, systems=3), Crowd(), SimulationPlan(most=20), repeats=400)
    assert result.low <= 0.05 <= result.high or result.power < 0.05


def test_a_study_of_the_forecast_size_has_the_required_power() -> None:
    texts = Texts(items=60, systems=3, effect=0.5)
    forecasts, sized = compare_kinds(KINDS, texts, Crowd(), SimulationPlan(most=20), repeats=200)
    assert [each.kind for each in sized] == list(KINDS)
    for each in sized:
        low, high = wilson_interval(round(each.power * 200), 200)
        assert low - 0.07 < 0.8 < high + 0.07
    assert all(each.agreement is not None and 0 < each.agreement < 1 for each in forecasts)


def test_power_and_agreement_change_in_the_expected_direction() -> None:
    base = forecast("likert", Texts(), Crowd(), SimulationPlan(most=30))
    assert forecast("likert", Texts(items=300), Crowd(), SimulationPlan(most=30)).power > base.power
    assert forecast("likert", Texts(effect=0.6), Crowd(), SimulationPlan(most=30)).power > base.power
    assert forecast("likert", Texts(), Crowd(noise=3.0), SimulationPlan(most=30)).power < base.power
    assert forecast("likert", Texts(), Crowd(careless=0.6), SimulationPlan(most=30)).agreement < base.agreement  # type: ignore[operator]
    assert forecast("likert", Texts(), Crowd(drop_out=0.2), SimulationPlan(most=30)).people > base.people
    assert forecast("likert", Texts(), Crowd(), SimulationPlan(most=30)) == base


def test_invalid_simulations() -> None:
    with pytest.raises(AssayError, match="best-worst needs at least 3 systems"):
        forecast("best-worst", Texts(systems=2), Crowd(), SimulationPlan())
    with pytest.raises(AssayError, match="drop_out is 1"):
        Crowd(drop_out=1)


def test_simulate_command(here: Run, tmp_path: Path) -> None:
    path = tmp_path / "d.toml"
    here("study", "new", "--preset", "narrative", "-o", path)
    call = here("study", "simulate", path, "--systems", 3, "--items", 50, "--effect", 1.0, "--repeats", 30, "--json")
    result = call.json
    assert result["plan"]["points"] == 4
    assert result["plan"]["per_item"] == 5
    assert [each["kind"] for each in result["designs"]] == list(KINDS)
    assert result["designs"][0]["cost"] == pytest.approx(50 * 5 * 1.0 * 1.2)
    assert result["fewest_minutes"] in KINDS
    text = here("study", "simulate", "--repeats", 20, "--items", 30, "--pay-per-hour", 12)
    assert text.code == 0
    assert "Fewest minutes for 80% power" in text.out
    assert here("study", "simulate", "--kinds", "liket").code == 2
    assert here("study", "simulate", "--kinds", "best-worst", "--systems", 2).code == 1
