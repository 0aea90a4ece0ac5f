"""`assay challenge tag`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    inputs = [{"kind": "triples", "triples": [["A", "p", str(k)] for k in range(i)]} for i in range(1, 5)]
    rows = [
        {"id": f"t{i}", "split": "test", "input": given, "tags": {"category": "City" if i % 2 else "Food"}}
        for i, given in enumerate(inputs, 1)
    ]
    return write_jsonl(tmp_path / "facts.jsonl", rows)


def test_tags_are_added_and_counted(here: Run, facts: Path, tmp_path: Path) -> None:
    out, sets = tmp_path / "tagged.jsonl", tmp_path / "sets.json"
    rule = "rule:expression=int(input_size) > 2:tag=large"
    call = here("challenge", "tag", facts, "--rule", "shape", "--rule", rule, "-o", out, "--sets", sets)
    assert (call.code, call.err) == (0, "")
    assert "4 examples in" in call.out
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["tags"]["large"] for row in rows] == ["no", "no", "yes", "yes"]
    assert [row["tags"]["category"] for row in rows] == ["City", "Food", "City", "Food"]
    assert json.loads(sets.read_text(encoding="utf-8"))["large"] == {"no": ["t1", "t2"], "yes": ["t3", "t4"]}
    call = here("challenge", "tag", facts, "--rule", "shape", "-o", out, "--force", "--json")
    assert call.json["tags"]["same_subject"] == {"unique": 1, "2": 1, "3": 1, "4": 1}


def test_a_sample(here: Run, facts: Path, tmp_path: Path) -> None:
    out = tmp_path / "sample.jsonl"
    assert here("challenge", "tag", facts, "--sample", 2, "--by", "category", "-o", out).code == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert sorted(row["tags"]["category"] for row in rows) == ["City", "Food"]
    assert all(row["tags"]["sample"] == "test" for row in rows)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "pass --rule"),
        (("--rule", "shapes"), 1, "did you mean shape?"),
        (("--rule", "shape:of=x"), 1, "no option of"),
        (("--rule", "clauses"), 1, "no item is tagged by clauses"),
        (("--rule", "rule:expression=int(category)"), 1, "facts.jsonl:1 id t1: int(category)"),
        (("--rule", "shape", "--by", "category"), 2, "--by requires --sample"),
        (("--sample", "2", "--sets", "x.json"), 2, "--sets requires --rule"),
    ],
)
def test_what_cannot_be_done_is_said(here: Run, facts: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    call = here("challenge", "tag", facts, *arguments, "-o", facts.with_name("out.jsonl"))
    assert call.code == code
    assert said in " ".join(call.err.split())
    assert not facts.with_name("out.jsonl").exists()


def test_a_sample_of_more_than_there_are_says_so(here: Run, facts: Path, tmp_path: Path) -> None:
    assert "fewer than 500" in here("challenge", "tag", facts, "--sample", 500, "-o", tmp_path / "sample.jsonl").out
