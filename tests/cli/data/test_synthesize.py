"""Synthetic examples from the command, and augmented targets."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.records import read_examples
from tests.conftest import Call

Run = Callable[..., Call]
CLASSES = Path(__file__).parents[3] / "examples/fomc/equivalence_classes.json"


def test_announcements_can_be_chosen_from(here: Run, tmp_path: Path) -> None:
    out = tmp_path / "t.jsonl"
    call = here(
        "data",
        "synthesize",
        "announcements",
        "--classes",
        CLASSES,
        "--size",
        40,
        "--split",
        "test",
        "-o",
        out,
        "--json",
    )
    assert call.json == {"examples": 4, "splits": {"test": 4}, "output": str(out)}
    chosen = here(
        "system", "choose", out, "--classes", CLASSES, "--system", "gold", "-o", tmp_path / "c.jsonl", "--json"
    )
    assert all(found["accuracy"] == 1 for found in chosen.json["evaluations"].values())
    again = tmp_path / "again.jsonl"
    here("data", "synthesize", "announcements", "--classes", CLASSES, "--size", 40, "--split", "test", "-o", again)
    assert again.read_bytes() == out.read_bytes()


def test_entities_can_be_ranked_and_events_said(here: Run, tmp_path: Path) -> None:
    here("data", "synthesize", "entities", "--size", 160, "-o", tmp_path / "e.jsonl")
    ranked = here("system", "rank", tmp_path / "e.jsonl", "--system", "gold", "-o", tmp_path / "r.jsonl", "--json")
    assert ranked.json["scores"]["map"]["value"] == 1
    call = here("data", "synthesize", "events", "--size", 10, "--seed", 5, "-o", tmp_path / "v.jsonl")
    assert f"Next: assay system generate {tmp_path / 'v.jsonl'} --system template" in call.out
    assert (
        here("system", "generate", tmp_path / "v.jsonl", "--system", "template", "-o", tmp_path / "o.jsonl").code == 0
    )


def test_augmented_targets_keep_their_meaning(here: Run, tmp_path: Path) -> None:
    from assay.challenges.equivalence import find
    from assay.datasets.equivalence_classes import read_classes

    here("data", "synthesize", "announcements", "--classes", CLASSES, "--size", 10, "-o", tmp_path / "t.jsonl")
    given = [example for example in read_examples(tmp_path / "t.jsonl").examples if example.split == "train"]
    out = tmp_path / "a.jsonl"
    arguments = (
        "data",
        "synthesize",
        "augmented",
        "--from",
        tmp_path / "t.jsonl",
        "--classes",
        CLASSES,
        "--copies",
        2,
        "-o",
        out,
    )
    refused = here(*arguments)
    assert refused.code == 1
    assert "id made-9: belongs to the test split" in refused.err
    call = here(*arguments, "--split", "train")
    assert call.code == 0, call.err
    made = read_examples(out).examples
    assert made[: len(given)] == given
    copies = made[len(given) :]
    assert len(copies) > len(given)
    assert f"{len(made)} examples, {len(copies)} of them copies, in" in call.out
    classes = [one for one in read_classes(CLASSES) if one.family != "label"]
    by_id = {example.id: example for example in given}
    for copy in copies:
        first = by_id[str(copy.parent)]
        assert copy.references != first.references
        assert (copy.tags, copy.input) == (first.tags, first.input)
        for before, after in zip(first.references, copy.references, strict=True):
            for one in classes:
                assert [m.place for m in find(one, before)] == [m.place for m in find(one, after)]


def test_what_cannot_be_augmented(here: Run, tmp_path: Path) -> None:
    events, out = tmp_path / "e.jsonl", tmp_path / "x.jsonl"
    here("data", "synthesize", "events", "--size", 5, "--split", "train", "-o", events)
    none = here("data", "synthesize", "augmented", "--from", events, "--classes", CLASSES, "-o", out)
    assert none.code == 1
    assert "no marked span" in none.err
    empty = here(
        "data", "synthesize", "augmented", "--from", events, "--classes", CLASSES, "--split", "validation", "-o", out
    )
    assert "no example of the split validation" in empty.err
    wrong = here("data", "synthesize", "announcements", "--classes", events, "-o", out)
    assert wrong.code == 1
    assert "it is not a file of equivalence classes" in wrong.err
    assert "--skip-bad" not in wrong.err
    assert not out.exists()


def test_a_file_is_not_overwritten(here: Run, tmp_path: Path) -> None:
    out = tmp_path / "x.jsonl"
    out.write_text("mine")
    call = here("data", "synthesize", "events", "--size", 5, "-o", out)
    assert call.code == 1
    assert "already exists" in call.err
    assert out.read_text() == "mine"
    assert here("data", "synthesize", "events", "--size", 5, "-o", out, "--force").code == 0
    assert len(read_examples(out).examples) >= 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("announcements",), "requires --classes"),
        (("augmented", "--classes", CLASSES), "--from is required by augmented"),
        (("events", "--from", CLASSES), "--from is required by augmented"),
    ],
)
def test_wrong_calls(here: Run, tmp_path: Path, arguments: tuple[object, ...], message: str) -> None:
    call = here("data", "synthesize", *arguments, "-o", tmp_path / "x.jsonl")
    assert call.code == 2
    assert message in call.err


def test_an_empty_split_is_said(here: Run, tmp_path: Path) -> None:
    call = here("data", "synthesize", "events", "--size", 1, "--split", "test", "-o", tmp_path / "x.jsonl")
    assert call.code == 1
    assert "raise --size" in call.err
    few = here("data", "synthesize", "entities", "--size", 40, "-o", tmp_path / "x.jsonl")
    assert few.code == 1
    assert "pass more examples" in few.err
    assert not (tmp_path / "x.jsonl").exists()


def test_the_examples_are_what_the_tool_writes(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    tool = runpy.run_path(str(root / "tools/make_examples.py"))
    tool["main"](tmp_path)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.json*"))
    assert len(made) == 10
    for name in made:
        assert (tmp_path / name).read_bytes() == (root / "examples" / name).read_bytes(), name
