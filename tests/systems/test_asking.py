"""What generate, choose, rank and systems say: refusals that change nothing, numbers that people can read."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.inputs.filters import sentence_pairs
from assay.records import Example
from assay.systems import system
from assay.systems.answering import answer
from assay.systems.sampling import describe_sets, set_statistics
from assay.systems.tasks import ListTexts
from conftest import Call, write_jsonl

Run = Callable[..., Call]
FOMC = Path(__file__).parents[2] / "examples/fomc"
CHOOSE = ("choose", FOMC / "test.jsonl", "--classes", FOMC / "equivalence_classes.json", "--goal", "5")


def test_a_refused_choice_leaves_the_instances(here: Run, tmp_path: Path) -> None:
    out, instances = tmp_path / "c.jsonl", tmp_path / "c.instances.jsonl"
    arguments = (*CHOOSE, "--system", "random", "-o", out)
    assert here(*arguments).code == 0
    before = instances.read_bytes()
    assert here(*arguments, "--seed", "7").code == 1
    assert instances.read_bytes() == before
    assert here(*arguments, "--seed", "1", "--force").code == 0
    assert instances.read_bytes() != before  # seeds 0 and 1 are two


def test_the_plot_of_choices_needs_a_confusion(here: Run, tmp_path: Path) -> None:
    call = here(*CHOOSE, "--system", "random", "-o", tmp_path / "c.jsonl", "--plot", tmp_path / "p.svg")
    assert call.code == 2
    assert "--confusion" in call.err
    assert not (tmp_path / "c.jsonl").exists()


def test_labels_are_numbers(here: Run, tmp_path: Path) -> None:
    given = {"kind": "entities", "candidates": ["a", "b"], "labels": ["yes", "no"]}
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "r1", "source": "s", "input": given}])
    call = here("rank", examples, "--system", "random", "-o", tmp_path / "o.jsonl")
    assert call.code == 1
    assert "id r1: input.labels[0] is text, not true or false or a whole number; labels needs 0 or 1" in call.err


def test_features_need_their_input(here: Run, tmp_path: Path) -> None:
    given = {"kind": "entities", "candidates": ["a", "b"], "labels": [1, 0]}
    rows = [{"id": str(i), "source": "s", "references": ["a"], "input": given} for i in range(4)]
    examples = write_jsonl(tmp_path / "e.jsonl", rows)
    call = here("rank", examples, "--system", "logistic", "--train", examples, "-o", tmp_path / "o.jsonl")
    assert call.code == 1
    assert "id 0: input.entities is missing; entities needs the names" in call.err


def test_a_list_of_one_text_has_no_score(here: Run, tmp_path: Path) -> None:
    """A benchmark may ask any system for a list; the command says how to get a real one."""
    example = Example(id="a", source="One\tx. Two.")
    assert answer(ListTexts(), system("lead:k=1"), [example], tmp_path / "o.jsonl").rows[0]["output"] == "One x."
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "One."}])
    call = here("generate", examples, "--system", "lead", "--list", "-o", tmp_path / "p.jsonl")
    assert call.code == 2
    assert "gives one text" in call.err


def test_one_answer_is_one(here: Run, tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "One."}])
    arguments = ("generate", examples, "--system", "lead", "-o", tmp_path / "o.jsonl")
    assert "1 answer in" in here(*arguments).out
    assert "1 was there" in here(*arguments).out


def test_sampling_sets_in_words() -> None:
    line = " ".join(describe_sets(set_statistics([1, 1, 5, 2000])))
    assert line == (
        "4 steps mean 501.8 median 5 p90 2,000 max 2,000 at most 1: 50 % at most 10: 75 % at most 100: 75 % "
        "at most 1,000: 75 % at most 10,000: 100 %"
    )


def test_sources_without_a_choice_teach_a_filter_nothing() -> None:
    alike = [Example(id="a", source="One fox ran.", references=("One fox ran.",))]
    with pytest.raises(AssayError, match=r"in none of 1 sources \(a first\) does the oracle keep some"):
        sentence_pairs(alike)
    assert sentence_pairs([]) == []


def test_options_are_explained(here: Run) -> None:
    shown = here("systems", "frequency").out
    assert "nbest=1" in shown
    assert "How many phrases it names, the most frequent first." in shown
    recipe = here("systems", "train").out
    assert "copying=0" in recipe
    assert "Epochs without a better one before it stops; 0 for never." in recipe
    assert "KIND:eks-t5 is KIND:epochs=30" in recipe
    data = here("systems", "train", "--json").json["train"]
    assert data["options"]["patience"] == 0
    assert data["meanings"]["patience"].startswith("Epochs without")
    assert "assay systems train" in here("systems").out
    assert json.loads(here("systems", "lead", "--json").out)["systems"]["lead"]["meanings"]["k"]


def test_a_plot_that_cannot_be_drawn_is_refused_before_anything_is_asked(
    here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [*CHOOSE, "--system", "random", "-o", tmp_path / "c.jsonl", "--confusion", "evidence", "--plot"]
    call = here(*asked, tmp_path / "p.gif")
    assert (call.code, "use .png, .svg, .pdf" in call.err) == (2, True)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    call = here(*asked, tmp_path / "p.svg")
    assert (call.code, "assay[plots]" in call.err) == (1, True)
    assert not (tmp_path / "c.jsonl").exists()
