"""Which fillers an output mentions, per role."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


def event(id: str, **template: list[str]) -> dict[str, object]:
    given = {"kind": "event", "document": ["x"], "template": {"type": "arson", **template}}
    return {"id": id, "source": "x", "input": given, "references": ["r"]}


def test_fillers_per_role(here: Run, tmp_path: Path) -> None:
    examples = write_jsonl(
        tmp_path / "e.jsonl",
        [event("a", victim=["the Mayor", "two guards"], target=["a bridge"]), event("b", victim=["the mayor"])],
    )
    outputs = write_jsonl(
        tmp_path / "o.jsonl", [{"id": "a", "output": "The mayor fled the bridge."}, {"id": "b", "output": "Nobody."}]
    )
    out = tmp_path / "f.jsonl"
    found = here("analyze", "slots", outputs, "-e", examples, "-o", out, "--json").json["roles"]
    assert (found["victim"]["fillers"], found["victim"]["mentioned"]) == (3, 1)
    assert found["victim"]["recall"]["value"] == 1 / 3
    assert found["victim"]["missed"] == {"two guards": 1, "the mayor": 1}
    assert found["target"]["recall"]["value"] == 1
    assert found["weapon"]["recall"]["value"] is None
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows[0] == {"id": "a", "role": "target", "filler": "a bridge", "mentioned": True}
    shown = here("analyze", "slots", outputs, "-e", examples)
    assert "two guards (1)" in shown.out
    assert "All entity roles: 50.0" in shown.out


def test_examples_without_templates(here: Run, tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "x", "references": ["y"]}])
    outputs = write_jsonl(tmp_path / "o.jsonl", [{"id": "a", "output": "z"}])
    call = here("analyze", "slots", outputs, "-e", examples)
    assert call.code == 1
    assert "no example has a filled event template" in call.err


def test_missing_outputs_are_counted(here: Run, tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [event(id, victim=["the mayor"]) for id in "abc"])
    outputs = write_jsonl(tmp_path / "o.jsonl", [{"id": "a", "output": "The mayor fled."}])
    call = here("analyze", "slots", outputs, "-e", examples, "--allow-missing")
    assert call.code == 0
    assert "no output for 2 of 3 items" in " ".join(call.err.split())
    found = here("analyze", "slots", outputs, "-e", examples, "--allow-missing", "--json").json
    assert found["warnings"] == [f"{outputs}: no output for 2 of 3 items; not scored"]
