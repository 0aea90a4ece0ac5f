"""Contrast subsets: what every item is tagged with, on synthetic inputs and against the published counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.challenges import perturbation
from assay.challenges.contrast import CONTRASTS, contrast, contrast_sets, tagged
from assay.challenges.contrast.base import counts
from assay.challenges.perturbation import challenge_set
from assay.challenges.sampling import sample
from assay.datasets import dataset
from assay.errors import AssayError
from assay.records import Example, write_jsonl

Find = Callable[[str], Path]


def item(id: str = "a", **fields: Any) -> Example:
    return msgspec.convert({"id": id, **fields}, Example)


def triples(id: str, *parts: str) -> Example:
    return item(id, input={"kind": "triples", "triples": [part.split() for part in parts]})


def tags(spec: str, *items: Example) -> list[dict[str, str]]:
    return [each.tags for each in tagged(contrast(spec), items)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("A p B",), "1 unique none none none"),
        (("A p B", "A q B"), "2 2 some none none"),
        (("A p B", "B p C"), "2 unique none some some"),
        (("A p B", "A q C", "A r D", "D q A"), "4 3 none some some"),
    ],
)
def test_the_shape_of_triples(given: tuple[str, ...], expected: str) -> None:
    names = ("input_size", "same_subject", "same_object", "same_property", "both_roles")
    assert tags("shape", triples("a", *given)) == [dict(zip(names, expected.split(), strict=True))]


def test_the_shape_of_other_inputs() -> None:
    slots = [["price_range", "cheap"], ["price_range", "moderate"], ["area", None]]
    acts = [{"act": "INFORM", "slot": "city", "values": []}, {"act": "OFFER", "slot": None, "values": []}]
    table = {"kind": "table", "table": [[{"value": "a"}, {"value": "b"}], [{"value": "c"}]], "highlighted": [[0, 1]]}
    tagged_items = tags(
        "shape",
        item("a", input={"kind": "slots", "act": "inform", "slots": slots}),
        item("b", input={"kind": "acts", "service": "s", "acts": acts, "context": []}),
        item("c", input=table),
        item("d", input={"kind": "concepts", "concepts": ["x", "y"]}),
        item("e", source="A text."),
    )
    assert tagged_items == [
        {"input_size": "3", "slot_names": "2", "act_type": "inform"},
        {"input_size": "2", "act_type": "INFORM"},
        {"input_size": "1", "cells": "3"},
        {"input_size": "2"},
        {},
    ]


PUBLISHED: dict[str, tuple[str, dict[str, str]]] = {
    "cs_restaurants": ("cs_restaurants", {
        "act_type": "inform 609, ?request 149, inform_no_match 34, ?confirm 22, inform_only_match 16, ?select 12",
        "slot_names": "1 183, 2 267, 3 297, 4 86, 5 9",
    }),
    "e2e_nlg:rows=pair": ("e2e", {
        "input_size": "2 5, 3 120, 4 389, 5 737, 6 1187, 7 1406, 8 774, 9 73, 10 2",
    }),
    "web_nlg_en": ("webnlg", {
        "input_size": "1 369, 2 349, 3 350, 4 305, 5 213, 6 114, 7 79",
        "same_subject": "unique 453, 2 414, 3 382, 4 251, 5 158, 6 80, 7 41",
        "same_object": "some 125, none 1654", "same_property": "some 269, none 1510",
        "both_roles": "some 457, none 1322",
    }),
    "web_nlg_ru": ("webnlg", {
        "input_size": "1 254, 2 200, 3 214, 4 214, 5 159, 6 32, 7 29",
        "same_subject": "unique 339, 2 316, 3 217, 4 143, 5 56, 6 19, 7 12",
        "same_object": "some 3, none 1099", "same_property": "some 116, none 986", "both_roles": "some 460, none 642",
    }),
}  # fmt: skip


ABSENT: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "training data of WebNLG": ("webnlg/en/train", "web_nlg_en", "seen", {
        "single_predicate": "seen 297, unseen 72", "combination": "seen 115, unseen 1295",
        "arguments": "both_seen 518, both_unseen 1177, arg1_unseen 56, arg2_unseen 28",
    }),
    "the whole of Schema-Guided Dialog": ("sgd/test/dialogues_034.json", "schema_guided_dialog", "shape", {
        "input_size": "1 5049, 2 2517, 3 1328, 4 469, 5 335, 6 256, 7 46",
        "act_type": "CONFIRM 1397, GOODBYE 983, INFORM 1027, INFORM_COUNT 958, NOTIFY_FAILURE 72, NOTIFY_SUCCESS 1024, "
                    "OFFER 1246, OFFER_INTENT 500, REQUEST 2078, REQ_MORE 715",
    }),
    "a parse of ASSET": ("asset/asset.test.orig.conllu", "asset", "d-level", {
        "d_level": "0 166, 2 58, 3 32, 4 5, 5 28, 6 7, 7 63",
    }),
}  # fmt: skip
"""What takes files that are not public, or not here: the counts are compared where they are."""


def agree(counted: dict[str, Counter[str]], expected: dict[str, str]) -> None:
    for tag, published in expected.items():
        pairs = (part.rsplit(" ", 1) for part in published.split(", "))
        assert counted[tag] == Counter({value: int(count) for value, count in pairs}), tag


@pytest.mark.parametrize("name", PUBLISHED)
def test_counts_are_the_published_ones(shared_data: Find, name: str) -> None:
    folder, expected = PUBLISHED[name]
    examples = list(dataset(name).read(shared_data(folder), "test"))
    agree(counts(tagged(contrast("shape"), examples), examples), expected)


@pytest.mark.parametrize("what", ABSENT)
def test_counts_where_more_is_at_hand(shared_data: Find, tmp_path: Path, what: str) -> None:
    needs, name, rule, expected = ABSENT[what]
    file = shared_data(needs)
    folder = shared_data(needs.partition("/")[0])
    examples = list(dataset(name).read(folder, "test"))
    if rule == "seen":
        write_jsonl(tmp_path / "train.jsonl", list(dataset(name).read(folder, "train")))
        rule = f"seen:train={tmp_path / 'train.jsonl'}"
    if rule == "d-level":
        rule = f"d-level:parses={file}"
    agree(counts(tagged(contrast(rule), examples), examples), expected)


def test_what_was_seen_in_training(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train.jsonl", [triples("t", "A p B", "A q C"), triples("u", "D r E")])
    spec = f"seen:train={tmp_path / 'train.jsonl'}"
    assigned = tags(
        spec,
        triples("a", "A p Z"),
        triples("b", "X z Y"),
        triples("c", "X q B", "A p Y"),
        triples("d", "X p C", "Y r Z"),
        item("e", source="A text."),
    )
    assert assigned == [
        {"arguments": "arg2_unseen", "single_predicate": "seen"},
        {"arguments": "both_unseen", "single_predicate": "unseen"},
        {"arguments": "both_seen", "combination": "seen"},
        {"arguments": "arg1_unseen", "combination": "unseen"},
        {},
    ]
    with pytest.raises(AssayError, match="contrast seen: training examples are required"):
        tags("seen", triples("a", "A p B"))


def test_how_often_parts_were_met(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    write_jsonl(
        path, [item(str(i), input={"kind": "concepts", "concepts": ["dog", "run"][: 2 - i % 2]}) for i in range(4)]
    )
    inputs = [item(str(i), input={"kind": "concepts", "concepts": words.split()}) for i, words in enumerate(
        ["dog", "dog run", "dog fly", "fly away"])]  # fmt: skip
    assigned = tags(f"frequency:train={path}:common=4", *inputs)
    assert [each["frequency"] for each in assigned] == ["all_common", "some_rare", "some_unseen", "all_unseen"]
    with pytest.raises(AssayError, match="id x: has neither triples"):
        tags(f"frequency:train={path}", item("x"))


def test_novelty_in_equal_bins() -> None:
    words = [f"w{i}" for i in range(12)]
    inputs = [
        item(str(k), source=" ".join(words), references=[" ".join([*words[k:], *(f"new{i}" for i in range(k))])])
        for k in range(11)
    ]
    assert [each["novelty"] for each in tags("novelty", *inputs)] == [str(k) for k in range(11)]
    many = [item(str(i), source="a b", references=["a b c"]) for i in range(22)]
    assert Counter(each["novelty"] for each in tags("novelty", *many)) == dict.fromkeys(map(str, range(11)), 2)
    assert tags("novelty", item("x", source="a")) == [{}]


def test_a_period_by_date_and_keyword() -> None:
    inputs = [
        item("a", source="Cases of Covid-19 rose.", tags={"date": "2020-07-01"}),
        item("b", source="Cases of covid rose.", tags={"date": "30/06/2020"}),
        item("c", source="The ferry left.", tags={"date": "20201224"}),
        item("d", source="Covid.", tags={"date": "00/07/2020"}),
        item("e", source="Rain.", tags={"date": "2020-12-31", "title": "Lockdowns"}),
        item("f", source="Ship of Dracovidia."),
    ]
    spec = "period:after=2020-07-01:before=2021-01-01:keywords=covid+lockdown"
    assert [each.get("period") for each in tags(spec, *inputs)] == [
        "inside",
        "outside",
        "outside",
        None,
        "inside",
        None,
    ]
    assert [each.get("period") for each in tags("period:keywords=covid", *inputs)][-1] == "outside"
    with pytest.raises(AssayError, match="write a day as 2020-07-01"):
        contrast("period:after=July")
    with pytest.raises(AssayError, match="pass after="):
        contrast("period")


def test_people_with_matched_overlap(tmp_path: Path) -> None:
    def page(i: int, title: str, overlap: bool) -> Example:
        table = {"kind": "table", "page_title": title, "table": [[{"value": "a"}]], "highlighted": [[0, 0]]}
        return item(str(i), input=table, tags={"overlap": str(overlap).lower()})

    people = {f"P{i}": {"gender": "female" if i < 40 else "male"} for i in range(140)}
    people["Q"] = {"gender": "other"}
    # of the women three quarters are from the overlap, of the men a quarter
    items = [page(i, f"P{i}", i % 4 < 3 if i < 40 else i % 4 < 1) for i in range(140)] + [page(140, "Q", True)]
    path = tmp_path / "people.json"
    path.write_bytes(msgspec.json.encode(people))
    assigned = tagged(contrast(f"people:attributes={path}:size=30"), items)
    drawn = Counter((each.tags["gender"], each.tags["overlap"]) for each in assigned if "gender" in each.tags)
    shares = {who: drawn[who, "true"] / (drawn[who, "true"] + drawn[who, "false"]) for who in ("female", "male")}
    assert shares["female"] == pytest.approx(shares["male"], abs=0.05)
    assert {who for who, _ in drawn} == {"female", "male"}  # one person is no group
    assert all(sum(count for (who, _), count in drawn.items() if who == one) <= 30 for one in shares)
    assert assigned == tagged(contrast(f"people:attributes={path}:size=30"), items)
    apart = [page(i, f"P{i}", i < 40) for i in range(140)]  # no woman is like any man: a group would vanish
    with pytest.raises(AssayError, match=r"male: none of its \d+ items can be drawn .* leave it out \(groups="):
        tags(f"people:attributes={path}", *apart)
    with pytest.raises(AssayError, match="no entry has hat"):
        tags(f"people:attributes={path}:of=hat", *items)
    with pytest.raises(AssayError, match="attributes=FILE is required"):
        tags("people", *items)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The ferry left.", "simple"),
        ("The ferry left, and it rained.", "coordinated"),
        ("The ferry left because it rained.", "subordinate"),
        ("The ferry that he took left, but it rained when he came.", "several"),
    ],
)
def test_clauses_by_words_alone(text: str, kind: str) -> None:
    assert tags("clauses", item(source=text)) == [{"clauses": kind}]


def test_sets_as_gem_writes_them_and_samples() -> None:
    items = tagged(contrast("shape"), [triples("a", "A p B"), triples("b", "A p B", "A q C"), triples("c", "A p B")])
    assert contrast_sets(items, ["input_size"]) == {"input_size": {"1": ["a", "c"], "2": ["b"]}}
    many = [item(str(i), split="train", tags={"category": "x" if i % 5 else "y"}) for i in range(100)]
    drawn = sample(many, 20, seed=3, by="category")
    assert sum(each.tags["category"] == "y" for each in drawn) == 4
    assert drawn == sample(many, 20, seed=3, by="category") != sample(many, 20, seed=4, by="category")
    assert all(each.tags["sample"] == "train" for each in drawn)


def test_every_contrast_says_what_it_gives() -> None:
    for name in CONTRASTS:
        rule = CONTRASTS.get(name)
        assert rule.name == name
        assert rule.about
        assert rule.gives


@pytest.mark.parametrize(
    ("name", "folder", "kind", "size"),
    [
        ("web_nlg_en", "webnlg", "scramble", 500),
        ("web_nlg_en", "webnlg", "numbers", 500),
        ("web_nlg_ru", "webnlg", "scramble", 500),
        ("e2e_nlg", "e2e", "scramble", 500),
        ("cs_restaurants", "cs_restaurants", "scramble", 500),
        ("asset", "asset", "no-punctuation", 359),
    ],
)
def test_challenge_sets_have_the_published_sizes(
    shared_data: Find, name: str, folder: str, kind: str, size: int
) -> None:
    examples = list(dataset(name).read(shared_data(folder), "test"))
    made = challenge_set(perturbation(kind), examples)
    assert len(made.examples) <= size
    assert len(made.examples) >= 0.95 * size  # where few can be changed they are fewer: unchanged ones are no challenge
    assert len({each.parent for each in made.examples}) == len(made.examples)
    if name.startswith("web_nlg") and kind == "scramble":  # in proportion to the categories of what can be scrambled
        several = Counter(one.tags["category"] for one in examples if one.tags["size"] != "1")
        drawn = Counter(one.tags["category"] for one in made.examples)
        for category, count in several.items():
            assert abs(drawn[category] - 500 * count / sum(several.values())) < 10, category
    if kind == "numbers":
        updated = Counter(each.tags["references_updated"] for each in made.examples)
        assert updated["all"] > updated["none"]
