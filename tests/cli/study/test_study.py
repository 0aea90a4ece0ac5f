"""`assay study`: every command below it has help with an example, and says in one line what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.cli.tree import GROUPS
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


@pytest.mark.parametrize("name", GROUPS["study"][1])
def test_help_has_an_example(here: Run, name: str) -> None:
    call = here("study", name, "--help")
    assert call.code == 0
    assert f"  assay study {name}" in call.out


@pytest.mark.parametrize("name", GROUPS["study"][1])
def test_an_unknown_option_is_wrong_usage(here: Run, name: str) -> None:
    call = here("study", name, "--no-such-option")
    assert (call.code, call.out) == (2, "")


def test_the_list_of_commands(here: Run) -> None:
    call = here("study", "--help")
    assert all(f"  {name}" in call.out for name in GROUPS["study"][1])
    assert here("study", "anaylze").code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("lint", "none.toml"),
        ("review", "none.tsv"),
        ("analyze", "none.jsonl"),
        ("export", "none.jsonl", "-o", "out"),
        ("compare", "none.toml", "none.toml"),
        ("collect", "none.jsonl", "sheet", "--design", "none.toml"),
        ("assign", "none.toml", "none.jsonl", "-o", "new.jsonl"),
        ("map", "none.csv", "--columns", "none.toml", "-o", "out"),
        ("simulate", "none.toml"),
    ],
)
def test_a_file_that_is_not_there_is_named(
    here: Run, tmp_path: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call = here("study", *arguments)
    assert call.code == 1
    assert "none." in call.err
    assert len(call.err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_damaged_design_is_one_line(here: Run, tmp_path: Path) -> None:
    path = tmp_path / "d.toml"
    for text in ("name = ", "name = 3", 'name = "x"\n[people]\nper_item = "many"\n'):
        path.write_text(text)
        call = here("study", "lint", path)
        assert (call.code, len(call.err.splitlines())) == (1, 1)
        assert "d.toml" in call.err


def test_a_study_is_put_on_a_server_and_somebody_forgotten(
    here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastapi")
    monkeypatch.chdir(tmp_path)
    assert here("study", "new", "--preset", "best-worst", "-o", "design.toml").code == 0
    texts = [{"id": "i", "system": name, "text": name} for name in "abc"]
    Path("tasks.jsonl").write_text(json.dumps({"id": "i", "texts": texts}) + "\n", encoding="utf-8")
    put = ("study", "serve", "design.toml", "--tasks", "tasks.jsonl", "--add")
    first = here(*put, "--invite", "anna")
    assert first.code == 0, first.err
    assert "study best-worst · 1 tasks, 1 of them new" in first.err + first.out
    assert "/studies/best-worst/enter?link=" in first.err + first.out
    again = here(*put)
    assert "1 tasks, 0 of them new" in again.err + again.out
    wrong = here("study", "forget", "design-server", "--study", "best-worst", "--person", "anna")
    assert wrong.code == 1
    assert "no annotator called anna" in wrong.err
    assert here("study", "forget", "design-server", "--person", "anna").code == 2
    assert here("study", "serve", "design-server", "--tasks", "tasks.jsonl").code == 2
    assert here("study", "serve", "nowhere").code == 1


DESIGN = """name = "s"
[[questions]]
criterion = "fluency"
kind = "likert"
text = "How fluent is it?"
values = [1, 2, 3]
[quality]
traps_per_task = 1
trap_block = 0.9
"""


@pytest.mark.parametrize("command", [("analyze", "s.jsonl"), ("estimate", "--judgements", "s.jsonl", "--scores", "p"),
                                     ("export", "s.jsonl", "-o", "out.jsonl")])  # fmt: skip
def test_a_study_whose_annotators_are_all_blocked_says_so(
    here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.toml").write_text(DESIGN)
    write_jsonl(Path("o.jsonl"), [{"id": "a", "system": "x", "output": "One."}])
    write_jsonl(Path("t.jsonl"), [{"document": "a", "text": "Word salad.", "expected": "1"}])
    write_jsonl(Path("p"), [{"id": "a", "system": "x", "score": 1.0}])
    made = here("study", "assign", "d.toml", "o.jsonl", "--traps", "t.jsonl", "-o", "s.jsonl", "--people", "1",
                "--sheets", "sheets")  # fmt: skip
    assert made.code == 0, made.err
    sheet = json.loads(Path("sheets/person-1.jsonl").read_text())
    sheet["answers"]["fluency"] = [3] * len(sheet["texts"])
    write_jsonl(Path("sheets/person-1.jsonl"), [sheet])
    assert here("study", "collect", "s.jsonl", "sheets/person-1.jsonl", "--design", "d.toml").code == 0
    call = here("study", *command, "--design", "d.toml")
    assert call.code == 1
    assert "s.jsonl: no judgement counts: 1 annotator blocked by quality control" in call.err
