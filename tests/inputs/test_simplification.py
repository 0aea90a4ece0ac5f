"""Controllable simplification: cleaning, taggers, placeholders by offset, control tokens."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.inputs.placeholders import place, restoration_notes, restore
from assay.inputs.simplification import (
    Preparation,
    fault,
    frequency_ranks,
    inference_items,
    measured,
    training_pairs,
)
from assay.inputs.taggers import Tagged, apart, label_entities, tagger
from assay.records import Example, to_json
from tests.support.processor_time import processor_seconds

RACER = (
    "Sergio Páez Mendoza (born January 26 , 1990 in Guadalajara , Jalisco) , also known as \"Checo\" Páez , "
    "is a Mexican racing driver ."
)  # fmt: skip
ENTITIES = (
    ("Sergio Páez Mendoza", "PERSON"), ("January 26 , 1990", "DATE"), ("Guadalajara , Jalisco", "GPE"),
    ("Checo\" Páez", "PERSON"), ("Mexican", "NORP"),
)  # fmt: skip


def found(text: str, *entities: tuple[str, str]) -> list[Tagged]:
    return [Tagged(text.index(one), text.index(one) + len(one), label) for one, label in entities]


def test_entities_of_the_paper_become_placeholders_and_back() -> None:
    placed = place(RACER, found(RACER, *ENTITIES))
    assert placed.text == (
        'person@1 (born date@1 in gpe@1) , also known as "person@2 , is a norp@1 racing driver .'
    )  # fmt: skip
    assert {RACER[slice(*span)] for span in placed.spans.values()} == {one for one, _ in ENTITIES}
    assert restore(placed.text, placed.table).text == RACER


@pytest.mark.parametrize(
    ("label", "name"), [("WORK_OF_ART", "work_of_art@1"), ("B-PER", "b_per@1"), ("ship!", "ship@1"), ("a@2b", "a_b@1")]
)
def test_types_of_any_tagger_can_be_restored(label: str, name: str) -> None:
    placed = place("Osprey flies.", [Tagged(0, 6, label)])
    assert placed.text == f"{name} flies."
    assert restore(placed.text, placed.table).text == "Osprey flies."
    with pytest.raises(AssayError, match="no Latin letter for a placeholder"):
        place("Osprey flies.", [Tagged(0, 6, "人")])


def test_a_target_is_replaced_longest_first_and_literally() -> None:
    source = "Alanna Marie Orton met Marie Orton (b. 1.5)."
    spans = found(source, ("Alanna Marie Orton", "person"), ("1.5", "number"))
    spans.append(Tagged(23, 34, "person"))
    placed = place(source, spans)
    assert placed.text == "person@1 met person@2 (b. number@1)."
    assert placed.target("Marie Orton is 125 or 1.5, says Alanna Marie Orton.") == (
        "person@2 is 125 or number@1, says person@1."
    )


def test_of_overlapping_entities_the_longest_is_kept() -> None:
    assert apart([Tagged(3, 5, "a"), Tagged(0, 6, "b"), Tagged(8, 9, "c")]) == [Tagged(0, 6, "b"), Tagged(8, 9, "c")]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6)), max_size=12))
def test_kept_spans_are_apart_and_no_other_could_be_kept(places: list[tuple[int, int]]) -> None:
    spans = [Tagged(start, start + length, str(i)) for i, (start, length) in enumerate(places)]
    kept = apart(spans)
    assert all(one.end <= other.start for one, other in pairwise(kept))
    for span in set(spans) - set(kept):
        crossed = [one for one in kept if one.start < span.end and span.start < one.end]
        assert max(one.end - one.start for one in crossed) >= span.end - span.start


def test_time_of_spans_is_linear() -> None:
    def seconds(count: int) -> float:
        spans = [Tagged(3 * i, 3 * i + 2, "a") for i in range(count)]
        return processor_seconds(lambda: apart(spans))

    assert seconds(40_000) < 40 * max(seconds(4_000), 0.001)


def test_unknown_placeholders_remain_and_are_reported() -> None:
    done = restore("it is made by person@1 and product@1 , person@1", {"person@1": "Ada", "date@1": "May"})
    assert done.text == "it is made by Ada and product@1 , Ada"
    assert (done.unknown, done.dropped) == (["product@1"], ["May"])
    assert restoration_notes([done, done]) == [
        "2 placeholders in 2 outputs have no entity in their source and remain: product@1 (2)"
    ]


def test_texts_that_look_like_placeholders_are_restored_as_they_were() -> None:
    text = "Ask Ada at team@1, or literal@2."
    placed = place(text, [Tagged(4, 7, "person"), Tagged(16, 17, "number"), Tagged(0, 17, "name")])
    assert placed.text == "name@1, or literal@1."  # the longest span is kept, the one inside of team@1 is not
    assert restore(placed.text, placed.table).text == text
    alone = place("in gpe@1", [Tagged(7, 8, "number")])
    assert (alone.text, alone.table) == ("in literal@1", {"literal@1": "gpe@1"})
    assert restore(alone.text, alone.table) == ("in gpe@1", [], [])


WORDS = st.lists(st.sampled_from("Ada Bo of the 1990 runs Ely-Ford".split()), min_size=1, max_size=12).map(" ".join)


@given(WORDS)
def test_rules_give_spans_that_can_be_restored(text: str) -> None:
    (spans,) = tagger("rules")([text])
    placed = place(text, spans)
    assert restore(placed.text, placed.table).text == text


def test_rules_find_dates_amounts_and_names() -> None:
    text = "She met Barack Obama of the White House on 3 May 2010 at 5 pm for $5 million and 20% of 1,200 votes."
    (spans,) = tagger("rules")([text])
    assert [(text[one.start : one.end], one.label) for one in spans] == [
        ("Barack Obama of the White House", "name"), ("3 May 2010", "date"), ("5 pm", "time"),
        ("$5 million", "money"), ("20%", "percent"), ("1,200", "cardinal"),
    ]  # fmt: skip


def test_a_list_of_entities_is_a_tagger(tmp_path: Path) -> None:
    file = tmp_path / "entities.json"
    file.write_text(to_json({"Marie Orton": "person", "Orton (USA)": "gpe"}), encoding="utf-8")
    (spans,) = tagger(str(file))(["Marie Orton left Orton (USA)."])
    assert spans == [Tagged(0, 11, "person"), Tagged(17, 28, "gpe")]
    assert label_entities(["Marie Orton", "Wexley"], tagger(str(file))) == {"Marie Orton": "PERSON"}
    with pytest.raises(AssayError, match="no tagger rule: give rules, a JSON file"):
        tagger("rule")


@pytest.mark.parametrize(
    ("source", "target", "dropped"),
    [(2, 5, True), (10, 16, True), (10, 2, False), (10, 1, True), (10, 15, False), (3, 3, False)],
)
def test_cleaning_drops_short_pairs_and_extreme_ratios(source: int, target: int, dropped: bool) -> None:
    assert bool(fault(" ".join("a" * source), " ".join("b" * target))) is dropped


def test_controls_of_the_paper() -> None:
    complex = "It is particularly famous for the cultivation of kiwifruit."
    simple = "it is mostly famous for the growing of kiwifruit."
    values = measured(complex, simple, {})
    assert values == pytest.approx({"nbchars": 41 / 51, "levsim": 0.7593}, abs=1e-4)
    pair = Example(id="1", source=complex, references=(simple, complex))
    how = Preparation({"nbchars": "oracle", "levsim": "oracle"}, step=0.01)
    made = training_pairs([pair], how, None)
    assert [one.example.source for one in made.prepared] == [
        f"<NbChars_0.80> <LevSim_0.76> {complex.lower()}", f"<NbChars_1.00> <LevSim_1.00> {complex.lower()}",
    ]  # fmt: skip
    assert [one.controls["nbchars"] for one in training_pairs(
        [pair], Preparation({"nbchars": "oracle"}, step=0.25), None).prepared] == [0.75, 1.0]  # fmt: skip


def test_no_test_item_is_dropped_and_pairs_are_counted() -> None:
    items = [Example(id="1", source="too short", references=("a b c d",)), Example(id="2", source="a b c d e")]
    how = Preparation({"nbchars": "0.95"})
    assert [one.example.source for one in inference_items(items, how, None)] == [
        "<NbChars_0.95> too short", "<NbChars_0.95> a b c d e",
    ]  # fmt: skip
    assert training_pairs(items, how, None).dropped == {"source shorter than 3 words": 1}
    with pytest.raises(AssayError, match="id 3: no source sentence to simplify"):
        inference_items([Example(id="3")], how, None)


@pytest.mark.parametrize("value", ["fast", "0", "2.5"])
def test_impossible_controls_are_refused(value: str) -> None:
    with pytest.raises(AssayError, match="control nbchars is a number up to 2, oracle or off"):
        Preparation({"nbchars": value})
    with pytest.raises(AssayError, match="an oracle WordRank needs ranks"):
        Preparation({"wordrank": "oracle"})


def test_ranks_by_frequency() -> None:
    assert frequency_ranks(["the cat", "The dog the"]) == {"the": 0, "cat": 1, "dog": 2}
