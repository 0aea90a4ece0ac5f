"""Made-up examples from the command, and augmented targets."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.records import read_examples
from conftest import Call

Run = Callable[..., Call]
CLASSES = Path(__file__).parents[2] / "examples/fomc/equivalence_classes.json"


def test_announcements_can_be_chosen_from(here: Run, tmp_path: Path) -> None:
    out = tmp_path / "t.jsonl"
    call = here("make", "announcements", "--classes", CLASSES, "--size", 20, "--split", "test", "-o", out, "--json")
    assert call.json == {"examples": 4, "splits": {"test": 4}, "output": str(out)}
    chosen = here("choose", out, "--classes", CLASSES, "--system", "gold", "-o", tmp_path / "c.jsonl", "--json")
    assert all(found["accuracy"] == 1 for found in chosen.json["evaluations"].values())
    again = tmp_path / "again.jsonl"
    here("make", "announcements", "--classes", CLASSES, "--size", 20, "--split", "test", "-o", again)
    assert again.read_bytes() == out.read_bytes()


def test_entities_can_be_ranked_and_events_said(here: Run, tmp_path: Path) -> None:
    here("make", "entities", "--size", 160, "-o", tmp_path / "e.jsonl")
    ranked = here("rank", tmp_path / "e.jsonl", "--system", "gold", "-o", tmp_path / "r.jsonl", "--json")
    assert ranked.json["scores"]["map"]["value"] == 1
    call = here("make", "events", "--size", 10, "--seed", 5, "-o", tmp_path / "v.jsonl")
    assert f"Next: assay generate {tmp_path / 'v.jsonl'} --system template" in call.out
    assert here("generate", tmp_path / "v.jsonl", "--system", "template", "-o", tmp_path / "o.jsonl").code == 0


def test_augmented_targets_keep_their_meaning(here: Run, tmp_path: Path) -> None:
    from assay.systems.protocols.equivalence import find, read_classes

    here("make", "announcements", "--classes", CLASSES, "--size", 10, "-o", tmp_path / "t.jsonl")
    given = read_examples(tmp_path / "t.jsonl").examples
    out = tmp_path / "a.jsonl"
    call = here("make", "augmented", "--from", tmp_path / "t.jsonl", "--classes", CLASSES, "--copies", 2, "-o", out)
    assert call.code == 0, call.err
    made = read_examples(out).examples
    assert made[: len(given)] == given
    copies = made[len(given) :]
    assert len(copies) > len(given)
    classes = [one for one in read_classes(CLASSES) if one.family != "label"]
    by_id = {example.id: example for example in given}
    for copy in copies:
        first = by_id[str(copy.parent)]
        assert copy.references != first.references
        for before, after in zip(first.references, copy.references, strict=True):
            for one in classes:
                assert [m.place for m in find(one, before)] == [m.place for m in find(one, after)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("announcements",), "needs --classes"),
        (("augmented", "--classes", CLASSES), "--from goes with augmented"),
        (("events", "--from", CLASSES), "--from goes with augmented"),
    ],
)
def test_wrong_calls(here: Run, tmp_path: Path, arguments: tuple[object, ...], message: str) -> None:
    call = here("make", *arguments, "-o", tmp_path / "x.jsonl")
    assert call.code == 2
    assert message in call.err


def test_an_empty_split_is_said(here: Run, tmp_path: Path) -> None:
    call = here("make", "events", "--size", 1, "--split", "test", "-o", tmp_path / "x.jsonl")
    assert call.code == 1
    assert "make more with --size" in call.err
    few = here("make", "entities", "--size", 40, "-o", tmp_path / "x.jsonl")
    assert few.code == 1
    assert "give more examples" in few.err
    assert not (tmp_path / "x.jsonl").exists()


def test_the_examples_are_what_the_tool_writes(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    tool = runpy.run_path(str(root / "tools/make_examples.py"))
    tool["main"](tmp_path)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.json*"))
    assert len(made) == 10
    for name in made:
        assert (tmp_path / name).read_bytes() == (root / "examples" / name).read_bytes(), name
