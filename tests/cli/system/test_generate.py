"""`assay system generate`: texts of a system, kept and used again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.records import Example
from assay.systems import system
from assay.systems.answering import answer
from assay.systems.tasks import ListTexts
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


def test_a_list_of_one_text_has_no_score(here: Run, tmp_path: Path) -> None:
    """A benchmark may ask any system for a list; the command says how to get a real one."""
    example = Example(id="a", source="One\tx. Two.")
    assert answer(ListTexts(), system("lead:k=1"), [example], tmp_path / "o.jsonl").rows[0]["output"] == "One x."
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "One."}])
    call = here("system", "generate", examples, "--system", "lead", "--list", "-o", tmp_path / "p.jsonl")
    assert call.code == 2
    assert "generates one text" in call.err


def test_one_answer_is_one(here: Run, tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "One."}])
    arguments = ("system", "generate", examples, "--system", "lead", "-o", tmp_path / "o.jsonl")
    assert "1 answer in" in here(*arguments).out
    assert "1 reused" in here(*arguments).out


def test_the_next_command_works_for_some_of_the_examples(here: Run, tmp_path: Path) -> None:
    rows = [{"id": name, "source": "One.", "references": ["One."]} for name in "abc"]
    examples = write_jsonl(tmp_path / "e.jsonl", rows)
    call = here("system", "generate", examples, "--system", "lead", "--limit", 2, "-o", tmp_path / "o.jsonl")
    following = call.out.split("Next: assay ")[1].split()
    assert here(*following, "-m", "rouge1").code == 0


def test_a_form_that_a_system_does_not_read_is_named(here: Run, tmp_path: Path) -> None:
    rows = [
        {"id": name, "input": {"kind": "slots", "slots": [["name", name]]}, "references": ["x"]}
        for name in ("Heron", "Finch")
    ]
    examples, train = (write_jsonl(tmp_path / f"{row['id']}.jsonl", [row]) for row in rows)
    warned = {}
    for name in ("template", "copy", "nearest"):
        call = here("system", "generate", examples, "--system", name, "--train", train, "--as", "slots:style=pairs",
                    "-o", tmp_path / f"{name}.jsonl")  # fmt: skip
        assert call.code == 0, call.err
        warned[name] = "--as slots:style=pairs has no effect" in " ".join(call.err.split())
    assert warned == {"template": True, "copy": True, "nearest": False}


def test_unusual_line_breaks_in_answers(here: Run, tmp_path: Path) -> None:
    text = "one\u2028two\u0085three\u000bfour"
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": text}])
    for reused in (0, 1):
        call = here("system", "generate", examples, "--system", "copy", "-o", tmp_path / "o.jsonl", "--json")
        assert (call.code, call.json["reused"]) == (0, reused), call.err


@pytest.mark.parametrize(
    ("command", "spec"), [("generate", "frequency"), ("generate", "random"), ("rank", "ngram"), ("rank", "logistic")]
)
def test_other_training_examples_are_another_system(here: Run, tmp_path: Path, command: str, spec: str) -> None:
    given = {"kind": "entities", "entities": ["x"], "background": [], "title": "", "context": "",
             "candidates": ["a", "b"], "labels": [1, 0]}  # fmt: skip
    rows = [{"id": str(i), "source": "s", "references": ["a"], "input": given} for i in range(4)]
    examples, train = write_jsonl(tmp_path / "e.jsonl", rows), tmp_path / "t.jsonl"
    write_jsonl(train, rows)
    arguments = ["system", command, examples, "--system", spec, "--train", train, "-o", tmp_path / "o.jsonl"]
    assert here(*arguments).code == 0
    assert "4 reused" in here(*arguments).out
    write_jsonl(train, [row | {"references": ["b"]} for row in rows])
    stale = here(*arguments)
    assert stale.code == 1
    assert "asked or learned from" in stale.err
    fresh = here(*arguments, "--force")
    assert fresh.code == 0
    assert "were there" not in fresh.out


def test_generate_command(here: Run, tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "One. Two. Three.", "references": ["One."]}])
    out = tmp_path / "lead.jsonl"
    call = here("system", "generate", examples, "--system", "lead:k=1", "-o", out, "--json")
    assert (call.code, call.json["n"], call.json["reused"]) == (0, 1, 0)
    assert json.loads(out.read_text())["output"] == "One."
    assert here("system", "generate", examples, "--system", "lead:k=1", "-o", out, "--json").json["reused"] == 1
    scored = here("score", out, "-e", examples, "-m", "rouge1", "--json")
    assert scored.json["scores"]["rouge1"]["value"] == 1.0
    swept = here(
        "system", "generate", examples, "--system", "lead", "--sweep", "k=1,2", "-o", tmp_path / "s.jsonl", "--json"
    )
    assert [Path(run["output"]).name for run in swept.json["runs"]] == ["s-k-1.jsonl", "s-k-2.jsonl"]
    assert here("system", "generate", examples, "--system", "lead", "--sweep", "k", "-o", out).code == 2
    assert "cannot generate" in here("system", "generate", examples, "--system", "logistic", "-o", tmp_path / "x").err
    assert "--train" in here("system", "rank", examples, "--system", "frequency", "-o", tmp_path / "x").err
