"""Win rates, strengths and corrected rates on the command line."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


def choices(folder: Path, results: dict[tuple[str, str], list[float]], name: str = "j.jsonl") -> Path:
    """Pairwise judgements in both orders; a result is that of the first system, in both places."""
    rows: list[dict[str, Any]] = []
    for (a, b), values in results.items():
        for i, value in enumerate(values):
            for first, second, won in ((a, b, value), (b, a, 1 - value)):
                for place, (system, other, got) in enumerate(((first, second, won), (second, first, 1 - won)), 1):
                    rows.append({"id": str(i), "system": system, "annotator": "m", "criterion": "c", "method": "judge",
                                 "value": got, "unit": f"against:{other}", "position": place})  # fmt: skip
    return write_jsonl(folder / name, rows)


def test_systems_are_ranked_with_tied_groups(here: Run, tmp_path: Path) -> None:
    strong, even = [1.0] * 35 + [0.0] * 5, [1.0, 0.0] * 20
    path = choices(tmp_path, {("a", "c"): strong, ("b", "c"): strong, ("a", "b"): even})
    call = here("judge", "rank", path, "--json")
    assert call.code == 0, call.err
    assert {name: each["rank"] for name, each in call.json["systems"].items()} == {"a": 1, "b": 1, "c": 3}
    wins = {(win["a"], win["b"]): win for win in call.json["wins"]}
    assert wins["a", "c"]["value"] == pytest.approx(35 / 40)
    assert wins["a", "b"]["value"] == 0.5
    assert wins["a", "c"]["low"] < 35 / 40 < wins["a", "c"]["high"]
    assert call.json["effects"]["position"]["value"] == pytest.approx(0, abs=1e-9)
    shown = here("judge", "rank", path)
    assert "a is significantly better than c (win rate 88 %" in shown.out.replace("88%", "88 %")
    assert "No significant difference between a and b" in shown.out


def test_judges_that_differ_are_named(here: Run, tmp_path: Path) -> None:
    """Two judges with opposite views of a, and each with its own preference for the first place."""
    draw = random.Random(3)
    rows = []
    for judge, kind, place in (("fair", 0.0, 1.0), ("partial", 2.0, -1.0)):
        level = {"a": kind, "b": 0.0, "c": 0.5}
        for item, (one, other) in product(range(150), permutations("abc", 2)):
            won = draw.random() < 1 / (1 + math.exp(level[other] - level[one] - place))
            rows.append({"id": f"i{item}", "system": one, "annotator": judge, "criterion": "better", "value": int(won),
                         "unit": f"against:{other}", "position": 1, "method": "judge"})  # fmt: skip
    path = write_jsonl(tmp_path / "pairs.jsonl", rows)
    found = here("judge", "rank", path, "--json").json
    own = {name: each["by_judge"] for name, each in found["systems"].items()}
    assert own["a"]["partial"] - own["a"]["fair"] == pytest.approx(4 / 3, abs=0.3)
    assert found["effects"]["position:fair"]["value"] == pytest.approx(1, abs=0.25)
    assert found["effects"]["position:partial"]["value"] == pytest.approx(-1, abs=0.25)
    assert found["notes"][0] == "intervals are about these 2 judges, not others"
    assert found["notes"][1].startswith("fair and partial differ significantly about a: its strength differs by -1.")
    shown = here("judge", "rank", path)
    assert "by partial" in shown.out
    assert "position" in here("judge", "rank", path, "--judge", "fair", "--json").json["effects"]


def test_ties_and_lengths(here: Run, tmp_path: Path) -> None:
    path = choices(tmp_path, {("a", "b"): [1.0] * 12 + [0.0] * 3 + [0.5] * 6})
    outputs = [
        write_jsonl(tmp_path / f"{name}.jsonl",
                    [{"id": str(i), "output": "w " * (10 + i % 7 + more), "system": name} for i in range(21)])
        for name, more in (("a", 3), ("b", 0))
    ]  # fmt: skip
    call = here("judge", "rank", path, "--outputs", outputs[0], "--outputs", outputs[1], "--json")
    assert call.json["tie_parameter"] == pytest.approx(1.0, abs=1e-6)
    assert "length" in call.json["effects"]
    assert call.json["systems"]["a"]["length_controlled"] is not None


def test_what_cannot_be_ranked_is_said(here: Run, tmp_path: Path) -> None:
    plain = write_jsonl(
        tmp_path / "p.jsonl", [{"id": "1", "system": "a", "annotator": "m", "criterion": "c", "value": 1}]
    )
    assert "--form pairwise" in here("judge", "rank", plain).err
    never = here("judge", "rank", choices(tmp_path, {("a", "b"): [1.0] * 9}))
    assert never.code == 0
    assert "never wins" in never.err
    assert "a is significantly better than b" in never.out


def test_rates_are_corrected_by_the_errors_of_the_judge(here: Run, tmp_path: Path) -> None:
    """Sensitivity 9/10 and specificity 8/10 on 20 labelled outputs; of 50 more the judge calls 20 supported."""
    rows: list[dict[str, Any]] = []

    def add(id: str, annotator: str, value: str) -> None:
        method = "judge" if annotator == "m" else "likert"
        rows.append(
            {"id": id, "system": "s", "annotator": annotator, "criterion": "c", "value": value, "method": method}
        )

    for i in range(20):
        human = "supported" if i < 10 else "no"
        wrong = i in (0, 10, 11)
        add(str(i), "p", human)
        add(str(i), "m", {"supported": "no", "no": "supported"}[human] if wrong else human)
    for i in range(20, 70):
        add(str(i), "m", "supported" if i < 40 else "no")
    path = write_jsonl(tmp_path / "j.jsonl", rows)
    call = here("judge", "rates", path, "--label", "supported", "--json")
    rate = call.json["systems"]["s"]
    apparent = (9 + 2 + 20) / 70
    assert rate["apparent"] == pytest.approx(apparent)
    assert rate["value"] == pytest.approx((apparent + 0.8 - 1) / 0.7)
    assert rate["low"] < rate["value"] < rate["high"]
    assert "sensitivity 0.90, specificity 0.80 on 20 labels" in here("judge", "rates", path, "--label", "supported").out
    assert "no label maybe" in here("judge", "rates", path, "--label", "maybe").err


def test_a_judge_that_guesses_corrects_nothing(here: Run, tmp_path: Path) -> None:
    rows = [
        {"id": str(i), "system": "s", "annotator": name, "criterion": "c", "method": method,
         "value": "yes" if (i % 2 if name == "p" else (i // 2) % 2 or i == 1) else "no"}
        for i in range(40) for name, method in (("p", "likert"), ("m", "judge"))
    ]  # fmt: skip
    path = write_jsonl(tmp_path / "j.jsonl", rows)
    call = here("judge", "rates", path, "--label", "yes")
    assert "the judge is not significantly better than a coin" in call.err
    assert "variance components need ratings in numbers" in here("judge", "variance", path).err
