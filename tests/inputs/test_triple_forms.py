"""Triples as text, their order as a tree, and masking."""

# ruff: noqa: E501 -- expected texts are in one piece

from __future__ import annotations

import json
from functools import reduce
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.inputs import form
from assay.inputs.masks import MASK, mask_random, mask_strings, mask_triples
from assay.inputs.triples import clean, fallback_type, linearize, split_camel, tree_order
from assay.records import Example
from assay.records.kinds import Triple, Triples

FOOD = [
    ["Antioquia Department", "country", "Colombia"],
    ["Bandeja paisa", "ingredient", "Chorizo"],
    ["Bandeja paisa", "region", "Antioquia Department"],
]
TYPES = {"Antioquia Department": "LOCATION", "Colombia": "location", "Bandeja paisa": "Food", "Chorizo": "SAUSAGE"}
LABELS = {"Antioquia Department": "ORG", "Colombia": "GPE", "Bandeja paisa": "PERSON"}


def _example(triples: list[list[str]], category: str = "") -> Example:
    return Example(id="x", input={"kind": "triples", "triples": triples} | ({"category": category} if category else {}))


@pytest.mark.parametrize(
    ("style", "labels", "expected"),
    [
        ("plain", {}, "Antioquia Department country Colombia Bandeja paisa ingredient Chorizo Bandeja paisa region Antioquia Department"),
        ("tags", {}, "<SUB> Antioquia Department <PRED> country <OBJ> Colombia <SUB> Bandeja paisa <PRED> ingredient <OBJ> Chorizo "
                     "<SUB> Bandeja paisa <PRED> region <OBJ> Antioquia Department"),
        ("types", TYPES, "<LOCATION> Antioquia Department <PRED> country <LOCATION> Colombia <FOOD> Bandeja paisa <PRED> ingredient "
                         "<SAUSAGE> Chorizo <FOOD> Bandeja paisa <PRED> region <LOCATION> Antioquia Department"),
        ("ner", LABELS, "<ORG> Antioquia Department <PRED> country <GPE> Colombia <PERSON> Bandeja paisa <PRED> ingredient "
                        "<UNKNOWN> Chorizo <PERSON> Bandeja paisa <PRED> region <ORG> Antioquia Department"),
    ],
)  # fmt: skip
def test_the_four_linearizations_of_the_figure(
    style: str, labels: dict[str, str], expected: str, tmp_path: Path
) -> None:
    assert linearize(FOOD, style, labels) == expected
    path = tmp_path / "labels.json"
    path.write_text(json.dumps(labels))
    assert form(f"triples:style={style}:labels={path}").render(_example(FOOD)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1990-04-18", "TIMEPERIOD"), ("2004-2006", "TIMEPERIOD"), ("610.0 metres", "MEASUREMENT"), ("610.0", "NUMERIC"),
        ("-6,378", "NUMERIC"), ("Bananaman", "UNKNOWN"), ("1907", "TIMEPERIOD"), ("18 April 1990", "TIMEPERIOD"),
        ('"12 km"', "MEASUREMENT"), ("April", "TIMEPERIOD"), ("", "UNKNOWN"), ("0999", "NUMERIC"),
    ],
)  # fmt: skip
def test_types_without_a_knowledge_base(value: str, expected: str) -> None:
    assert fallback_type(value) == expected


def test_a_bare_year_is_a_switch() -> None:
    assert fallback_type("1907", years=False) == "NUMERIC"
    example = _example([["a", "b", "1907"]])
    assert form("triples:style=types:years=false").render(example) == "<UNKNOWN> a <PRED> b <NUMERIC> 1907"


def test_names_are_cleaned() -> None:
    assert clean('"Al_Anbar Province"@en') == "Al Anbar Province"
    assert split_camel("ethnicGroup") == "ethnic group"
    assert split_camel("elevationAboveTheSeaLevelInFeet") == "elevation above the sea level in feet"
    raw = _example([["Adam_Koc", "birthPlace", '"Lodz"']])
    assert form("triples:style=plain").render(raw) == "Adam Koc birthPlace Lodz"
    assert form("triples:style=plain:clean=false").render(raw) == 'Adam_Koc birthPlace "Lodz"'


WORD = st.text(alphabet="abcXY", min_size=1, max_size=4)
TRIPLES = st.lists(st.tuples(WORD, WORD, WORD).map(list), min_size=1, max_size=6)


@given(TRIPLES)
def test_tags_can_be_read_back(triples: list[list[str]]) -> None:
    chosen = form("triples")
    assert chosen.read(chosen.render(_example(triples))) == triples


@given(TRIPLES)
def test_a_tree_keeps_every_triple_once_and_can_be_read_back(triples: list[list[str]]) -> None:
    ordered = tree_order(triples)
    assert sorted(map(tuple, ordered)) == sorted(map(tuple, triples))
    chosen = form("triple-tree")
    lowered = [[s, split_camel(p), o] for s, p, o in ordered]
    assert chosen.read(chosen.render(_example(triples, "Food"))) == lowered


TREE_CASES: list[tuple[str, list[list[str]], str]] = [
    (
        "Politician",
        [
            ["Poland", "language", "Polish language"],
            ["Adam_Koc", "nationality", "Poland"],
            ["Poland", "ethnicGroup", "Kashubians"],
        ],
        "Politician __sep__ __subj__ Adam Koc __pred__ nationality __obj__ Poland __subj__ Poland __pred__ ethnic group "
        "__obj__ Kashubians __subj__ Poland __pred__ language __obj__ Polish language",
    ),
    (
        "Food",
        [
            ["Arem-arem", "country", "Indonesia"],
            ["Indonesia", "leader", "Joko Widodo"],
            ["Indonesia", "leader", "Jusuf Kalla"],
        ],
        "Food __sep__ __subj__ Arem-arem __pred__ country __obj__ Indonesia __subj__ Indonesia __pred__ leader __obj__ "
        "Joko Widodo __subj__ Indonesia __pred__ leader __obj__ Jusuf Kalla",
    ),
]


@pytest.mark.parametrize(("category", "triples", "expected"), TREE_CASES)
def test_tree_order_of_the_paper(category: str, triples: list[list[str]], expected: str) -> None:
    assert form("triple-tree").render(_example(triples, category)) == expected


def test_light_branches_come_before_heavy_ones_and_cycles_end() -> None:
    triples = [["r", "a", "x"], ["x", "p", "y"], ["r", "b", "leaf"]]
    assert [triple[1] for triple in tree_order(triples)] == ["b", "a", "p"]
    circle = [["a", "p", "b"], ["b", "q", "c"], ["c", "r", "a"]]
    assert tree_order(circle) == circle
    two_roots = [["z", "p", "x"], ["x", "q", "y"], ["a", "p", "b"]]
    assert [triple[0] for triple in tree_order(two_roots)] == ["a", "z", "x"]


@pytest.mark.parametrize("text", ["", "no tags", "<SUB> a <PRED> b", "x <SUB> a <PRED> b <OBJ> c"])
def test_texts_without_tags_cannot_be_read_back(text: str) -> None:
    with pytest.raises(AssayError):
        form("triples").read(text)
    with pytest.raises(AssayError, match="style=tags can"):
        form("triples:style=plain").read(text)


def test_an_invalid_label_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text("[1]")
    with pytest.raises(AssayError, match=r"labels\.json: not a JSON object"):
        form(f"triples:labels={path}").render(_example(FOOD))


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("entity", "[MASK] is the owner of [MASK], built in [MASK], far from [MASK]."),
        ("predicate", "Oda Brook is the [MASK] of Fen Mill, [MASK] 1712, far from Wexley."),
        ("entity+predicate", "[MASK] is the [MASK] of [MASK], [MASK] [MASK], far from [MASK]."),
    ],
)
def test_triples_are_masked_by_part(what: str, expected: str) -> None:
    """A predicate that the sentence does not say hides nothing."""
    triples = [["Fen Mill", "built in", "1712"], ["Fen Mill", "owner", "Oda Brook"], ["Fen Mill", "county", "Wexley"]]
    sentence = "Oda Brook is the owner of Fen Mill, built in 1712, far from Wexley."
    assert mask_triples(sentence, triples, what) == expected


def test_masks_take_whole_words_longest_first() -> None:
    assert mask_strings("New York and Newark, new york!", ["New", "New York"]) == "[MASK] and Newark, [MASK]!"
    assert mask_strings("nothing", []) == "nothing"


@given(st.lists(WORD, min_size=1, max_size=40).map(" ".join), st.integers(0, 3))
def test_random_masks_hide_the_asked_share_and_can_be_undone(sentence: str, seed: int) -> None:
    masked, hidden = mask_random(sentence, seed=seed)
    assert reduce(lambda text, span: text.replace(MASK, span, 1), hidden, masked) == sentence
    assert masked.count(MASK) == len(hidden)
    assert sum(len(span.split(" ")) for span in hidden) == round(0.15 * len(sentence.split(" ")))
    assert mask_random(sentence, seed=seed) == (masked, hidden)


def test_named_entity_tags_need_labels_and_say_what_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="style=ner requires labels=FILE"):
        form("triples:style=ner")
    labels = tmp_path / "labels.json"
    labels.write_text('{"Wexley": "GPE"}', encoding="utf-8")
    chosen = form(f"triples:style=ner:labels={labels}")
    known = Example(id="1", input=Triples(triples=[Triple("Wexley", "near", "Wexley")]).plain())
    other = Example(id="2", input=Triples(triples=[Triple("Wexley", "near", "Fen")]).plain())
    assert chosen.warnings(known) == []
    assert chosen.warnings(other) == ["has entities without a label, written as <UNKNOWN>"]
