"""Unpaired inputs by deletion: how many there are, that triples stay connected, and that labelled ones are left out."""

import pytest

from assay.errors import AssayError
from assay.inputs.deletion import MOST, connected, reduced, unpaired
from assay.records.inputs import read_input
from assay.records.kinds import Act, Acts, Slots, Triple, Triples
from assay.records.types import Example

CHAIN = [Triple("A", "p", "B"), Triple("B", "q", "C"), Triple("C", "r", "D")]
STAR = [Triple("A", "p", "B"), Triple("A", "q", "C"), Triple("A", "r", "D")]


def slots(count: int) -> Example:
    pairs = [(f"slot{i}", f"value {i}") for i in range(count)]
    return Example(id=f"s{count}", input=Slots(slots=pairs).plain(), source="x", references=("a text",))


def triples(which: list[Triple]) -> Example:
    return Example(id="t", input=Triples(triples=which).plain(), references=("a text",))


def test_counts_of_the_paper() -> None:
    assert len(reduced(slots(3))) == 6
    assert len(reduced(slots(5), most=100)) == 30
    assert len(reduced(slots(5))) == MOST == 20
    assert len(reduced(triples(CHAIN))) == 5
    assert len(reduced(triples(STAR))) == 6
    assert len(reduced(slots(30))) == MOST


def test_reduced_inputs_are_proper_parts_without_references() -> None:
    made = reduced(slots(5), seed=3)
    assert made == reduced(slots(5), seed=3) != reduced(slots(5), seed=4)
    for one in made:
        assert one.references == ()
        assert one.source is None
        assert one.parent == "s5"
        assert 0 < len(read_input(one, Slots).slots) < 5
    assert len({one.id for one in made}) == len(made)


def test_only_one_component() -> None:
    assert connected(CHAIN)
    assert connected(CHAIN[1:])
    assert not connected([CHAIN[0], CHAIN[2]])
    for one in reduced(triples(CHAIN)):
        assert connected(read_input(one, Triples).triples)


def test_acts_are_parts_and_labelled_inputs_are_left_out() -> None:
    acts = Acts(service="S_1", acts=[Act("OFFER", "price", ["$2"]), Act("REQUEST", "time", [])], context=[])
    whole = Example(id="a", input=acts.plain(), references=("x",))
    first, second = reduced(whole)
    assert unpaired([whole, whole], [whole]) == [first, second]
    assert unpaired([whole], [whole, first]) == [second]


def test_inputs_without_parts_are_refused() -> None:
    with pytest.raises(AssayError, match=r"id n: an input of kind none has no parts"):
        reduced(Example(id="n", source="text"))
