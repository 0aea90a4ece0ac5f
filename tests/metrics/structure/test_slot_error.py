"""Values of inputs that outputs say, leave out, add or repeat: by hand, in many forms, and in published outputs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.metrics.structure.slot_forms import e2e_forms, read_forms
from assay.metrics.structure.slot_values import compare_values
from assay.records import Example, kinds
from assay.text.phrases import Phrases, plain_words, read_pattern
from tests.conftest import Call, write_jsonl


def restaurant(**slots: str) -> Example:
    pairs: list[tuple[str, kinds.Value]] = [(name.replace("_", " "), value) for name, value in slots.items()]
    return Example(id="1", input=kinds.Slots(slots=pairs).plain(), language="en")


def facts(*triples: tuple[str, str, str], references: tuple[str, ...] = ()) -> Example:
    given = kinds.Triples(triples=[kinds.Triple(*triple) for triple in triples])
    return Example(id="1", input=given.plain(), references=references, language="en")


def said(example: Example, output: str) -> tuple[set[str], set[str], set[str]]:
    """Values that are left out, added and said twice, as slot=value."""
    found = compare_values(example, output, e2e_forms())
    missing, added, repeated = ({"=".join(each) for each in group} for group in found[1:])
    return missing, added, repeated


ALL = restaurant(
    name="Aromi", eatType="pub", food="Chinese", priceRange="less than £20", customer_rating="5 out of 5",
    area="riverside", familyFriendly="yes", near="Raja Indian Cuisine",
)  # fmt: skip


@pytest.mark.parametrize(
    "output",
    [
        "Aromi is a cheap, highly rated pub with Chinese food by the river near Raja Indian Cuisine. Kids are welcome.",
        "Near Raja Indian Cuisine, the child-friendly Aromi pub has Chinese meals for under £20; 5/5 stars. Riverside.",
        "AROMI has a customer rating of five out of five and low prices. It's a Chinese pub, riverside, close to Raja "
        "Indian Cuisine, and family friendly.",
    ],
)
def test_a_text_that_says_everything(output: str) -> None:
    assert said(ALL, output)[:2] == (set(), set())


@pytest.mark.parametrize(
    ("output", "missing", "added"),
    [
        ("Aromi is near Raja Indian Cuisine.",
         {"food", "priceRange", "customer rating", "area", "familyFriendly", "eatType"}, set()),
        ("Aromi, a pub with Chinese food by the river near Raja Indian Cuisine, is expensive, poorly rated and not "
         "family friendly.", {"priceRange", "customer rating", "familyFriendly"},
         {"pricerange=high", "customer rating=low", "familyfriendly=no"}),
        ("Aromi is a cheap family friendly 5 star pub with Chinese and Italian food by the river in the city centre "
         "near Raja Indian Cuisine.", set(), {"food=Italian", "area=city centre"}),
        ("", {"name", "eatType", "food", "priceRange", "customer rating", "area", "familyFriendly", "near"}, set()),
    ],
)  # fmt: skip
def test_omissions_and_additions(output: str, missing: set[str], added: set[str]) -> None:
    found = said(ALL, output)
    assert {each.split("=")[0] for each in found[0]} == missing
    assert found[1] == added


@pytest.mark.parametrize(
    ("slot", "value", "text", "other"),
    [
        ("familyFriendly", "no", "It is not kid friendly.", "It is kid friendly."),
        ("familyFriendly", "no", "Adults only.", "Families are welcome."),
        ("priceRange", "moderate", "The price range is £20-25.", "Prices are over £30."),
        ("priceRange", "high", "It is in the high price range.", "It has a high customer rating."),
        ("customer rating", "high", "It is rated 5 out of 5.", "It has high prices."),
        ("customer rating", "average", "A rating of 3 out of 5 stars.", "A rating of 5 stars."),
        ("customer rating", "low", "A good rating.", "An excellent rating."),
        ("area", "city centre", "In the heart of the city.", "By the river."),
        ("food", "Fast food", "They serve fast-food.", "They serve sushi."),
    ],
)
def test_values_are_told_apart(slot: str, value: str, text: str, other: str) -> None:
    example = restaurant(**{"name": "Aromi", slot: value})
    assert said(example, f"Aromi. {text}")[:2] == (set(), set())
    assert said(example, f"Aromi. {other}")[0] == {f"{slot}={value}"}


def test_a_name_is_no_value() -> None:
    """What is called Raja Indian Cuisine serves what it will; everybody calls a pub a restaurant."""
    example = restaurant(name="Aromi", food="French", near="Raja Indian Cuisine")
    assert said(example, "Aromi, near Raja Indian Cuisine, is a French restaurant.") == (set(), set(), set())


def test_repeated_values() -> None:
    example = restaurant(name="Aromi", area="riverside", food="Chinese")
    found = said(example, "Aromi is in the riverside area. It has Chinese food and is on the riverside.")
    assert found == (set(), set(), {"area=riverside"})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1923-11-18", "He was born on November 18, 1923."),
        ("1923-11-18", "He was born on the 18th of November 1923."),
        ("1989-01-01", "It began in 1989."),
        ("610.0", "It lies 610 metres above the sea."),
        ("16800", "There are 16,800 students."),
        ("54.56", "It lasts 54:56."),
        ("11.51", "About 11.5 of them."),
        ("3", "She was the third director."),
        ("United_States", "He lived in the U.S. and wrote."),
        ("United_States", "She is an American."),
        ("Italy", "The Italian town."),
        ("Rock_music", "They play rock."),
        ("Robert_A._M._Stern", "Built by Robert A.M. Stern."),
        ("Ray_Griggs_(director)", "It was made by Ray Griggs."),
        ("Amund_Bjørklund", "By Amund Bjorklund."),
        ("Austin, Texas", "It is in Austin in the state of Texas."),
        ("MotorSport_Vision", "Run by MotorSport Vision."),
        ("motorSport", "It is a motor sport."),
    ],
)
def test_open_values_in_other_words(value: str, text: str) -> None:
    assert said(facts(("Ada", "has", value)), f"Ada. {text}")[0] == set()
    assert said(facts(("Ada", "has", value)), "Ada has nothing of it.")[0] == {f"has={value}"}


def test_entities_of_triples_count_once_and_numbers_from_nowhere_are_added() -> None:
    example = facts(("Ada", "bornIn", "London"), ("Ada", "field", "Mathematics"), ("London", "population", "8900000"))
    found = compare_values(example, "Ada was born in London in 1815.", e2e_forms())
    assert [tuple(each) for each in found.expressed] == [("subject", "Ada"), ("bornIn", "London")]
    assert [tuple(each) for each in found.missing] == [("field", "Mathematics"), ("population", "8900000")]
    assert [tuple(each) for each in found.added] == [("number", "1815")]
    known = facts(("Ada", "bornIn", "London"), references=("Ada was born in 1815 in London.",))
    assert said(known, "Ada was born in London in 1815.")[1] == set()
    titled = facts(("[TABLECONTEXT]", "[TITLE]", "A list of towns"), ("[TABLECONTEXT]", "town", "Wexley"))
    assert said(titled, "The town is Wexley.") == (set(), set(), set())


def test_dialog_acts() -> None:
    acts = [
        kinds.Act("INFORM", "phone", ["408-247-8880"]), kinds.Act("REQUEST", "city", []),
        kinds.Act("OFFER", "wifi", ["True"]), kinds.Act("OFFER_INTENT", "intent", ["BuyTicket"]),
        kinds.Act("INFORM_COUNT", "count", ["4"]),
    ]  # fmt: skip
    example = Example(id="1", input=kinds.Acts(service="s", acts=acts, context=[]).plain(), language="en")
    assert said(example, "I found four of them. Call 408 247 8880.") == (set(), set(), set())
    assert said(example, "Call them.")[0] == {"phone=408-247-8880", "count=4"}


def test_given_forms(tmp_path: Path) -> None:
    path = tmp_path / "forms.json"
    table = {
        "food": {"Mexican": ["mexický\tmexická\tAA", "mexický\tmexického\tAA"], "Czech": ["český\tčeská\tAA"]},
        "name": {"Místo": ["Místo\tMísto\tNN", "Místo\tMísta\tNN"]},
    }
    path.write_text(json.dumps(table), encoding="utf-8")
    forms = read_forms(str(path))
    example = Example(
        id="1", language="cs", input=kinds.Slots(act="inform", slots=[("food", "Mexican"), ("x", None)]).plain()
    )
    assert not compare_values(example, "Podnik nabízí mexická jídla .", forms).missing
    assert compare_values(example, "Podnik nabízí česká jídla .", forms)[1:3] == (
        [("food", "Mexican")],
        [("food", "Czech")],
    )
    assert not compare_values(example, "Je to místo , kde mají mexická jídla .", forms).added
    assert compare_values(example, "Restaurace Místo má mexická jídla .", forms).added == [("name", "Místo")]
    signature = (
        assay.score(["x"], examples=[example], metrics=f"slot_error:forms={path}").scores["slot_recall"].signature
    )
    assert signature.startswith("slot_error|forms:")
    assert signature != "slot_error|forms:e2e"


@pytest.mark.parametrize("text", ["[]", '{"food": ["x"]}', '{"food": {"x": "y"}}', "{"])
def test_a_file_of_no_forms_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "forms.json").write_text(text)
    with pytest.raises(assay.AssayError, match=r"forms\.json"):
        read_forms(str(tmp_path / "forms.json"))


def test_numbers_from_counts() -> None:
    """By hand: 3 of 5 values, one added; half of the outputs are as asked."""
    examples: list[dict[str, Any]] = [
        {
            "id": "a",
            "input": {"kind": "slots", "slots": [["name", "Aromi"], ["food", "French"], ["area", "riverside"]]},
        },
        {"id": "b", "input": {"kind": "slots", "slots": [["name", "Cotto"], ["food", "Indian"]]}},
        {"id": "c", "input": {"kind": "slots", "act": "?request", "slots": [["food", None]]}},
    ]
    outputs = {"a": "Aromi has Italian food.", "b": "Cotto is Indian.", "c": "What would you like?"}
    found = {
        name: score.value
        for name, score in assay.score(outputs, examples=examples, metrics="slot_error").scores.items()
    }
    assert found == {
        "slot_recall": 3 / 5, "slot_error": 3 / 5, "slot_error.missing": 2 / 5, "slot_error.added": 1 / 5,
        "slot_error.repeated": 0.0, "slot_error.outputs": 1 / 2,
    }  # fmt: skip


def test_it_stands_first_where_inputs_have_values_and_nowhere_else() -> None:
    example = {"id": "a", "references": ["Aromi it is."], "input": {"kind": "slots", "slots": [["name", "Aromi"]]}}
    for suite in (None, "data-to-text"):
        assert next(iter(assay.score({"a": "Aromi."}, examples=[example], suite=suite).scores)) == "slot_recall"
    plain = assay.score(["a"], ["a"])
    assert "slot_recall" not in plain.scores
    assert [missing.metric for missing in plain.skipped] == []
    asked = assay.score(["a"], ["a"], metrics="slot_error,rouge1")
    assert [missing.metric for missing in asked.skipped] == ["slot_error"]
    other = assay.score(
        {"a": "x"},
        examples=[{"id": "a", "input": {"kind": "concepts", "concepts": ["x"]}}],
        metrics="slot_error,lengths",
    )
    assert "needs inputs with values (slots, triples or dialogue acts)" in other.skipped[0].why


def test_words_and_patterns() -> None:
    assert plain_words("It's a Café: £1,000.50, twenty-five U.S. towns, three.") == (
        "its", "a", "cafe", "1000.5", "25", "us", "towns", "3",
    )  # fmt: skip
    assert read_pattern("(kid|small child|) friendly") == ((("small", "child"), ("kid",), ()), (("friendly",),))
    phrases = Phrases({"yes": ["(kid|small child|) friendly"], "no": ["kid friendly not"]})
    assert [tuple(found) for found in phrases.find("a small child friendly kid friendly not".split())] == [
        (1, 4, "yes"), (4, 7, "no"),
    ]  # fmt: skip


def test_the_command_and_the_call(here: Callable[..., Call], tmp_path: Path) -> None:
    slots = [["name", "Aromi"], ["food", "French"], ["area", "riverside"]]
    rows = [{"id": str(i), "input": {"kind": "slots", "slots": slots}} for i in range(20)]
    examples = write_jsonl(tmp_path / "e.jsonl", rows)
    texts = ["Aromi serves French food by the river.", "Aromi serves Italian food."]
    outputs = write_jsonl(tmp_path / "o.jsonl", [{"id": str(i), "output": texts[i % 2]} for i in range(20)])
    out = tmp_path / "values.jsonl"
    found = here("analyze", "slots", outputs, "-e", examples, "--items", 1, "-o", out, "--json").json
    assert found["slots"]["food"] | {"recall": None, "items": None} == {
        "asked": 20, "said": 10, "added": 10, "recall": None, "missed": {"French": 10}, "made_up": {"Italian": 10},
        "items": None,
    }  # fmt: skip
    assert found["slots"]["food"]["recall"]["low"] < 0.5 < found["slots"]["food"]["recall"]["high"]
    assert found["slots"]["area"]["items"] == [str(i) for i in range(1, 20, 2)]
    assert found["items"][0]["missing"] == [{"slot": "food", "value": "French"}, {"slot": "area", "value": "riverside"}]
    assert [json.loads(line) for line in out.read_text().splitlines()][3:][-1] == {
        "id": "19", "slot": "food", "value": "Italian", "said": "added",
    }  # fmt: skip
    assert assay.slots(outputs, examples, items=1)["items"] == found["items"]
    shown = here("analyze", "slots", outputs, "-e", examples, "--items", 2).out
    assert "French (10)" in shown
    assert "All slots: slot_recall 66.7" in shown
    assert "1 without food=French, area=riverside; adds food=Italian: Aromi serves Italian food." in shown


def test_published_systems_that_tie_on_bleu(shared_data: Callable[[str], Path]) -> None:
    """The first thing a comparison shows: one of two systems that BLEU does not tell apart leaves a tenth unsaid."""
    from assay.datasets import dataset

    examples = list(dataset("e2e_nlg:version=original").read(shared_data("e2e"), "test"))
    files = {name: shared_data(f"e2e/outputs/{name}.tsv") for name in ("harv", "slug")}
    results = assay.score_all(files, examples=examples)
    assert next(iter(results["harv"].scores)) == "slot_recall"
    compared = assay.compare(results["harv"], results["slug"], samples=500)
    assert next(iter(compared)) == "slot_recall"
    assert compared["bleu"].p is not None
    assert compared["bleu"].p > 0.05
    assert (compared["slot_recall"].a, compared["slot_recall"].b) == pytest.approx((0.902, 0.989), abs=5e-4)
    assert compared["slot_recall"].p is not None
    assert compared["slot_recall"].p < 0.01


def test_misses_on_texts_of_people(shared_data: Callable[[str], Path]) -> None:
    """What is hardly ever left out is hardly ever said to be: below one per cent in the cleaned E2E."""
    from assay.datasets import dataset

    count = missing = 0
    for example in dataset("e2e_nlg:rows=pair").read(shared_data("e2e/cleaned"), "validation"):
        found = compare_values(example, example.references[0], e2e_forms())
        count, missing = count + len(found.expressed) + len(found.missing), missing + len(found.missing)
    assert missing / count < 0.01
