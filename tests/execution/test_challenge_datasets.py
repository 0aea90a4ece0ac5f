"""Challenges of a dataset in `assay run`: sets beside it, new answers, supplied outputs, and what is missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.execution.config import read_config
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
CONFIG = """
name = "mine"
ci = 0
seed = 3
[[datasets]]
name = "texts"
examples = "texts.jsonl"
metrics = ["chrf"]
challenges = ["typos-exact:p=0.2", "no-punctuation"]
challenge_size = 20
[[systems]]
name = "copy"
system = "copy"
[[systems]]
name = "given"
outputs = "given/{dataset}.jsonl"
[[systems]]
name = "one-file"
outputs = "given/texts.jsonl"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "given").mkdir()
    texts = [f"The ferry number {i} left the harbour." for i in range(30)]
    write_jsonl(
        tmp_path / "texts.jsonl", [{"id": f"t{i}", "source": t, "references": [t]} for i, t in enumerate(texts)]
    )
    write_jsonl(tmp_path / "given/texts.jsonl", [{"id": f"t{i}", "output": t} for i, t in enumerate(texts)])
    path = tmp_path / "mine.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def test_changed_inputs_get_new_answers(here: Run, config: Path, tmp_path: Path) -> None:
    call = here("run", config, "-o", tmp_path / "out", "--json")
    assert call.code == 0
    done = {(one["dataset"], one["system"]) for one in call.json["runs"]}
    planned = here("run", config, "-o", tmp_path / "other", "--plan", "--json").json["plan"]
    assert {(one["dataset"], one["system"]) for one in planned if one["why"] is None} == done
    sets = ("texts", "texts-typos-exact-p-0.2", "texts-no-punctuation")
    assert done == {*((name, "copy") for name in sets), ("texts", "given"), ("texts", "one-file")}
    whys = {(one["dataset"], one["system"]): one["why"] for one in call.json["failed"]}
    assert "no outputs at" in whys["texts-no-punctuation", "given"]
    assert "add {dataset} to their path" in whys["texts-no-punctuation", "one-file"]
    assert {(one["dataset"], one["system"]): one["why"] for one in planned if one["why"]} == whys
    compared = here("compare", tmp_path / "out", "--against-parents", "--json").json["comparisons"]
    assert [one["b"] for one in compared] == ["copy (typos-exact:p=0.2)", "copy (no-punctuation)"]
    assert compared[0]["metrics"]["chrf"]["n"] == 20
    assert compared[0]["metrics"]["chrf"]["difference"] < -5
    before = (tmp_path / "out/texts-no-punctuation/examples.jsonl").read_bytes()
    again = here("run", config, "-o", tmp_path / "out")
    assert "1 reused" in again.out
    assert (tmp_path / "out/texts-no-punctuation/examples.jsonl").read_bytes() == before


def test_supplied_outputs_of_a_challenge_set(here: Run, config: Path, tmp_path: Path) -> None:
    assert here("run", config, "-o", tmp_path / "out").code == 0
    answers = (tmp_path / "out/texts-no-punctuation/copy/answers.jsonl").read_text(encoding="utf-8")
    (tmp_path / "given/texts-no-punctuation.jsonl").write_text(answers.replace('"copy"', '"given"'), encoding="utf-8")
    done = here("run", config, "-o", tmp_path / "out", "--json").json["runs"]
    assert ("texts-no-punctuation", "given") in {(one["dataset"], one["system"]) for one in done}


def test_a_challenge_that_cannot_be_made_is_named_and_the_rest_goes_on(here: Run, config: Path, tmp_path: Path) -> None:
    config.write_text(CONFIG.replace('"no-punctuation"', '"scramble"'), encoding="utf-8")
    call = here("run", config, "-o", tmp_path / "out", "--json")
    whys = {one["why"] for one in call.json["failed"] if one["dataset"] == "texts-scramble"}
    assert len(whys) == 1
    assert "scramble changes inputs of the kinds" in whys.pop()
    assert ("texts", "copy") in {(one["dataset"], one["system"]) for one in call.json["runs"]}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"no-punctuation"', '"no-punctation"', "dataset texts: no challenge called no-punctation"),
        ('"no-punctuation"', '"typos-exact:p=0.2"', "two datasets are called texts-typos-exact-p-0.2"),
        ('"no-punctuation"', '"typos:q=1"', "dataset texts: typos: no option q"),
    ],
)
def test_a_bad_config_is_refused_before_anything_runs(config: Path, old: str, new: str, said: str) -> None:
    config.write_text(CONFIG.replace(old, new), encoding="utf-8")
    with pytest.raises(AssayError, match=said.replace("[", r"\[")):
        read_config(config)
