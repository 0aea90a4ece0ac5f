"""The plan with annotators: its error is that of repeated studies, and its advice follows from planted variances."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.meta.judge_budget import Design, PeoplePlan, Sources, mean_variance, people_plan
from assay.records import Judgement
from tests.conftest import Call, write_jsonl

PLANTED = Sources(
    annotator=0.02, output=1.0, label=0.4, judged=0.8, by_judge=0.3, by_prompt=0.2, noise=0.5, covariance=0.7
)
DESIGN = Design(judged=200, judges=3, prompts=2, draws=2, labelled=40, annotators=3, labels=3)


def study(draw: np.random.Generator, sources: Sources, design: Design) -> tuple[np.ndarray, np.ndarray]:
    """Judgements (outputs x judges x prompts x draws) and labels (outputs x annotators) of one system."""
    both = [[sources.output, sources.covariance], [sources.covariance, sources.judged]]
    truth = draw.multivariate_normal([0, 0], both, design.judged)
    shape = (design.judged, design.judges, design.prompts, design.draws)

    def noise(variance: float, *size: int) -> np.ndarray:
        return draw.normal(0, math.sqrt(variance), size)

    judged = truth[:, 1][:, None, None, None] + noise(0.5, 1, design.judges, 1, 1)  # lenient judges cancel
    judged = judged + noise(sources.by_judge, *shape[:2], 1, 1) + noise(sources.by_prompt, shape[0], 1, shape[2], 1)
    judged = judged + noise(sources.noise, *shape)
    labels = truth[: design.labelled, :1] + noise(sources.annotator, 1, design.annotators)
    return judged, labels + noise(sources.label, design.labelled, design.annotators)


def rows(judged: np.ndarray, labels: np.ndarray) -> list[Judgement]:
    found = [
        Judgement(id=f"i{i}", system="s", annotator=f"m{j}" + (f"#{d + 1}" if d else ""), criterion="c",
                  value=float(value), method="judge", question=f"form-{p}")
        for (i, j, p, d), value in np.ndenumerate(judged)
    ]  # fmt: skip
    return found + [
        Judgement(id=f"i{i}", system="s", annotator=f"a{a}", criterion="c", value=float(value))
        for (i, a), value in np.ndenumerate(labels)
    ]


@pytest.mark.parametrize(
    "change",
    [{}, {"judged": 400}, {"judges": 6}, {"draws": 8}, {"labelled": 80}, {"annotators": 6, "labels": 6}],
    ids=lambda change: next(iter(change), "as it is"),
)
def test_the_error_is_that_of_repeated_studies(change: dict[str, int]) -> None:
    """The estimate is computed as in a study, with the weight that the planted variances imply."""
    design = replace(DESIGN, **change)
    panel = PLANTED.judged + PLANTED.by_judge / design.judges + PLANTED.by_prompt / design.prompts
    weight = PLANTED.covariance / (panel + PLANTED.noise / (design.judges * design.prompts * design.draws))
    draw = np.random.default_rng(1)
    means = []
    for _ in range(1500):
        judged, labels = study(draw, PLANTED, design)
        by_output = judged.mean(axis=(1, 2, 3))
        means.append(labels.mean() + weight * (by_output.mean() - by_output[: design.labelled].mean()))
    assert np.var(means) == pytest.approx(mean_variance(PLANTED, design), rel=0.13)


def test_planted_variances_are_measured() -> None:
    plans = [people_plan(rows(*study(np.random.default_rng(seed), PLANTED, DESIGN)), None, 1, 0, 10) for seed in (1, 2)]
    for plan in plans:
        assert isinstance(plan, PeoplePlan)
        assert plan.design == DESIGN
        for name in ("judged", "by_judge", "by_prompt", "noise", "covariance"):
            assert getattr(plan.sources, name) == pytest.approx(getattr(PLANTED, name), rel=0.45), name
        assert plan.error == pytest.approx(math.sqrt(mean_variance(PLANTED, DESIGN)), rel=0.3)
        assert plan.error < plan.without_judge


def test_the_advice_follows_the_prices_and_the_command_shows_it(here: Callable[..., Call], tmp_path: Path) -> None:
    small = replace(DESIGN, judged=60, labelled=20, draws=1)
    made = rows(*study(np.random.default_rng(3), PLANTED, small))
    dear, cheap = (people_plan(made, None, 1, 0, label) for label in (10_000, 0.01))
    assert isinstance(dear, PeoplePlan)
    assert isinstance(cheap, PeoplePlan)
    assert dear.options[0].add in ("item", "judge", "prompt")
    assert cheap.options[0].add in ("labelled item", "annotator")
    assert all(option.error <= dear.error for option in dear.options)
    path = tmp_path / "j.jsonl"
    names = ("id", "system", "annotator", "criterion", "value", "method", "question")
    write_jsonl(path, [{name: getattr(row, name) for name in names} for row in made])
    call = here("judge", "variance", path, "--cost-label", "0.01", "--json")
    assert call.json["people"]["labelled"] == 20
    assert call.json["people"]["options"][0]["add"] == cheap.options[0].add
    shown = here("judge", "variance", path, "--cost-label", "0.01").out
    assert "With annotators" in shown
    assert f"helps most if spent on: {cheap.options[0].add}" in shown


def test_what_cannot_be_planned_is_said() -> None:
    judged, labels = study(np.random.default_rng(3), PLANTED, replace(DESIGN, judged=30, labelled=12))
    made = rows(judged, labels)
    few = [row for row in made if row.method == "judge" or row.id < "i2"]
    assert "fewer than 10" in str(people_plan(few, None, 1, 0, 10))
    uneven = [row for row in made if (row.annotator, row.question) != ("m0", "form-1")]
    assert "not crossed" in str(people_plan(uneven, None, 1, 0, 10))
    lacking = people_plan([row for row in made if (row.id, row.annotator) != ("i3", "m1")], None, 1, 0, 10)
    assert isinstance(lacking, PeoplePlan)
    assert lacking.notes == ["1 outputs lack a judgement and are left out"]
