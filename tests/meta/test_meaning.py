"""What a difference means: planted agreement is found, and what has no evidence is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.errors import AssayError, UsageError
from assay.meta.meaning import JudgedSystems, evidence_like, meaning, pairs_of


def planted(noise: float, seed: int, systems: int = 16, metric: str = "chrf") -> JudgedSystems:
    draw = np.random.default_rng(seed)
    scores = draw.normal(50, 3, systems)
    human = scores + draw.normal(0, noise, systems)
    names = [f"s{i}" for i in range(systems)]
    return JudgedSystems(
        "x", "t", "en", "c", dict(zip(names, human, strict=True)), dict(zip(names, scores, strict=True))
    )


def test_a_noisier_metric_means_less_and_larger_differences_mean_more() -> None:
    good, bad = planted(1, 0), planted(20, 0)
    assert meaning("chrf", 2, [good]).share > 0.85 > 0.65 > meaning("chrf", 2, [bad]).share
    small, large = meaning("chrf", 1, [good]), meaning("chrf", -4, [good])
    assert small.share < large.share
    assert small.low <= small.share <= small.high
    assert small.enough is not None
    assert 1 / (1 + exp(-np.log(9))) == pytest.approx(0.9)


def test_intervals_cover_the_share_of_many_systems() -> None:
    # 150 systems of this kind agree in 69 %; intervals of 16 cover that in 99 % of 150 simulations.
    results = [meaning("chrf", 2, [planted(3, seed)]) for seed in range(12)]
    assert sum(each.low <= 0.693 <= each.high for each in results) >= 10


def test_lower_is_better_reverses_the_sign() -> None:
    each = planted(1, 0)
    errors = JudgedSystems("x", "t", "en", "c", each.human, {name: -score for name, score in each.scores.items()})
    assert pairs_of("ter", [errors]).agree.mean() == pairs_of("chrf", [each]).agree.mean()


def test_no_evidence_is_refused() -> None:
    with pytest.raises(AssayError, match="No evidence"):
        meaning("chrf", 500, [planted(1, 0)])
    with pytest.raises(AssayError, match="4 judged systems"):
        meaning("chrf", 1, [planted(1, 0, systems=4)])
    with pytest.raises(UsageError, match="no evidence"):
        evidence_like("translation", "chrf")
    with pytest.raises(UsageError, match="there is bleu"):
        evidence_like("summarization", "bertscore")


def test_command_with_stored_and_own_evidence(here: Callable[..., Any], tmp_path: Path) -> None:
    stored = json.loads(here("metric", "meaning", "chrf=+1.2", "--like", "data-to-text", "--json").out)
    assert 0.5 < stored["low"] < stored["share"] < stored["high"] < 1
    draw = np.random.default_rng(1)
    human, scores = [], []
    for system in range(8):
        for item in range(10):
            quality = system + draw.normal()
            row = {"id": str(item), "system": f"s{system}"}
            human.append(row | {"annotator": "a", "criterion": "good", "value": quality})
            scores.append(row | {"mine": quality + draw.normal()})
    for name, rows in (("human", human), ("scores", scores)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    own = ["--human", tmp_path / "human.jsonl", "--scores", tmp_path / "scores.jsonl"]
    assert "annotators agree with the sign in" in here("metric", "meaning", "mine=2", *own).out
    assert here("metric", "meaning", "other=2", *own).code == 2
    assert here("metric", "meaning", "mine=2").code == 2
    assert here("metric", "meaning", "mine=two", *own).code == 2
