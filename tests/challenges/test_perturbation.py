"""Challenge sets: what changes, what stays, and that the same seed gives the same set."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.challenges import CHALLENGES, Perturbation, perturbation
from assay.challenges.perturbation import challenge_set
from assay.errors import AssayError
from assay.records import Example
from assay.records.inputs import read_input, with_input
from assay.records.kinds import Slots

TRIPLES = [["Or Wexley", "country", "Ostmark"], ["Or Wexley", "mayor", "Ada Finch"], ["Ada Finch", "born", "1961"]]


def example(id: str = "a", **fields: Any) -> Example:
    return msgspec.convert({"id": id, **fields}, Example)


@dataclass(frozen=True)
class Shout(Perturbation):
    """A perturbation from another package."""

    mark: str = "!"

    name: ClassVar = "shout"
    about: ClassVar = "the source ends with a mark"
    changes: ClassVar = "the source"

    def change(self, example: Example, draw: Random) -> Example | None:
        return msgspec.structs.replace(example, source=f"{example.source}{self.mark}") if example.source else None


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("The dog ran.", "The dog ran"),
        ("Really?!", "Really?"),
        ("He said “no.” ", "He said “no."),
        ("猫が寝た。", "猫が寝た"),
        ("No mark", None),
        ("", None),
        (None, None),
    ],
)
def test_the_final_punctuation_mark_is_deleted(source: str | None, expected: str | None) -> None:
    made = challenge_set(perturbation("no-punctuation"), [example(source=source)])
    assert [each.source for each in made.examples] == ([expected] if expected else [])
    assert made.unchanged == ([] if expected else ["a"])


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"kind": "triples", "triples": TRIPLES}, "triples"),
        ({"kind": "concepts", "concepts": ["dog", "run", "park"]}, "concepts"),
        ({"kind": "slots", "slots": [["name", "Thornbeck"], ["food", "tea"]]}, "slots"),
    ],
)
def test_parts_are_the_same_in_another_order(given: dict[str, Any], field: str) -> None:
    (made,) = challenge_set(perturbation("scramble"), [example(input=given, references=["A text."])]).examples
    assert made.input is not None
    moved: Any = made.input[field]
    assert moved != given[field]
    assert sorted(moved) == sorted(given[field])
    assert {**made.input, field: given[field]} == given
    assert (made.id, made.parent, made.references) == ("a/scramble", "a", ("A text.",))
    assert made.tags == {"challenge": "scramble", "seed": "0"}


@pytest.mark.parametrize("parts", [[], ["dog"], ["dog", "dog"]])
def test_what_has_one_order_is_left_out(parts: list[str]) -> None:
    made = challenge_set(perturbation("scramble"), [example(input={"kind": "concepts", "concepts": parts})])
    assert made[:2] == ([], ["a"])


def test_a_damaged_input_is_named() -> None:
    with pytest.raises(AssayError, match=r"id a: input\.triples\[0\]"):
        challenge_set(perturbation("scramble"), [example(input={"kind": "triples", "triples": [["x"], ["y"]]})])


@dataclass(frozen=True)
class LostSlots(Perturbation):
    """As somebody would write it: the slots come as they were read, which are tuples."""

    n: int = 1

    name: ClassVar = "lost-slots"
    about: ClassVar = "the last slots are missing"
    changes: ClassVar = "slots"

    def __post_init__(self) -> None:
        self.require("n", 0, 3)

    def change(self, example: Example, draw: Random) -> Example | None:
        slots = read_input(example, Slots).slots
        return with_input(example, slots=slots[: len(slots) - self.n])


def test_identical_inputs_are_not_changed() -> None:
    examples = [example(input={"kind": "slots", "slots": [["name", "Thornbeck"], ["food", "tea"]]})]
    assert challenge_set(LostSlots(0), examples)[:2] == ([], ["a"])
    (made,) = challenge_set(LostSlots(1), examples).examples
    assert made.input is not None
    assert len(cast(list[Any], made.input["slots"])) == 1
    with pytest.raises(AssayError, match="challenge lost-slots: n=4 must be from 0 to 3"):
        LostSlots(4)


@given(size=st.integers(1, 30), seed=st.integers(0, 5))
def test_a_set_depends_on_its_seed_alone(size: int, seed: int) -> None:
    texts = [example(str(i), source=f"Text {i}" + "." * (i % 3 > 0), tags={"topic": str(i % 4)}) for i in range(24)]
    made = challenge_set(perturbation("no-punctuation"), texts, size=size, seed=seed)
    assert made == challenge_set(perturbation("no-punctuation"), texts, size=size, seed=seed)
    assert len(made.examples) == min(size, 16)
    parents = [int(each.parent or -1) for each in made.examples]
    assert parents == sorted(set(parents))
    assert all(each.tags["topic"] == str(parent % 4) for each, parent in zip(made.examples, parents, strict=True))


def test_a_change_does_not_depend_on_other_items() -> None:
    one = example("z", input={"kind": "triples", "triples": TRIPLES * 3})
    others = [example(str(i), input={"kind": "triples", "triples": TRIPLES}) for i in range(5)]
    alone, among = (challenge_set(perturbation("scramble"), many).examples[-1] for many in ([one], [*others, one]))
    assert alone == among


def test_duplicate_ids_are_rejected() -> None:
    with pytest.raises(AssayError, match="id a occurs twice"):
        challenge_set(perturbation("no-punctuation"), [example(source="A."), example(source="B.")])


def test_other_packages_add_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CHALLENGES, "_added", {"shout": Shout})
    (made,) = challenge_set(perturbation("shout:mark=?"), [example(source="Go")]).examples
    assert made.source == "Go?"


def test_the_same_bytes_under_another_hash_seed() -> None:
    specs = [name for name in CHALLENGES if name not in ("backtranslation", "drs")]
    code = (
        "import msgspec, sys\nfrom assay.challenges import perturbation\n"
        "from assay.challenges.perturbation import challenge_set\nfrom assay.records import Example\n"
        "from assay.records.types import Passage\n"
        "given = [Example(id=str(i), source=f'The {i} ships of Ostmark sank in 3 days.', references=(f'{i} sank.',),"
        " input={'kind': 'triples', 'triples': [['a', 'b', str(i)], ['c', 'd', 'e'], ['f', 'g', '12,500']]},"
        " contexts=(Passage('c', f'There were {i} ships.'),))"
        " for i in range(40)]\n"
        "made = [challenge_set(perturbation(spec), given, size=10, seed=7).examples for spec in sys.argv[1:]]\n"
        "print(msgspec.json.encode(made))"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code, *specs],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "1", "2")
    ]
    assert len(set(outputs)) == 1
    assert outputs[0].count("parent") == 10 * len(specs)


def test_a_tag_has_its_share() -> None:
    texts = [example(str(i), source="It rained.", tags={"topic": "big" if i % 10 else "small"}) for i in range(200)]
    for size in (10, 50, 100):
        made = challenge_set(perturbation("no-punctuation"), texts, size=size, by="topic").examples
        assert sum(each.tags["topic"] == "small" for each in made) == size / 10
    with pytest.raises(AssayError, match=r"id \d+: has no tag domain"):
        challenge_set(perturbation("no-punctuation"), texts, by="domain")


def test_triples_are_drawn_by_category() -> None:
    facts = [
        example(str(i), input={"kind": "triples", "triples": TRIPLES}, tags={"category": "a" if i < 180 else "b"})
        for i in range(200)
    ]
    made = challenge_set(perturbation("scramble"), facts, size=50).examples
    assert sum(each.tags["category"] == "b" for each in made) == 5


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        ({"kind": "entities", "entities": ["Ada", "Tom", "Lena"], "background": ["a", "t", "l"], "title": "",
          "context": ""}, ("entities", "background")),
        ({"kind": "drs", "clauses": [["b1", "REF", "x1"], ["b1", "Name", "x1", '"tom"'], ["b1", "male", "x1"]]},
         ("clauses",)),
        ({"kind": "acts", "service": "s", "context": [], "acts": [
            {"act": "INFORM", "slot": slot, "values": [slot]} for slot in "abc"]}, ("acts",)),
        ({"kind": "table", "table": [[{"value": "a"}, {"value": "b"}, {"value": "c"}]],
          "highlighted": [[0, 0], [0, 1], [0, 2]]}, ("highlighted",)),
    ],
)  # fmt: skip
def test_parts_that_belong_together_move_together(given: dict[str, Any], fields: tuple[str, ...]) -> None:
    (made,) = challenge_set(perturbation("scramble"), [example(input=given)]).examples
    assert made.input is not None
    before, after = (list(zip(*(source[field] for field in fields), strict=True)) for source in (given, made.input))
    assert sorted(map(repr, before)) == sorted(map(repr, after))
    assert before != after


def test_the_last_turn_is_the_source() -> None:
    """A system that is given the turns of a dialog meets the same words as one that is given the source."""
    turns = [{"speaker": "sys", "text": "Hello."}, {"speaker": "user", "text": "Find a bus."}]
    acts = [{"act": "REQUEST", "slot": "origin", "values": []}]
    structure = {"kind": "acts", "service": "Buses", "acts": acts, "context": turns}
    (made,) = challenge_set(perturbation("no-punctuation"), [example(source="Find a bus.", input=structure)]).examples
    assert made.source == "Find a bus"
    assert made.input is not None
    assert made.input["context"] == [turns[0], {"speaker": "user", "text": "Find a bus"}]
    (other,) = challenge_set(perturbation("no-punctuation"), [example(source="A bus.", input=structure)]).examples
    assert other.input == structure  # which says something else


@pytest.mark.parametrize(
    ("given", "source", "expected"),
    [
        ({"kind": "concepts", "concepts": ["ball", "run"]}, "ball run", "run ball"),
        ({"kind": "concepts", "concepts": ["ball", "run"]}, "A ball runs.", "A ball runs."),
        (
            {"kind": "slots", "slots": [["name", "Or"], ["food", "fish"]]},
            "name[Or], food[fish]",
            "food[fish], name[Or]",
        ),
    ],
)
def test_a_source_that_is_the_input_follows_it(given: dict[str, Any], source: str, expected: str) -> None:
    (made,) = challenge_set(perturbation("scramble"), [example(source=source, input=given)]).examples
    assert made.source == expected


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("casing", {"kind": "event", "document": ["It rained.", "We left."]}, ["it rained.", "we left."]),
        ("no-punctuation", {"kind": "event", "document": ["It rained.", "We left."]}, ["It rained.", "We left"]),
        ("casing", {"kind": "event", "document": ["Something else."]}, ["Something else."]),
    ],
)
def test_the_document_is_the_source(kind: str, given: dict[str, Any], expected: list[str]) -> None:
    (made,) = challenge_set(perturbation(kind), [example(source="It rained. We left.", input=given)]).examples
    assert made.input is not None
    assert made.input["document"] == expected


def test_spans_keep_their_words() -> None:
    span = {"start": 0, "end": 2, "category": "thing"}
    structure = {"kind": "annotated", "text": "It rained. We left.", "spans": [span]}
    texts = [example(source="It rained. We left.", input=structure)]
    for kind, expected in (("casing", "it rained. we left."), ("no-punctuation", "It rained. We left")):
        (made,) = challenge_set(perturbation(kind), texts).examples
        assert made.input is not None
        assert made.input["text"] == expected
