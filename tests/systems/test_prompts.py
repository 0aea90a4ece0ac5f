"""Prompts are files with versions; one that would ask the same about every item is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.systems.prompts import Prompt, built_in, prompt
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


def own(folder: Path, user: str) -> str:
    path = folder / "mine.toml"
    path.write_text(Prompt("mine", "2", "", user).to_toml(), encoding="utf-8")
    return str(path)


def test_prompts_are_files_with_versions(tmp_path: Path) -> None:
    assert {"eks-1", "eks-2", "eks-3", "judge", "plain"} <= set(built_in())
    assert all(prompt(name).version for name in built_in())
    assert len({prompt(f"eks-{i}").system for i in (1, 2, 3)}) == 3
    mine = own(tmp_path, "Say {text}!")
    assert prompt(mine).version == "2"
    assert prompt(mine).messages(text="{x}") == [{"role": "user", "content": "Say {x}!"}]
    with pytest.raises(AssayError, match=r"no field \{text\}"):
        prompt(mine).messages(other="")
    with pytest.raises(AssayError, match="did you mean eks-1"):
        prompt("eks1")
    Path(mine).write_text("name = 1")
    with pytest.raises(AssayError, match="not a prompt"):
        prompt(mine)


@pytest.mark.parametrize(
    ("user", "said"),
    [
        ('Answer in JSON, {{"a": 1}}: {text}', 'Answer in JSON, {"a": 1}: <{x}}>'),
        ("{{text}} {text}", "{text} <{x}}>"), ("{{{text}}}", "{<{x}}>}"), ("a } b {text}", "a } b <{x}}>"),
    ],
)  # fmt: skip
def test_a_brace_is_written_twice(tmp_path: Path, user: str, said: str) -> None:
    assert prompt(own(tmp_path, user)).messages(text="<{x}}>")[0]["content"] == said


@pytest.mark.parametrize(
    ("user", "about", "shown"),
    [
        ("Write a story.", "", "fields none"), ("Write {{text}}.", "", "fields none"), ("{txt}", "", "{txt}"),
        ('{"a": 1} {text}', "", '{"a": 1}'), ("{text", "", "(not closed)"), ("{text} {output}", "", "{text}, {output}"),
        ("{source} for {criterion}", "", "{source}, {criterion}"), ("{output}", "text", "fields {output}"),
        ("{text}", "output", "fields {text}"),
    ],
)  # fmt: skip
def test_without_what_it_is_about_it_is_refused(tmp_path: Path, user: str, about: str, shown: str) -> None:
    with pytest.raises(AssayError) as caught:
        prompt(own(tmp_path, user), about)
    said = str(caught.value)
    assert said.startswith(f"{tmp_path / 'mine.toml'}: ")
    assert shown in said
    assert "{text}" in said
    assert "{output} and perhaps {source}, {reference}, {criterion}, {low}, {high}" in said
    assert "{{ or }}" in said


def test_commands_refuse_it_before_any_work(here: Run, tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "x", "references": ["y"]}])
    outputs = write_jsonl(tmp_path / "o.jsonl", [{"id": "a", "output": "y"}])
    same, base = own(tmp_path, "Write a story."), "base=http://127.0.0.1:9/v1"
    for command in (
        ["system", "generate", examples, "--system", f"chat:x:{base}:prompt={same}", "-o", tmp_path / "x.jsonl"],
        ["judge", "run", outputs, "-e", examples, "--system", f"chat:x:{base}", "--criterion", "c", "--prompt",
         same, "-o",
         tmp_path / "j.jsonl"],
        ["system", "train", f"causal:tiny:prompt={same}", "--train", examples, "--valid", examples, "-o",
         tmp_path / "model"],
    ):  # fmt: skip
        call = here(*command)
        assert call.code == 1
        assert f"{same}: fields none; a prompt needs {{text}}" in call.err
