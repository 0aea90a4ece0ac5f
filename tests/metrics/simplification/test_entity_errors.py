"""Errors in names, numbers and dates: the published kinds of error, each in a synthetic sentence."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import assay
from assay.metrics import resolve
from assay.text.antonyms import antonyms
from assay.text.wordnet import wordnet_folder
from tests.support import each, score

WORDNET = pytest.mark.skipif(wordnet_folder() is None, reason="needs WordNet (wordnet-base)")
SOURCES = [
    "Harlan and his wife were glad to have Edith Rose Harlan on May 12 , 2008.",
    "Brunnow is the capital of the district.",
    "Cheese is a dairy product made from milk.",
    "The way to Brunnow is very very difficult.",
    "In spring Edith Rose moved to Brunnow with 40 people.",
]
OUTPUTS = [
    "Harlan and his wife , Dora Rose Harlan on May 12 , 2007 .",
    "It is the main city of the country .",
    "Cheese is made from product@1.",
    "The way to Brunnow is very very simple .",
    "Edith Rose moved.",
]


def test_every_kind_of_error_is_distinguished() -> None:
    actual = {
        name.removeprefix("entity_errors."): values
        for name, values in each("entity_errors", OUTPUTS, None, SOURCES).items()
    }
    assert actual["entity_errors"] == [1, 0, 1, 0, 0]  # dropping a name is not an error of a simplification
    assert actual["numbers"] == [1, 0, 0, 0, 0]
    assert actual["placeholder"] == [0, 0, 1, 0, 0]
    assert actual["pronoun"] == [0, 1, 0, 0, 0]
    assert actual["changed"][0] == pytest.approx(actual["invented"][0])
    assert actual["kept"][4] == pytest.approx(1 / 3)  # Edith Rose; not Brunnow, not 40
    assert actual["invented"][4] == 0
    lower = each("entity_errors", [text.lower() for text in OUTPUTS], None, SOURCES)
    assert lower["entity_errors.numbers"][0] == 1
    assert lower["entity_errors.kept"][4] == pytest.approx(1 / 3)


@WORDNET
def test_a_word_replaced_by_its_opposite() -> None:
    assert each("entity_errors", OUTPUTS, None, SOURCES)["entity_errors.antonym"] == [0, 0, 0, 1, 0]
    folder = wordnet_folder()
    assert folder is not None
    assert {"easy", "simple"} <= antonyms(folder)["difficult"]
    assert "cold" in antonyms(folder)["hot"]
    assert "warm" not in antonyms(folder)["hot"]


def test_a_text_of_the_source_is_no_placeholder_that_was_left() -> None:
    same = each("entity_errors", ["Write to Team@1 today."], None, ["Please write to team@1 today."])
    assert same["entity_errors.placeholder"] == [0]


def test_a_capitalized_placeholder_is_neither_name_nor_number() -> None:
    small, capital = (
        each("entity_errors", [f"Cheese is from {one}."], None, [SOURCES[2]]) for one in ("product@7", "Product@7")
    )
    assert repr(capital) == repr(small)
    assert capital["entity_errors.placeholder"] == [1]
    assert capital["entity_errors.numbers"] == [0]


def test_the_signature_identifies_wordnet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Scores stored without WordNet are not reused with it."""
    here = resolve("entity_errors")[0].metric.signature("1")
    (tmp_path / "index.noun").write_text("")  # nouns of WordNet without antonyms
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path))
    metric = resolve("entity_errors")[0].metric
    assert "|wordnet:none|" in metric.signature("1")
    assert ("|wordnet:none|" in here) == (antonym_value() is None)
    assert score("entity_errors", OUTPUTS, None, SOURCES)["entity_errors"] == pytest.approx(2 / 5)


def antonym_value() -> float | None:
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("WNSEARCHDIR", raising=False)
        return (
            assay.score(OUTPUTS, sources=SOURCES, metrics="entity_errors.antonym").scores["entity_errors.antonym"].value
        )


def test_a_set_is_the_sum_of_its_mentions() -> None:
    whole = score("entity_errors", OUTPUTS, None, SOURCES)
    assert whole["entity_errors"] == pytest.approx(2 / 5)
    assert whole["entity_errors.kept"] + whole["entity_errors.dropped"] == pytest.approx(1)
    nothing = score("entity_errors", ["it is so"], None, ["that is so"])
    assert math.isnan(nothing["entity_errors.kept"])
    copied = score("entity_errors", SOURCES, None, SOURCES)
    assert (copied["entity_errors"], copied["entity_errors.kept"]) == (0, 1)


def test_limitations_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    result = assay.score(["edith moved."], sources=["Edith moved."], metrics="entity_errors")
    assert any("1 of 1 outputs have no capital letters" in note for note in result.notes)
    german = [assay.Example(id="1", source="Edith kam.", language="de")]
    (skipped,) = assay.score({"1": "Edith."}, examples=german, metrics="ttr,entity_errors").skipped
    assert "its rules are English, but 1 of" in skipped.why
    monkeypatch.setattr("assay.metrics.simplification.entity_errors.wordnet_folder", lambda: None)
    bare = assay.score(["a b"], sources=["a c"], metrics="entity_errors.antonym").scores["entity_errors.antonym"]
    assert bare.why == "WordNet is not installed (on Debian: apt install wordnet-base)"
