"""Inputs: kept as written whatever they are, typed where somebody needs a kind; what does not fit is named."""

from __future__ import annotations

import math
import pickle
from contextlib import suppress
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from assay.errors import AssayError
from assay.records import (
    Example,
    digest_of,
    inputs,
    kind_of,
    kinds,
    known_input,
    read_examples,
    read_input,
    texts_of,
    with_input,
    write_jsonl,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abké_", max_size=4), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
NAMES = st.sampled_from([*kinds.OURS, "type", "sentence", "x"])
OBJECTS = st.dictionaries(
    st.sampled_from(["type", "slots", "document", "candidates", "triples", "x"]), JSON, max_size=4
)


def example(**fields: Any) -> Example:
    return Example(id="e17", input=fields)


@given(OBJECTS, st.none() | NAMES, st.booleans())
def test_any_object_comes_back_as_it_was(fields: dict[str, Any], kind: str | None, first: bool) -> None:
    if kind is not None:
        fields = {"kind": kind, **fields} if first else {**fields, "kind": kind}
    line = msgspec.json.encode({"id": "a", "references": ["r"], "input": fields})
    read = msgspec.json.decode(line, type=Example)
    assert msgspec.json.encode(read) == line
    assert list(read.input or ()) == list(fields)
    assert digest_of([read]) == digest_of([{"id": "a", "references": ["r"], "input": fields}])
    assert pickle.loads(pickle.dumps(read)) == read
    with suppress(AssayError):  # asking for a type changes nothing
        known_input(read)
    assert msgspec.json.encode(read) == line


def test_files_are_written_again_as_they_were(tmp_path: Any) -> None:
    path, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    rows = [
        b'{"id":"a","references":["r"],"input":{"z":1,"type":"sentence","a":null,"more":{"b":[1.50,2]}}}',
        b'{"id":"b","references":["r"],"input":{"kind":"unheard","x":[]}}',
        b'{"id":"c","references":["r"],"input":{"triples":[],"kind":"triples","mine":true}}',
        b'{"id":"d","references":["r"],"input":{}}',
    ]
    path.write_bytes(b"\n".join(rows) + b"\n")
    write_jsonl(again, read_examples(path).examples)
    assert again.read_bytes() == path.read_bytes().replace(b"1.50", b"1.5")


def test_typed_access() -> None:
    facts = read_input(example(kind="triples", triples=[["a", "b", "c"]], mine=1), kinds.Triples)
    assert (facts.triples[0].subject, facts.triples[0].object, facts.category) == ("a", "c", "")
    assert read_input(example(kind="slots", slots=[["a", None], ["b", 2]]), kinds.Slots).slots == [
        ("a", None),
        ("b", 2),
    ]
    ranking = read_input(example(kind="whatever", candidates=["a", "b"], labels=[True, 0]), inputs.Candidates)
    assert ranking.labels == [True, 0]
    event = read_input(example(kind="event", template={"a": "x", "b": ["y", "z"], "c": None, "d": 3}), kinds.Event)
    assert [event.fillers(slot) for slot in "abcde"] == [["x"], ["y", "z"], [], ["3"], []]


def test_what_kind_it_is() -> None:
    assert [kind_of(one) for one in (Example(id="a"), example(), example(kind=3), example(type="slots"))] == [""] * 4
    assert kind_of(example(kind="unheard")) == "unheard"
    assert known_input(example(kind="unheard")) is None
    assert known_input(example(type="slots", slots={})) is None
    assert known_input(example(kind="concepts", concepts=["a"])) == kinds.Concepts(concepts=["a"])


@pytest.mark.parametrize(
    ("fields", "shape", "message"),
    [
        ({"kind": "slots"}, kinds.Triples, "id e17: needs an input of kind triples; this one has slots"),
        ({}, kinds.Choice, "id e17: input.prefix is missing; prefix needs the text before the continuation"),
        (
            {"kind": "triples", "triples": [["a", "b", "c"], ["a", "b", "c"], ["a", "b"]]},
            kinds.Triples,
            "id e17: input.triples[2] has 2 entries, not 3; triples needs lists of subject, predicate and object",
        ),
        ({"kind": "triples", "triples": [["a", 2, "c"]]}, kinds.Triples, "input.triples[0][1] is an integer"),
        ({"kind": "triples", "triples": {"a": "b"}}, kinds.Triples, "input.triples is an object, not a list"),
        ({"kind": "acts", "service": "s", "acts": [{"act": "A"}]}, kinds.Acts, "input.acts[0].slot is missing"),
        ({"kind": "entities", "entities": ["a"]}, kinds.Entities, "input.background is missing; background needs a"),
        ({"kind": "event", "template": {"weapon": [1]}}, kinds.Event, "input.template.weapon: is neither a string nor"),
        ({"kind": "choice", "prefix": "", "positive": " ", "negative": "a"}, kinds.Choice, "input.positive: is empty"),
        ({"kind": "drs", "clauses": [["b", "REF"]]}, kinds.Drs, "input.clauses[0]: has 2 entries"),
        (
            {"kind": "table", "table": [[{"value": "a"}]], "highlighted": [[0, 1]]},
            kinds.Table,
            "input.highlighted[0]: is not a cell",
        ),
        ({"candidates": ["a", "a"], "labels": [0, 1]}, inputs.Candidates, "input.candidates: one is repeated"),
        ({"candidates": ["a"], "labels": [2]}, inputs.Candidates, "input.labels: must be 0 or 1 for each of the 1"),
        ({"candidates": ["a"], "labels": [0]}, inputs.Candidates, "input.labels: no candidate is gold"),
    ],
)  # fmt: skip
def test_a_bad_input_names_id_and_field(fields: dict[str, Any], shape: type[msgspec.Struct], message: str) -> None:
    with pytest.raises(AssayError) as error:
        read_input(example(**fields), shape)
    assert message in str(error.value)
    assert str(error.value).startswith("id e17: ")


def test_a_field_that_cannot_be_meant_is_refused_where_it_is_made() -> None:
    with pytest.raises(AssayError, match="positive: is empty"):
        kinds.Choice(prefix="", positive="", negative="a")
    with pytest.raises(AssayError, match="id a: needs an input of kind choice; it has no structured input"):
        read_input(Example(id="a"), kinds.Choice)


def test_documents_and_changes() -> None:
    assert texts_of(Example(id="a", source="s"), "document") is None
    assert texts_of(example(document="one text"), "document") is None
    held = example(z=1, document=["a", "b"], kind="event")
    assert texts_of(held, "document") == ["a", "b"]
    assert with_input(held, document=["a"]).input == {"z": 1, "document": ["a"], "kind": "event"}
    assert held.input == {"z": 1, "document": ["a", "b"], "kind": "event"}
    with pytest.raises(AssayError, match=r"input\.document\[1\] is not a string"):
        texts_of(example(document=["a", 1]), "document")


@pytest.mark.parametrize("kind", kinds.OURS.values())
def test_every_kind_says_what_its_fields_need(kind: type[kinds.Input]) -> None:
    assert kind.__doc__
    assert all(field.needs for field in inputs.fields_of(kind))


def test_what_is_made_is_as_files_have_it() -> None:
    made = kinds.Triples(triples=[kinds.Triple("a", "b", "c")])
    assert made.plain() == {"kind": "triples", "triples": [["a", "b", "c"]]}  # what is not said is not written
    assert kinds.Slots(slots=[("a", None)]).plain() == {"kind": "slots", "act": None, "slots": [["a", None]]}
    assert read_input(Example(id="a", input=made.plain()), kinds.Triples) == made
    assert kinds.Judged(human={"a": math.pi}).plain() == {"kind": "judged", "human": {"a": math.pi}}


def test_a_kind_of_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs.KINDS, "_added", {})

    @inputs.register
    class Recipe(kinds.Input, frozen=True):
        """How to cook something."""

        steps: Annotated[list[str], Meta(description="what to do, one text a step")]
        minutes: int = 0

    held = example(kind="recipe", steps=["boil"], salt="a pinch")
    assert known_input(held) == Recipe(steps=["boil"])
    with pytest.raises(AssayError, match=r"id e17: input\.steps is missing; steps needs what to do, one text a step"):
        known_input(example(kind="recipe"))
    with pytest.raises(AssayError, match="kind of input recipe already exists"):
        inputs.register(Recipe)


def test_a_type_is_no_kind_and_the_error_says_so() -> None:
    example = Example(id="a", input={"type": "dialog-acts", "acts": [{"act": "REQUEST"}]})
    with pytest.raises(AssayError, match=r'input.triples is missing; .*"type": "dialog-acts" but no "kind"'):
        read_input(example, kinds.Triples)
    named = Example(id="a", input={"kind": "slots", "type": "x", "slots": 3})
    with pytest.raises(AssayError, match=r"^id a: input.slots is (?!.*names no kind)"):
        read_input(named, kinds.Slots)
