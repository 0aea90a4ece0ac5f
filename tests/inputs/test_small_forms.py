"""Meaning representations, concepts, tables, groups of entities and control tokens."""

# ruff: noqa: E501 -- expected texts are in one piece

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets import dataset
from assay.errors import AssayError
from assay.inputs import FORMS, form
from assay.inputs.controls import (
    character_ratio,
    mask_entities,
    restore_entities,
    similarity,
    strip_controls,
    word_rank,
)
from assay.records import Example, kinds
from assay.records.inputs import read_input, with_input
from tests.conftest import ENTITIES


def _slots(pairs: list[list[Any]], act: str | None = None) -> Example:
    return Example(id="x", input={"kind": "slots", "act": act, "slots": pairs})


def test_slots_are_written_in_all_styles() -> None:
    pairs = [["name", "The Mill"], ["area", "old town"]]
    assert form("slots").render(_slots(pairs)) == "name[The Mill], area[old town]"
    assert form("slots:order=sorted").render(_slots(pairs)) == "area[old town], name[The Mill]"
    assert form("slots:style=pairs").render(_slots(pairs)) == "name: The Mill | area: old town"
    czech: list[list[Any]] = [["area", None], ["name", "U Z"], ["n", "1"]]
    assert form("slots").render(_slots(czech, "inform")) == "inform(area,name='U Z',n=1)"
    assert form("slots:style=pairs").render(_slots(czech, "inform")) == "inform | area | name: U Z | n: 1"


@given(st.lists(st.tuples(st.text("ab C", min_size=1), st.text("xy, 1", max_size=6)).map(list), max_size=5))
def test_slots_can_be_read_back(pairs: list[list[str]]) -> None:
    chosen = form("slots")
    assert chosen.read(chosen.render(_slots(pairs))) == pairs


def test_published_representations_come_back_as_they_were(shared_data: Callable[[str], Path]) -> None:
    chosen = form("slots")
    for name, folder in (("e2e_nlg", "e2e"), ("cs_restaurants", "cs_restaurants")):
        for example in dataset(name).read(shared_data(folder), "test"):
            assert chosen.render(example) == example.source


def test_concepts_are_written_in_all_orders() -> None:
    example = Example(id="x", input={"kind": "concepts", "concepts": ["sit", "cat", "mat"]})
    assert form("concepts").render(example) == "sit cat mat"
    assert form("concepts:order=sorted:separator=#").render(example) == "cat#mat#sit"
    shuffled = form("concepts:order=shuffled:seed=3")
    assert shuffled.render(example) == shuffled.render(example)
    assert sorted(shuffled.read(shuffled.render(example))) == ["cat", "mat", "sit"]
    assert form("source:prefix=p ").render(Example(id="x", source="s")) == "ps"
    with pytest.raises(AssayError, match="id x: no source"):
        form("source").render(Example(id="x"))


def test_forms_say_when_they_cannot_be_read_back() -> None:
    """Nothing is escaped, since models read these texts as published; so the condition has to be stated."""
    two = Example(id="a", input={"kind": "concepts", "concepts": ["ice cream", "dog"]})
    assert form("concepts").read(form("concepts").render(two)) == ["ice", "cream", "dog"]
    assert "if no concept contains the separator" in form("concepts").reversible
    assert form("slots").read(form("slots").render(_slots([["x", "a], b[c"]]))) == [["x", "a"], ["b", "c"]]
    assert "if no value is missing or contains ]" in form("slots").reversible


def _cell(value: str, header: bool = False, wide: int = 1, high: int = 1) -> dict[str, Any]:
    return {"value": value, "is_header": header, "column_span": wide, "row_span": high}


TABLE = Example(
    id="t",
    input={
        "kind": "table",
        "page_title": "Cup",
        "section_title": "Wins",
        "section_text": "Some.",
        "table": [
            [_cell("", True), _cell("Winner", True, wide=2)],
            [_cell("", True), _cell("Name", True), _cell("Place", True)],
            [_cell("1901", True, high=2), _cell("Ada"), _cell("Aby")],
            [_cell("Bob"), _cell("Oby")],
        ],
        "highlighted": [[3, 1], [2, 1]],
    },
)


def test_highlighted_cells_find_their_headers_across_spans() -> None:
    assert form("table").render(TABLE) == (
        "<page_title> Cup </page_title> <section_title> Wins </section_title> <table> "
        "<cell> Ada <col_header> Winner </col_header> <col_header> Name </col_header> <row_header> 1901 </row_header> </cell> "
        "<cell> Oby <col_header> Winner </col_header> <col_header> Place </col_header> <row_header> 1901 </row_header> </cell> "
        "</table>"
    )
    short = form("table:headers=false:section_text=true").render(TABLE)
    assert short.endswith("<section_text> Some. </section_text> <table> <cell> Ada </cell> <cell> Oby </cell> </table>")


def test_published_tables_are_written(shared_data: Callable[[str], Path]) -> None:
    for example in dataset("totto").read(shared_data("totto")):
        text = form("table").render(example)
        structure = read_input(example, kinds.Table)
        for row, column in structure.highlighted:
            assert f"<cell> {structure.table[row][column].value} " in text


def test_a_damaged_span_does_not_eat_the_memory() -> None:
    damaged = with_input(TABLE, table=[[_cell("x", wide=10**9)]], highlighted=[[0, 0]])
    with pytest.raises(AssayError, match="spans are damaged"):
        form("table").render(damaged)


GROUP = Example(
    id="g",
    input={
        "kind": "entities",
        "type": "org",
        "entities": ["Alpha Corp.", "Beta Corp."],
        "background": ["Alpha makes pens.", ""],
        "title": "Pens Sell",
        "context": "Alpha led. Beta sells most.",
    },
)


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("v0", "Alpha makes pens. Pens Sell: Alpha led. Beta sells most. Alpha Corp., Beta Corp."),
        ("va", "Pens Sell: Alpha led. Beta sells most. Alpha Corp., Beta Corp."),
        ("vb", "Alpha makes pens. Alpha Corp., Beta Corp."),
        ("vc", "Alpha Corp., Beta Corp."),
        ("v2", "Information: Alpha makes pens. Article: Pens Sell. Alpha led. Beta sells most. Entity: Alpha Corp. Entity: Beta Corp."),
        ("v3", "<w> Alpha makes pens. <a> Pens Sell. Alpha led. Beta sells most. <e> Alpha Corp. <e> Beta Corp."),
    ],
)  # fmt: skip
def test_groups_of_entities(variant: str, expected: str) -> None:
    assert form(f"entities:variant={variant}").render(GROUP) == expected


def test_all_variants_of_a_published_group() -> None:
    """An invented instance in full."""
    assert form("entities").render(ENTITIES) == (
        "Alpha Corporation is an American multinational technology company. Beta Corporation is a Japanese multinational "
        "technology company which sells consumer electronics. Console Makers Compete Online: Alpha has led the technology "
        "race. Beta sells most consoles. Alpha Corp., Beta Corp."
    )


def test_long_groups_keep_their_end() -> None:
    assert form("entities:words=4").render(GROUP) == "Alpha Corp., Beta Corp."


def test_control_tokens_precede_the_sentence() -> None:
    example = Example(
        id="x",
        source="The village is known for its cultivation of figs.",
        references=("The village is known for growing figs.",),
    )
    assert form("controls").render(example) == f"<NbChars_0.95> <LevSim_0.75> <WordRank_0.75> {example.source}"
    oracle = form("controls:nbchars=oracle:levsim=off:wordrank=off:lower=true").render(example)
    assert oracle == f"<NbChars_0.78> {str(example.source).lower()}"
    assert form("controls").read(form("controls").render(example)) == example.source
    assert strip_controls("plain <b>") == "plain <b>"
    for wrong, message in (("nbchars=much", "a number"), ("depth=oracle", "parser"), ("wordrank=oracle", "ranks=FILE")):
        with pytest.raises(AssayError, match=message):
            form(f"controls:{wrong}").render(example)


def test_control_values_of_the_paper(shared_data: Callable[[str], Path]) -> None:
    """The printed pair is TurkCorpus tune line 5, reference 0: 0.80 and 0.76."""
    examples = dataset("turk").read(shared_data("turkcorpus/tune.truecase.detok.orig"))
    example = [item for _, item in zip(range(5), examples, strict=False)][4]
    text = form("controls:nbchars=oracle:levsim=oracle:wordrank=off").render(example)
    assert text.startswith("<NbChars_0.80> <LevSim_0.76> ")


def test_compression_and_similarity_measures() -> None:
    assert character_ratio("", "x") == 0
    assert character_ratio("ab cd", "ab") == 0.5
    assert similarity("", "") == 1
    assert similarity("abc", "abc") == 1
    assert word_rank("the cat sat", {"cat": 0, "sat": 3}, ["the"]) == pytest.approx(0.75 * 1.3862943611198906)
    assert word_rank("unknown", {"cat": 1}) == 1.0


def test_placeholders_hide_entities_and_give_them_back() -> None:
    text = "Ann Lee met Ann in Oby on 3 May ."
    masked, table = mask_entities(text, [("Ann Lee", "PERSON"), ("Ann", "PERSON"), ("Oby", "GPE"), ("3 May", "DATE")])
    assert masked == "person@1 met person@2 in gpe@1 on date@1 ."
    assert restore_entities(masked, table) == (text, [])
    assert restore_entities("person@1 and product@7", table) == ("Ann Lee and product@7", ["product@7"])


@given(st.lists(st.sampled_from(("A.", "B(", "Ann", "Ann Lee")), max_size=5))
def test_placeholders_are_always_undone(names: list[str]) -> None:
    text = " x ".join(names)
    masked, table = mask_entities(text, [(name, "ORG") for name in names])
    assert restore_entities(masked, table) == (text, [])


def test_every_form_says_what_it_is() -> None:
    for name in FORMS:
        cls = FORMS.get(name)
        assert cls.name == name
        assert cls.about
        assert cls.kind
