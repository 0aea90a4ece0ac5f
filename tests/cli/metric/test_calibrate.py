"""`assay metric calibrate`: texts and systems on the human scale, stored maps, and warnings elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


def texts(seed: int, systems: str = "abcde", shift: float = 0.0) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    rng = np.random.default_rng(seed)
    human, scores = [], []
    for item in range(60):
        for number, system in enumerate(systems):
            quality = number / 3 + rng.normal() + shift
            human.append({"id": f"i{item}", "system": system, "quality": float(np.clip(round(3 + quality), 1, 5))})
            scores.append({"id": f"i{item}", "system": system, "proxy": quality + rng.normal() / 2, "other": 1.0})
    return human, scores


@pytest.fixture
def rated(tmp_path: Path) -> tuple[Path, Path, list[dict[str, Any]]]:
    human, scores = texts(0)
    few = [human[i] for i in np.random.default_rng(1).choice(len(human), 100, replace=False)]
    return write_jsonl(tmp_path / "few.jsonl", few), write_jsonl(tmp_path / "all.jsonl", scores), human


def test_texts_and_systems_on_the_human_scale(here: Run, rated: Any, tmp_path: Path) -> None:
    few, scores, truth = rated
    words = ("metric", "calibrate", "--human", few, "--scores", scores, "--score", "proxy", "--scale", "1-5")
    call = here(*words, "-o", tmp_path / "out.jsonl", "--save", tmp_path / "map.json", "--json")
    assert call.code == 0, call.err
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    covered = [row["low"] <= own["quality"] <= row["high"] for row, own in zip(rows, truth, strict=True)]
    assert 0.85 < np.mean(covered) <= 0.99
    for each in call.json["systems"]:
        mean = np.mean([own["quality"] for own in truth if own["system"] == each["system"]])
        assert each["by"] == "judgements"
        assert abs(each["mean"] - mean) < 0.4
    again = here("metric", "calibrate", "--map", tmp_path / "map.json", "--scores", scores, "-o", tmp_path / "2.jsonl")
    assert again.code == 0, again.err
    assert (tmp_path / "2.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()
    assert "from" in again.out
    assert "map" in again.out


def test_another_population_is_a_warning(here: Run, rated: Any, tmp_path: Path) -> None:
    few, scores, _ = rated
    here("metric", "calibrate", "--human", few, "--scores", scores, "--score", "proxy", "--save", tmp_path / "map.json")
    new = write_jsonl(tmp_path / "new.jsonl", texts(5, "xy", 2.0)[1])
    call = here("metric", "calibrate", "--map", tmp_path / "map.json", "--scores", new)
    assert "other scores than those of the judged texts" in call.err
    assert "no judgements of x, y" in call.err
    assert "have a score outside" in call.err


def test_what_cannot_be_used_is_refused(here: Run, rated: Any, tmp_path: Path) -> None:
    few, scores, _ = rated
    words = ("metric", "calibrate", "--human", few, "--scores", scores)
    assert "--score: choose one of proxy, other" in here(*words).err
    assert "all scores are equal" in here(*words, "--score", "other").err
    assert "judgements are from" in here(*words, "--score", "proxy", "--scale", "2-4").err
    (tmp_path / "no.json").write_text('{"kind": "assay score calibration", "curve": {}}')
    assert "damaged calibration" in here("metric", "calibrate", "--map", tmp_path / "no.json", "--scores", scores).err
    assert "give --human" in here("metric", "calibrate", "--scores", scores).err
    assert (
        "--score requires no --map"
        in here("metric", "calibrate", "--map", few, "--scores", scores, "--score", "proxy").err
    )


def test_texts_without_a_score_are_counted(here: Run, rated: Any, tmp_path: Path) -> None:
    few, scores, _ = rated
    rows = [json.loads(line) for line in scores.read_text().splitlines()]
    write_jsonl(scores, [row | {"proxy": None} if row["id"] == "i3" else row for row in rows])
    words = ("metric", "calibrate", "--human", few, "--scores", scores, "--score", "proxy", "--scale", "1-5")
    call = here(*words, "-o", tmp_path / "out.jsonl", "--save", tmp_path / "map.json", "--json")
    assert (
        "proxy: 5 of 300 texts have no score (a, b, c …); without a value on the human scale" in call.json["warnings"]
    )
    assert any(each.endswith("not used") for each in call.json["warnings"])
    again = here("metric", "calibrate", "--map", tmp_path / "map.json", "--scores", scores, "-o", tmp_path / "2.jsonl")
    assert "5 of 300 texts have no score" in " ".join(again.err.split())
