"""Judges in an audit: a judge that likes praise is raised by flattery, and one that likes a place changes its mind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

from assay.errors import AssayError
from assay.judges.form import prompt_form
from assay.judges.judge import Judge
from assay.judges.plain_text import read_place
from assay.meta.audit import audit_systems
from assay.meta.audit.judges import Ratings, positions
from assay.records import Example, Items
from assay.systems import system
from assay.systems.base import Answer, System
from assay.systems.prompts import Messages, prompt
from tests.support import items

TEXTS = [f"The ferry {i} left the harbour at dawn, and nobody saw it come back ." for i in range(24)]


@dataclass(eq=False)
class Toy(System):
    """Rates by rule: longer is worse, praise is worth two points; of pairs it takes what it is told."""

    name: ClassVar = "toy"
    about: ClassVar = "a judge for tests"
    abilities: ClassVar = ("generate",)
    vain: bool = True
    habit: str = ""
    asked: list[str] = field(default_factory=list, init=False)

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        raise NotImplementedError

    def reply(self, examples: Sequence[Example], messages: Messages) -> Iterator[Answer]:
        for number, example in enumerate(examples):
            text = messages(example)[-1]["content"]
            self.asked.append(text)
            if self.habit:
                yield Answer(example.id, self.habit)
                continue
            if "First output:" in text:
                first, second = (
                    text.partition(f"{place} output:\n")[2].split("\n")[0] for place in ("First", "Second")
                )
                yield Answer(example.id, "first" if len(first) > len(second) else "second")
                continue
            output = text.partition("Output:\n")[2].split("\n")[0]
            praised = any(word in output for word in ("excellent", "highest rating", "full marks"))
            rating = 2 + number % 2 + (2 if self.vain and praised else 0) - (1 if len(output.split()) < 9 else 0)
            yield Answer(example.id, f"Rating: {rating}" if number % 24 != 5 else "no idea")


def judged(toy: Toy) -> Ratings:
    return Ratings(Judge("toy", prompt_form(prompt("judge", "output"), "quality", (1, 5))), toy)


def test_flattery_raises_a_vain_judge_and_no_other() -> None:
    for vain in (True, False):
        loaded = items(TEXTS, sources=TEXTS)
        found = audit_systems(
            [loaded], [], manipulations=["flattery", "truncate"], strengths=[50, 100], repeats=2,
            judge=judged(Toy(vain=vain)),
        )  # fmt: skip
        (verdict,) = found.verdicts
        assert verdict.metric == "judge.quality"
        assert verdict.flattered_by == (["flattery"] if vain else [])
        assert verdict.noticed == ["truncate"]
        assert not any(row.raised_by_worse for row in found.rows)  # praise is no better, and not surely worse
        assert any("answers could not be parsed" in note for note in found.warnings)
        assert "judge quality 1-5 by toy" in found.signatures["judge.quality"]


def test_a_judge_that_cannot_be_read_or_cannot_chat_is_refused() -> None:
    with pytest.raises(AssayError, match=r"none of \d+ answers has a rating \(first: 'hm'\)"):
        audit_systems([items(TEXTS)], [], manipulations=["truncate"], strengths=[100], judge=judged(Toy(habit="hm")))
    with pytest.raises(AssayError, match="cannot judge"):
        judged(system("lead"))  # type: ignore[arg-type]
    with pytest.raises(AssayError, match="cannot judge"):
        positions(system("lead"), prompt("preference", "first"), "quality", pair())


def pair() -> list[Items]:
    whole = items(TEXTS, sources=TEXTS)
    short = Items(tuple(text[:30] for text in TEXTS[:-2]) + tuple(TEXTS[-2:]), whole.examples, "short")
    return [Items(whole.outputs, whole.examples, "long"), short]


@pytest.mark.parametrize(
    ("habit", "consistent", "first"), [("", 1.0, None), ("first", 0.0, 1.0), ("2", 0.0, 0.0), ("equal", 1.0, None)]
)
def test_places_are_swapped(habit: str, consistent: float, first: float | None) -> None:
    toy = Toy(habit=habit)
    (found,) = positions(toy, prompt("preference", "first"), "quality", pair())
    assert (found["a"], found["b"], found["n"], found["unread"]) == ("long", "short", 22, 0)  # two are equal
    assert len(toy.asked) == 44
    assert found["consistent"]["value"] == consistent
    assert (found["consistent"]["low"] or 0) <= consistent <= (found["consistent"]["high"] or 0)
    assert found["first_where_not"]["value"] == first
    assert (found["prefers_a"], found["prefers_b"]) == ((22, 0) if not habit else (0, 0))


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("first", "first"), ("Second.", "second"), ("**1**", "first"), ("B", "second"), ("It is a tie", "equal"),
        ("The first output is better.", "first"), ("first or second", None), ("no idea", None), ("", None),
    ],
)  # fmt: skip
def test_which_place_an_answer_names(answer: str, place: Any) -> None:
    assert read_place(answer) == place


def test_a_prompt_that_compares_needs_both_texts(tmp_path: Any) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nversion = "1"\nuser = "Is {first} good?"\n')
    with pytest.raises(AssayError, match="a prompt to compare needs"):
        prompt(str(path), "first")
