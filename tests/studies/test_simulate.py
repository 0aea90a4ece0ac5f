"""Simulated studies: forecasts come true, and the false-positive rate is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.errors import AssayError
from assay.records import Judgement
from assay.stats.interval import wilson_interval
from assay.studies.analysis import analyze
from assay.studies.crowd import Crowd, Texts, assign_items, perceived_quality
from assay.studies.kinds import QUESTION_KINDS, kinds_with
from assay.studies.simulate import (
    Forecast,
    SimulationPlan,
    compare_kinds,
    detectable,
    false_alarms,
    forecast,
    model_test,
    ranking_test,
)
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
    seconds = {"likert": 48, "pairwise": 6 * 22, "best-worst": 44}
    assert {kind: QUESTION_KINDS.get(kind).task_seconds(4, crowd) for kind in seconds} == seconds


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
    texts, repeats = (Texts(items=24), 40) if kind == "likert" else (Texts(items=60, systems=3), 200)
    result = false_alarms(kind, texts, Crowd(), SimulationPlan(most=20), repeats)
    assert result.low <= 0.05 <= result.high or result.power < 0.05


@pytest.mark.parametrize(
    ("kinds", "repeats"), [(("pairwise", "best-worst"), 150), pytest.param(("likert",), 100, marks=pytest.mark.slow)]
)
def test_a_study_of_the_forecast_size_has_the_required_power(kinds: tuple[str, ...], repeats: int) -> None:
    texts = Texts(items=60, systems=3, effect=0.5)
    forecasts, sized = compare_kinds(kinds, texts, Crowd(), SimulationPlan(most=20), repeats)
    assert [each.kind for each in sized] == list(kinds)
    for each in sized:
        low, high = wilson_interval(round(each.power * repeats), repeats)
        assert low - 0.07 < 0.8 < high + 0.07
    assert all(each.agreement is not None and 0 < each.agreement < 1 for each in forecasts)


def test_power_and_agreement_change_in_the_expected_direction() -> None:
    plan = SimulationPlan(most=30)

    def pairs(texts: Texts | None = None, crowd: Crowd | None = None) -> Forecast:
        return forecast("pairwise", texts or Texts(), crowd or Crowd(), plan, 60)

    base = pairs()
    assert pairs(Texts(items=300)).power > base.power
    assert pairs(Texts(effect=0.6)).power > base.power
    assert pairs(crowd=Crowd(noise=3.0)).power < base.power
    assert pairs(crowd=Crowd(careless=0.6)).agreement < base.agreement  # type: ignore[operator]
    assert pairs(crowd=Crowd(drop_out=0.2)).people > base.people
    assert pairs() == base


def test_the_tests_are_those_of_the_analysis() -> None:
    """The same answers, written as judgements and analysed."""
    texts, plan = Texts(items=20, systems=3, effect=1.2), SimulationPlan(most=10)
    draw = np.random.default_rng([5, 0])
    quality = texts.qualities(draw)
    work = assign_items(Crowd(), texts.items, plan.per_item, plan.most, 10.0, draw)
    answers = QUESTION_KINDS.get("likert").simulate(perceived_quality(Crowd(), quality, work, draw), plan)
    judgements = [
        Judgement(id=f"{item}", system=f"{s}", annotator=f"{who}", criterion="q", method="likert", value=float(row[s]))
        for item, who, row in zip(work.item, work.annotator, answers, strict=True)
        for s in range(3)
    ]
    (analysed,) = analyze(judgements, samples=20).criteria
    assert analysed.model is not None
    pair = next(pair for pair in analysed.model.pairs if {pair.a, pair.b} == {"0", "2"})
    assert model_test(answers, work).p == pytest.approx(pair.p_adjusted, rel=1e-4)
    apart = {row.system: row.rank for row in analysed.ranks}
    assert (ranking_test(answers, work, texts).p < 0.05) == (apart["0"] != apart["2"])


def test_three_annotators_see_large_differences_only() -> None:
    """Tastes of .5 points: no number of items makes up for three annotators, and the forecast says so."""
    crowd, plan = Crowd(taste=0.5, drop_out=0), SimulationPlan(per_item=3, most=None)
    floor = detectable(crowd, 3, plan)
    assert floor == pytest.approx((4.302653 + 1.060660) * 0.5 * (2 / 3) ** 0.5, rel=1e-4)
    found = forecast("likert", Texts(items=20, effect=1.0), crowd, plan, 20)
    assert (found.test, found.detectable, found.items_needed) == ("mixed model", floor, None)
    assert found.power_these > found.power


def test_invalid_simulations() -> None:
    with pytest.raises(AssayError, match="best-worst needs at least 3 systems"):
        forecast("best-worst", Texts(systems=2), Crowd(), SimulationPlan())
    with pytest.raises(AssayError, match="drop_out is 1"):
        Crowd(drop_out=1)


def test_simulate_command(here: Run, tmp_path: Path) -> None:
    path = tmp_path / "d.toml"
    here("study", "new", "--preset", "narrative", "-o", path)
    call = here("study", "simulate", path, "--systems", 3, "--items", 30, "--effect", 1.0, "--repeats", 20, "--json")
    result = call.json
    assert result["plan"]["points"] == 4
    assert result["plan"]["per_item"] == 5
    assert [each["kind"] for each in result["designs"]] == list(KINDS)
    assert result["designs"][0]["cost"] == pytest.approx(30 * 5 * 1.0 * 1.2)
    assert result["fewest_minutes"] in KINDS
    (tmp_path / "traps.toml").write_text('name = "t"\n[quality]\ntraps_per_task = 1\ntrap_acceptable = 0.9\n')
    options = ("--repeats", 20, "--items", 30, "--pay-per-hour", 12, "--kinds", "pairwise")
    text = here("study", "simulate", tmp_path / "traps.toml", *options)
    assert text.code == 0
    assert "sequential test, 90% acceptable, false blocks at most 1.0% · 30 tasks with 1 trap each" in text.out
    assert "Fewest minutes for 80% power" in text.out
    assert here("study", "simulate", "--kinds", "liket").code == 2
    assert here("study", "simulate", "--kinds", "best-worst", "--systems", 2).code == 1
