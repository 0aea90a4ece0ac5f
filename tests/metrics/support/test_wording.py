"""support: a fact in other words, from the other side, denied until a time, under a condition; phrases of answers."""

from __future__ import annotations

import pytest

from assay.metrics.support.claims import is_checkable, read_sentence
from assay.metrics.support.languages import foreign_items
from assay.records import Example, Items
from assay.records.types import Passage
from tests.metrics.support.test_support import checked

REACTOR = (
    "The Kestrel reactor in Oulu produces 640 megawatts. Chief engineer Aino Laakso said that the pumps had been "
    "replaced in May. Finnvoima sold 35 percent of the plant to the Swedish firm Vattenkraft for 1.2 billion euros. "
    "The prize was not paid out until September. If turnover falls by more than 10 per cent, the rules will be "
    "reviewed. The phone weighs 189 g. Reviewers praised the camera but criticised the battery. "
    "Mata scored 51 goals in 285 games. The ferry sank on 3 March 1998 with 300 people. "
    "Sales are expected to begin in October."
)


@pytest.mark.parametrize(
    "claim",
    [
        "Vattenkraft bought 35 percent of the plant for 1.2 billion euros.",
        "The prize was paid out in September.",
        "According to Aino Laakso, the pumps were replaced in May.",
        "The phone weighs 0.189 kg.",
        "Based on the provided context, the phone weighs 189 g.",
        "The context states that the phone weighs 189 g.",
        "Reviewers liked the camera but not the battery.",
        "Sales are due to begin in October.",
        "In 285 games, Mata scored 51 goals.",
    ],
)
def test_true_statements(claim: str) -> None:
    (one,) = checked(claim, REACTOR)
    assert (one.verdict, one.reason) == ("supported", "")


@pytest.mark.parametrize(
    ("claim", "verdict", "reason"),
    [
        ("Finnvoima bought 35 percent of the plant from Vattenkraft.", "contradicted", "opposite stated (bought"),
        ("The prize was paid out before September.", "contradicted", "negated"),
        ("Turnover fell by more than 10 per cent.", "unsupported", "uncertain in the source, stated as fact"),
        ("The Kestrel reactor produces 640 kilowatts.", "contradicted", "number or unit differs (640 kilowatts: the"),
        ("The ferry sank with two hundred people.", "contradicted", "number or unit differs (two hundred: the"),
        ("The ferry sank in March 1999.", "contradicted", "number or unit differs (1999: the evidence has 1998)"),
        ("Mata scored 285 goals in 51 games.", "contradicted", "number or unit differs (285: the evidence has 51)"),
        ("Sales began in October.", "unsupported", "uncertain in the source, stated as fact"),
    ],
)
def test_reasons(claim: str, verdict: str, reason: str) -> None:
    (one,) = checked(claim, REACTOR)
    assert (one.verdict, one.reason[: len(reason)]) == (verdict, reason)


def test_a_lead_keeps_the_offsets() -> None:
    text = "Hm. According to the documents, the phone weighs 190 g."
    one = checked(text, REACTOR)[-1]
    assert text[one.claim.sentence.start : one.claim.sentence.end] == one.claim.sentence.text
    assert one.verdict == "contradicted"


@pytest.mark.parametrize(
    ("text", "checkable"),
    [
        ("The provided context does not mention who built the phone.", False),
        ("Unfortunately, the documents don't say who built it.", False),
        ("There is no information about the builder.", False),
        ("I'm sorry, but I cannot say who built it.", False),
        ("The document mentions the builder of the ferry.", True),
        ("The text of the law does not apply to ferries.", True),
        ("The company did not mention the sale.", True),
    ],
)
def test_statements_about_what_is_missing(text: str, checkable: bool) -> None:
    assert is_checkable(read_sentence(text)) is checkable


def test_german_items_that_are_short_one_by_one() -> None:
    """Rules of English called them unsupported."""
    pairs = [
        ("Der Umsatz betrug im Jahr sieben Millionen Euro.", "Das Jahr war gut: vier Millionen Euro Umsatz."),
        ("Umsatz: 7 Millionen", "Der Umsatz betrug 4 Millionen."),
        ("Berlin und Bonn", "Bonn ist klein."),
    ]
    items = Items(
        tuple(output for output, _ in pairs),
        tuple(Example(id=str(i), contexts=(Passage("c", text),)) for i, (_, text) in enumerate(pairs)),
    )
    assert [language for _, language in foreign_items(items)] == ["German"] * 3
    assert not foreign_items(Items(items.outputs[2:], items.examples[2:]))
    english = Items(
        ("Paris.", "The sum of the cats is that."), (Example(id="1", source="x"), Example(id="2", source="y"))
    )
    assert not foreign_items(english)
