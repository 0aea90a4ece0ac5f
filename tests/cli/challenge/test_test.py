"""`assay challenge test`: a system asked, or files that it has answered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Call

Run = Callable[..., Call]
NEWS = Path(__file__).parents[3] / "src/assay/sample/news.jsonl"


def test_a_system_is_asked(here: Run) -> None:
    call = here("challenge", "test", "-e", NEWS, "--system", "lead:k=1", "--json")
    assert call.code == 0, call.err
    tests = {(test["type"], test["test"]): test for test in call.json["tests"]}
    assert {kind for kind, _ in tests} == {"functionality", "invariance", "direction"}
    assert tests["functionality", "answers"]["rate"] == 1.0
    assert tests["direction", "numbers"]["n"] >= 8
    assert all(test["low"] <= test["rate"] <= test["high"] for test in tests.values())
    assert any("scramble: changes none" in note for note in call.json["warnings"])


def test_files_give_what_asking_gives(here: Run, tmp_path: Path) -> None:
    plain, changed, answers = (tmp_path / f"{name}.jsonl" for name in ("plain", "typos", "answers"))
    assert here("challenge", "make", "typos-exact:p=0.1", NEWS, "-o", changed, "--size", "100").code == 0
    for examples, out in ((NEWS, plain), (changed, answers)):
        assert here("system", "generate", examples, "--system", "lead:k=1", "-o", out).code == 0
    read = here("challenge", "test", plain, "-e", NEWS, "--changed", changed, answers, "--json")
    assert read.code == 0, read.err
    asked = here("challenge", "test", "-e", NEWS, "--system", "lead:k=1", "--kinds", "typos-exact:p=0.1", "--json")
    assert read.json["tests"] == asked.json["tests"]
    shown = here("challenge", "test", plain, "-e", NEWS, "--changed", changed, answers, "--failures", "1")
    assert "minimum functionality" in shown.out
    assert "of the words are in the output for the original item" in shown.out


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ([], 2, "pass OUTPUTS or --system"),
        (["--system", "lead", "--kinds", "scramble"], 1, "scramble: changes none of these inputs"),
        (["--system", "lead", "--changed", "a", "b"], 2, "cannot be combined with --system"),
        (["x.jsonl", "--size", "3"], 2, "--size requires --system"),
        (["--system", "lead", "--same", "2"], 1, "a share of words"),
    ],
)
def test_wrong_options_are_refused_with_the_reason(here: Run, given: list[str], code: int, said: str) -> None:
    call = here("challenge", "test", *given, "-e", NEWS)
    assert call.code == code, call.err
    assert said in " ".join(call.err.split())
