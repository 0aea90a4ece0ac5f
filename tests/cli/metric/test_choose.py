"""`assay metric choose`: planted metrics are ranked, directions count, and what cannot be answered is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


@pytest.fixture
def rated(tmp_path: Path) -> tuple[Path, Path]:
    rng = np.random.default_rng(0)
    human, scores = [], []
    for item in range(40):
        for number, system in enumerate("abcde"):
            quality = number / 2 + rng.normal()
            for person in ("ann", "bob"):
                value = float(np.clip(round(3 + quality / 2 + rng.normal() / 3), 1, 5))
                human.append({"id": f"i{item}", "system": system, "annotator": person, "criterion": "fluency",
                              "value": value})  # fmt: skip
            scores.append({"id": f"i{item}", "system": system, "good": quality + rng.normal() / 4,
                           "ter": -quality + rng.normal() / 4, "noise": rng.normal(), "flat": 1.0})  # fmt: skip
    return write_jsonl(tmp_path / "human.jsonl", human), write_jsonl(tmp_path / "scores.jsonl", scores)


def test_planted_metrics_are_ranked(here: Run, rated: tuple[Path, Path]) -> None:
    human, scores = rated
    result = here("metric", "choose", "--human", human, "--scores", scores, "--json")
    assert result.code == 0, result.err
    report = result.json
    metrics = report["metrics"]
    assert {name: each["rank"] for name, each in metrics.items()} == {"good": 1, "ter": 1, "noise": 3}
    assert metrics["noise"]["system_rank"] > metrics["good"]["system_rank"] == 1
    assert metrics["good"]["low"] < metrics["good"]["held_out"] <= metrics["good"]["texts"] + 1e-9
    assert metrics["good"]["systems"] > 0.9
    assert 0.5 < report["ceiling"]["texts"] < 1
    assert "flat is constant and left out" in report["notes"]
    assert "not significantly worse: " in report["sentence"]


def test_a_direction_counts(here: Run, rated: tuple[Path, Path]) -> None:
    human, scores = rated
    turned = here("metric", "choose", "--human", human, "--scores", scores, "--direction", "ter=higher", "--json")
    assert turned.json["metrics"]["ter"]["systems"] < 0.3
    text = here("metric", "choose", "--human", human, "--scores", scores, "--average", "global")
    assert "one annotator" in text.out
    assert "averaged by global" in text.out


def test_what_cannot_be_answered_is_refused(here: Run, rated: tuple[Path, Path], tmp_path: Path) -> None:
    human, scores = rated
    assert "no such criterion" in here("metric", "choose", "--human", human, "--scores", scores, "--criterion", "x").err
    assert (
        "no such metric" in here("metric", "choose", "--human", human, "--scores", scores, "--direction", "x=lower").err
    )
    rows = [json.loads(line) for line in scores.read_text().splitlines()]
    texts = write_jsonl(tmp_path / "texts.jsonl", [{"id": r["id"], "system": r["system"], "output": "a"} for r in rows])
    assert "no numeric values" in here("metric", "choose", "--human", texts, "--scores", scores).err
    flat = write_jsonl(tmp_path / "flat.jsonl", [{"id": r["id"], "system": r["system"], "flat": 1.0} for r in rows])
    assert "nothing to choose" in here("metric", "choose", "--human", human, "--scores", flat).err
    few = write_jsonl(tmp_path / "few.jsonl", rows[:15])
    few_result = here("metric", "choose", "--human", human, "--scores", few)
    assert "too few for intervals" in few_result.err
    assert "no system accuracy" in few_result.err


def test_texts_without_a_score_are_named(here: Run, rated: tuple[Path, Path]) -> None:
    """A metric that one system lacks took the whole system out of the ranking of all metrics, without a word."""
    human, scores = rated
    rows = [json.loads(line) for line in scores.read_text().splitlines()]
    write_jsonl(scores, [row if row["system"] == "a" else row | {"some": row["good"]} for row in rows])
    call = here("metric", "choose", "--human", human, "--scores", scores)
    assert "some: 40 of 200 texts have no score (a); left out for all metrics" in " ".join(call.err.split())
    write_jsonl(scores, [row | {"some": None if row["system"] != "a" else 1.0} | ({"else": 1.0} if row["system"] != "a"
                         else {}) for row in rows])  # fmt: skip
    refused = here("metric", "choose", "--human", human, "--scores", scores)
    assert refused.code == 1
    assert "No text has all scores" in refused.err
