"""`assay check --ledger`: a try that does not pass prints no number, in any output."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


def outputs(path: Path, wrong: int) -> Path:
    return write_jsonl(path, [{"id": str(i), "output": "no" if i < wrong else "yes"} for i in range(150)])


def test_only_a_system_that_passes_has_numbers(here: Run, tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "ex.jsonl", [{"id": str(i), "references": ["yes"]} for i in range(150)])
    old, good, bad = (outputs(tmp_path / f"{name}.jsonl", n) for name, n in (("old", 15), ("good", 1), ("bad", 40)))
    common = ("--baseline", old, "-e", examples, "--margin", "exact_match=8", "--ledger", tmp_path / "tries.jsonl")
    passing = here("check", good, *common)
    assert passing.code == 0, passing.err
    assert "try 1 of 20" in passing.out
    assert "+9.3" in passing.out
    failing = here("check", bad, *common, "--json", "--summary", tmp_path / "s.md", "--junit", tmp_path / "j.xml")
    assert failing.code == 1
    assert failing.json == {
        "passed": False,
        "ledger": {"passed": False, "try": 2, "tries": 20, "level": 0.0025, "repeated": False, "new": "bad"},
    }
    for text in (failing.err, (tmp_path / "s.md").read_text(), (tmp_path / "j.xml").read_text()):
        assert "bad does not pass: try 2 of 20" in text
        assert "16" not in text
        assert "73" not in text
    lines = [json.loads(line) for line in (tmp_path / "tries.jsonl").read_text().splitlines()]
    assert [line.get("passed") for line in lines] == [None, True, False]


def test_options_that_contradict_it(here: Run, tmp_path: Path) -> None:
    old = outputs(tmp_path / "old.jsonl", 15)
    common = ("check", old, "--baseline", old, "-e", old, "--margin", "exact_match=8")
    assert "--tries requires --ledger" in here(*common, "--tries", 3).err
    assert "cannot be combined" in here(*common, "--ledger", tmp_path / "l.jsonl", "--lenient").err
