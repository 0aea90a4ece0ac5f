"""TESA's phrases: the released program's rules and the paper's, gold sets, and candidates to rank."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets.tesa_phrases import annotation, gold, normalise, split_examples, with_candidates
from assay.errors import AssayError
from assay.records import Example
from assay.records.inputs import Candidates, read_input
from assay.records.kinds import Entities


def group(kind: str) -> dict[str, Any]:
    return Entities(type=kind, entities=["A"], background=[""], title="", context="").plain()


RULES = [  # answer, as the released program has it, as the paper says
    ("The two cities", "cities", "cities"),
    ("THE CHESS CHAMPIONS", "chess champions", "chess champions"),
    ("In this article, X and Y are discussed. The two West Coast states...", "west coast states", "west coast states"),
    ("X ARE DISCUSSED. cities", "cities", "cities"),
    ("U.S. cities that are discussed", None, None),
    ("The  two   major cities .", "major cities", "major cities"),
    ("U.S. cities.", "u.s. cities", "u.s. cities"),
    ("two", "two", "two"),
    ("The two", "two", "two"),
    ("the 2 cities", "2 cities", "cities"),
    ("The seven companies", "seven companies", "companies"),
    ("seven cities", "seven cities", "cities"),
    ("these countries", "these countries", "countries"),
    ("a city", "a city", "city"),
    ("both cities", "both cities", "cities"),
    ("All four states", "all four states", "states"),
    ("all these 2 cities", "all these 2 cities", "cities"),
    ("the two the cities", "the cities", "cities"),
    ("all people", "all people", None),
    ("The white and black", None, None),
    ("the financial/media concern", None, None),
    ("Both are political entities", None, None),
    ("NA", None, None),
    ("the", None, None),
    ("people", None, None),
    ("The three people", None, None),
    ("...", None, None),
    ("", None, None),
]


@pytest.mark.parametrize(("answer", "released", "paper"), RULES)
def test_answers_are_normalised_by_one_rule(answer: str, released: str | None, paper: str | None) -> None:
    assert normalise(answer) == released
    assert normalise(answer, extended=True) == paper


@given(st.lists(st.sampled_from("the two seven 2 a cities people and . / x".split())).map(" ".join), st.booleans())
def test_a_normal_form_stays_as_it_is_in_the_paper(answer: str, impossible: bool) -> None:
    normal = normalise(answer, extended=True)
    assert normal is None or normalise(normal, extended=True) == normal
    assert annotation([answer, answer], impossible, extended=True) == ([normal] if normal and not impossible else [])


def test_an_annotator_says_each_phrase_once() -> None:
    assert annotation(["Two companies", "the companies"]) == ["companies"]
    assert annotation(["these countries", "a city"]) == ["these countries", "a city"]
    assert annotation(["cities"], impossible=True) == []


def test_gold_needs_two_annotators() -> None:
    assert gold([["firms", "companies"], ["firms"], []]) == ["firms", "companies"]
    assert gold([["firms"], [], []]) == []


@given(
    st.dictionaries(
        st.integers(0, 30).map(str), st.sets(st.sampled_from("abcdefghij"), min_size=1, max_size=3), min_size=1
    ),
    st.integers(0, 9),
)
def test_candidates_hold_all_gold_and_others_of_the_same_type(golds: dict[str, set[str]], seed: int) -> None:
    types = {id: "org" if int(id) % 2 else "person" for id in golds}
    instances = [Example(id=id, references=tuple(sorted(golds[id])), input=group(types[id])) for id in golds]
    pools = {kind: set().union(*(golds[i] for i in golds if types[i] == kind)) for kind in set(types.values())}
    if any(len(pool) < 4 for pool in pools.values()):
        with pytest.raises(AssayError, match="cannot fill 4 candidates"):
            with_candidates(instances, size=4, seed=seed)
        return
    made = with_candidates(instances, size=4, seed=seed)
    for example in made:
        ranked = read_input(example, Candidates)
        candidates = ranked.candidates
        assert len(candidates) == len(set(candidates)) == 4
        assert {phrase for phrase, label in zip(candidates, ranked.labels, strict=True) if label} == golds[example.id]
        assert set(candidates) <= pools[types[example.id]]
    assert with_candidates(instances, size=4, seed=seed) == made


def test_candidates_that_cannot_be_made() -> None:
    few = [Example(id="a", references=("x",), input=group("org")), Example(id="b", input=group("org"))]
    with pytest.raises(AssayError, match="id a: 0 other phrases of type org cannot fill 24"):
        with_candidates(few[:1])
    with pytest.raises(AssayError, match="id b: no gold phrase"):
        with_candidates([*few[1:]])
    assert Counter(one.split for one in split_examples([few[0]] * 1718)) == {
        "train": 858,
        "validation": 430,
        "test": 430,
    }
