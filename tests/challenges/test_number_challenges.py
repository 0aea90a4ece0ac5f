"""Other numbers, and numbers in other forms: what changes, what follows, and what is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from assay.challenges import perturbation
from assay.challenges.perturbation import challenge_set
from assay.records import Example
from assay.records.inputs import read_input
from assay.records.kinds import Triples
from assay.text.cardinals import cardinals


def changed(spec: str, seed: int = 0, **fields: Any) -> Example | None:
    made = challenge_set(perturbation(spec), [Example(id="a", **fields)], seed=seed).examples
    return made[0] if made else None


def objects(made: Example) -> list[str]:
    return [part.object for part in read_input(made, Triples).triples]


def triples(*parts: tuple[str, str, str]) -> dict[str, Any]:
    return {"kind": "triples", "triples": [list(each) for each in parts]}


@pytest.mark.parametrize("seed", range(5))
def test_a_reference_follows_where_the_number_stands_once(seed: int) -> None:
    structure = triples(("Or Wexley", "elevation", "53.0"), ("Or Wexley", "runway", "1,250"))
    references = ("Or Wexley lies 53 m high and has 1250 m.", "It has 53 trees, 53 m high, and 1,250 m.", "A town.")
    made = changed("numbers", seed, input=structure, references=references)
    assert made is not None
    high, runway = objects(made)
    assert high != "53.0"
    assert 0 <= float(high) <= 100
    assert len(high.partition(".")[2]) == 1
    assert made.references[0] == f"Or Wexley lies {high.removesuffix('.0')} m high and has {runway.replace(',', '')} m."
    assert made.references[1:] == references[1:]
    assert made.tags["references_updated"] == "1 of 3"
    assert made.tags["numbers"] == f"53.0 -> {high}; 1,250 -> {runway}"


def test_one_number_in_two_places_stays_one() -> None:
    made = changed("numbers", input=triples(("A", "trains", "7"), ("B", "trains", "7")), source="A has 7 and B 7.")
    assert made is not None
    a, b = objects(made)
    assert a == b != "7"
    assert made.source == f"A has {a} and B {a}."


@pytest.mark.parametrize(
    ("predicate", "value", "changes"),
    [
        ("foundingYear", "1961", False),
        ("birthDate", "1961-02-03", False),
        ("population", "1961", True),
        ("aircraft", "Or-52", False),
        ("selectedByNasa", "1969", False),
        ("areaCode", "01325", False),
        ("crew", "thirteen", True),
    ],
)
def test_years_dates_and_names_stay(predicate: str, value: str, changes: bool) -> None:
    assert (changed("numbers", input=triples(("A", predicate, value))) is not None) == changes


def test_sources_and_years_on_request() -> None:
    assert changed("numbers", source="It was in 1984.") is None
    made = changed("numbers:years=true", source="It was in 1984.")
    assert made is not None
    assert made.source != "It was in 1984."
    assert made.tags["numbers"].startswith("1984 -> ")
    assert "references_updated" not in made.tags


@pytest.mark.parametrize(
    ("to", "text", "expected"),
    [
        ("other", "1,250 of 1250000 and twelve of 12", "1250 of 1,250,000 and 12 of twelve"),
        ("grouped", "12500 and twelve", "12,500 and twelve"),
        ("plain", "12,500.5 and twelve", "12500.5 and twelve"),
        ("words", "352 dogs in 1984", "three hundred fifty-two dogs in 1984"),
        ("digits", "Forty-two and 7", "42 and 7"),
        ("other", "2.50 or B-52 on 5 May 1961", None),
    ],
)
def test_another_form_keeps_the_value(to: str, text: str, expected: str | None) -> None:
    made = changed(f"number-format:to={to}", source=text, references=("It has twelve.",))
    assert (made.source if made else None) == expected
    if made and made.source:
        before, after = ([each.value for each in cardinals(each, years=True)] for each in (text, made.source))
        assert before == after
        assert made.references == ("It has twelve.",)


@pytest.mark.parametrize(
    ("to", "expected"),
    [("lower", "a café in  or wexley"), ("upper", "A CAFÉ IN  OR WEXLEY"), ("title", "A Café In  Or Wexley"),
     ("swap", "a CAFÉ IN  oR wEXLEY")],
)  # fmt: skip
def test_letter_case_is_changed(to: str, expected: str) -> None:
    made = changed(f"casing:to={to}", source="A café in  Or Wexley")
    assert made is not None
    assert made.source == expected


def test_letter_case_of_input_values_is_changed() -> None:
    structure = {"kind": "acts", "service": "s", "acts": [{"act": "INFORM", "slot": "city", "values": ["Or Wexley"]}],
             "context": []}  # fmt: skip
    made = changed("casing:on=input", input=structure)
    assert made is not None
    assert made.input == {**structure, "acts": [{"act": "INFORM", "slot": "city", "values": ["or wexley"]}]}
    table = {"kind": "table", "table": [[{"value": "Name"}, {"value": "Ada"}]], "highlighted": [[0, 1]]}
    made = changed("casing:on=input", input=table)
    assert made is not None
    assert made.input == {**table, "table": [[{"value": "Name"}, {"value": "ada"}]]}


def test_a_unit_may_cling_to_a_number_of_a_reference() -> None:
    references = ("Ada weighs 70.308kg.", "She weighs 70.308 kg.", "The 70.308th one.")
    made = changed("numbers", input=triples(("Ada", "weight", "70.308")), references=references)
    assert made is not None
    (weight,) = objects(made)
    assert made.references == (f"Ada weighs {weight}kg.", f"She weighs {weight} kg.", references[2])


def test_words_of_other_languages_are_no_english_numbers() -> None:
    source = "Ten starosta koupil 1250 stromů a 7 lodí."  # Czech: `that`
    made = changed("numbers", source=source, language="cs")
    assert made is not None
    assert made.source is not None
    assert made.source.startswith("Ten starosta koupil ")
    assert changed("number-format", source=source, language="cs") is None  # 1,250 is no thousand in Czech
    assert changed("number-format", source="Ten people bought 1250 trees.", language="en-GB") is not None
