"""Variance components of judges: planted ones are recovered, and the planned error is that of repeated designs."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.meta.judge_variance import FACTORS, judge_variance, mean_variance
from assay.records import Judgement
from assay.stats.components import components
from tests.conftest import Call, write_jsonl

PLANTED = {"item": 1.0, "judge": 0.3, "prompt": 0.2, "draw": 0.1, "residual": 0.5}
SIZES = {"item": 50, "judge": 3, "prompt": 3, "draw": 3}


def ratings(
    seed: int, sizes: dict[str, int] = SIZES, exact: bool = True
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.int64]]]:
    """Ratings of a crossed design, and the level of each factor; `exact` effects have the planted variance themselves,
    else they are drawn from it."""
    draw = np.random.default_rng(seed)
    codes = dict(zip(FACTORS, np.array(list(product(*(range(sizes[name]) for name in FACTORS)))).T, strict=True))
    values = draw.normal(0, math.sqrt(PLANTED["residual"]), len(codes["item"]))
    for name in FACTORS:
        effects = draw.normal(0, 1, sizes[name])
        if exact:
            effects = (effects - effects.mean()) / effects.std(ddof=1)
        values = values + math.sqrt(PLANTED[name]) * effects[codes[name]]
    return values, codes


def test_planted_components_are_recovered() -> None:
    """50 items x 3 judges x 3 prompts x 3 draws."""
    found = [components(*ratings(seed)) for seed in range(20)]
    for name, planted in PLANTED.items():
        parts = [each.parts[name] for each in found]
        assert np.mean([part.variance for part in parts]) == pytest.approx(planted, rel=0.1), name
        covered = sum(part.low <= planted and (part.high is None or planted <= part.high) for part in parts)
        assert covered >= 17, name


def test_the_planned_error_is_that_of_repeated_studies() -> None:
    sizes = {"item": 20, "judge": 4, "prompt": 2, "draw": 3}
    means = [float(ratings(seed, sizes, exact=False)[0].mean()) for seed in range(1500)]
    assert np.var(means) == pytest.approx(mean_variance(PLANTED, sizes), rel=0.12)


def rows(seed: int) -> list[Judgement]:
    values, codes = ratings(seed)
    return [
        Judgement(
            id=f"i{i}", system="s", annotator=f"m{j}" + (f"#{d + 1}" if d else ""), criterion="c", value=float(value),
            method="judge", question=f"form-{p}",
        )
        for value, i, j, p, d in zip(values, *(codes[name] for name in FACTORS), strict=True)
    ]  # fmt: skip


@pytest.mark.parametrize("judge", [0.0, 0.5])
def test_intervals_of_few_judges_cover_the_mean(judge: float) -> None:
    """Three judges: an interval by normal quantiles would hold in 81 % of panels that differ."""
    draw = np.random.default_rng(3)
    covered = 0
    for _ in range(150):
        items, judges = draw.normal(0, 0.5, 20), draw.normal(0, math.sqrt(judge), 3)
        ratings = [
            Judgement(id=f"i{i}", system="s", annotator=f"m{j}", criterion="c", method="judge",
                      value=float(items[i] + judges[j] + draw.normal(0, 0.5)))
            for i, j in product(range(20), range(3))
        ]  # fmt: skip
        _, low, high = judge_variance(ratings).means["s"]
        covered += low <= 0 <= high
    assert covered >= 136  # 90 %


def test_intervals_include_what_holds_for_one_system_only() -> None:
    """Items that are hard for one system and easy for another: without them, 87 % of intervals would hold."""
    draw = np.random.default_rng(5)
    covered = 0
    for _ in range(80):
        items = draw.normal(0, 0.4, 20)[None, :] + draw.normal(0, 0.8, (3, 20))
        judges = draw.normal(0, 0.1, 2)
        ratings = [
            Judgement(id=f"i{i}", system="abc"[s], annotator=f"m{j}" + ("#2" if d else ""), criterion="c",
                      method="judge", value=float(items[s, i] + judges[j] + draw.normal(0, 0.3)))
            for s, i, j, d in product(range(3), range(20), range(2), range(2))
        ]  # fmt: skip
        _, low, high = judge_variance(ratings).means["a"]
        covered += low <= 0 <= high
    assert covered >= 73  # 91 %


def test_judgements_name_judge_prompt_and_draw(here: Callable[..., Call], tmp_path: Path) -> None:
    found = judge_variance(rows(1), call=1.0, item=100.0)
    values, codes = ratings(1)
    for name, part in components(values, codes).parts.items():
        assert found.sources.parts[name].variance == pytest.approx(part.variance)
    assert found.levels == SIZES
    mean, low, high = found.means["s"]
    assert low < mean < high
    assert high - low > 4 * math.sqrt(PLANTED["judge"] / 3) / 2  # the choice of judges counts
    assert found.options[0].add != "item"  # an item costs as much as 100 calls
    assert all(option.error < found.error for option in found.options)
    path = tmp_path / "j.jsonl"
    write_jsonl(path, [{"id": row.id, "system": "s", "annotator": row.annotator, "criterion": "c", "value": row.value,
                        "method": "judge", "question": row.question} for row in rows(1)])  # fmt: skip
    call = here("judge", "variance", path, "--json")
    assert set(call.json["components"]) == {*PLANTED}
    assert "helps most if spent on" in here("judge", "variance", path).out


def test_what_has_no_components_is_said() -> None:
    one = [row for row in rows(1) if row.annotator == "m0" and row.question == "form-0"]
    with pytest.raises(AssayError, match="nothing to compare"):
        judge_variance(one)
    with pytest.raises(AssayError, match="no ratings by judges"):
        judge_variance([])
    with pytest.raises(AssayError, match="several criteria: c, d"):
        judge_variance([*one, Judgement(id="1", system="s", annotator="m0", criterion="d", value=1.0, method="judge")])
