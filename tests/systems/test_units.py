"""Concepts, roles and variables of a structure are one token each; texts by character are written without loss."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from assay.challenges.drs_clauses import PHENOMENA
from assay.datasets.synthetic_drs import Event, clauses, sentence, synthetic_drs
from assay.errors import AssayError
from assay.execution.training.kinds import read_recipe
from assay.inputs import form
from assay.inputs.drs import absolute, relative
from assay.records.types import Example

pytest.importorskip("torch")

from assay.systems.neural.build_model import build_model
from assay.systems.neural.units import split_units, unit_tokens


@pytest.fixture(scope="module")
def structures() -> list[Example]:
    return synthetic_drs(120)


def written(examples: list[Example]) -> list[str]:
    chosen = form("drs")
    return [text for example in examples for text in (chosen.render(example), *example.references)]


def test_concepts_are_one_token_and_names_are_characters(structures: list[Example]) -> None:
    kind, recipe = read_recipe("seq2seq:drs:model=tiny")
    units = unit_tokens(structures, None)
    assert {" male.n.02", " Agent", " NEGATION", " $-1", "$NEW"} <= set(units)
    _, tokenizer = build_model(recipe, written(structures), kind=kind, units=units)
    ids = tokenizer("$NEW REF $0 Name @0 z o r $-1 male.n.02 @0").input_ids
    assert tokenizer.convert_ids_to_tokens(ids)[:5] == ["$NEW", " REF", " $0", " Name", " @0"]
    assert " male.n.02" in tokenizer.convert_ids_to_tokens(ids)
    assert split_units(tokenizer, structures, None)[0] < 10
    for text in ("Zora does not have 31 Names.", "The Agent sees 'now'.", "Ça va ? REF"):
        again = tokenizer(text_target=text).input_ids
        assert tokenizer.decode(again[:-1]).strip() == text
    plain = tokenizer("Zora").input_ids
    assert len(plain) == len("Zora") + 1  # by character, with the end


def test_rare_units_are_spelt_out(structures: list[Example]) -> None:
    once = Example(id="once", references=("A gnu.",), input={"kind": "drs", "clauses": [["b1", "gnu", '"n.01"', "x1"]]})
    assert " gnu.n.01" not in unit_tokens([*structures, once], None)
    assert " gnu.n.01" in unit_tokens([*structures, once, once], None)
    assert unit_tokens([Example(id="text", source="male.n.02 Agent", references=("x",))], None) == []


def test_characters_need_a_new_tokenizer(tmp_path: Path) -> None:
    _, recipe = read_recipe(f"seq2seq:characters=true:model={tmp_path}")
    with pytest.raises(AssayError, match="characters=true needs a new tokenizer"):
        build_model(recipe, ["a"])


def test_synthetic_structures_mean_their_sentence(structures: list[Example]) -> None:
    event = Event("Perine", "female", "buy", "future", True, 12, "apple", "market")
    assert sentence(event) == "Perine will not buy 12 apples at the market."
    made = clauses(event)
    assert ["b2", "NEGATION", "b3"] in made
    assert ["b2", "TPR", '"now"', "t1"] in made
    assert ["b3", "Quantity", "x2", '"12"'] in made
    assert sentence(event._replace(tense="past", negated=False, quantity=1)) == "Perine bought an apple at the market."
    assert len(absolute(relative(made))) == len(made)
    assert {example.split for example in structures} == {"train", "validation", "test"}
    assert all(one.input != two.input for one, two in pairwise(structures))
    assert set(PHENOMENA)
