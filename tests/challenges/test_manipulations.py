"""Manipulations of texts: what each does, that none changes more than it says, and that chance can be had again."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.challenges.manipulations import MANIPULATIONS, Passage, manipulate, manipulation
from assay.errors import AssayError
from tests.support import TEXT

TEXTS = [
    "Mayor Ada Finch said she has 352 dogs in Or Wexley. They are not small.",
    "The tide at Thornbeck was 2.5 m high, and he had seen it. His boat was there.",
    "Nobody came.",
]
SOURCES = ["Ada Finch spoke with Tom Reed of Ostmark.", "At Thornbeck Lena Brook saw the tide.", "An empty hall."]


def change(name: str, text: str, seed: int = 0, **around: str) -> str | None:
    return MANIPULATIONS[name].change(Passage(text, **around), Random(seed))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("replace-longest", "he discovered water .", "he the water ."),
        ("replace-longest", "Rain, undoubtedly, fell.", "Rain, the, fell."),
        ("replace-longest", "one two six .", "the two six ."),
        ("truncate", "a b c d", "a b"),
        ("truncate", "a b c d e", "a b c"),
        ("truncate", "alone", None),
        ("negation", "It rained.", None),
        ("negation", "The sea was calm.", "The sea was not calm."),
        ("negation", "The sea was not calm.", "The sea was calm."),
        ("negation", "It isn't late and will end.", "It is late and will end."),
        ("negation", "I can’t swim.", "I can swim."),
        ("negation", "She won't sing.", "She will sing."),
        ("negation", "She cannot sing.", "She can sing."),
        ("negation", "Tom has three thousand books.", "Tom does not have three thousand books."),
        ("negation", "Tom has written books.", "Tom has not written books."),
        ("pronoun-swap", "She left.", "He left."),
        ("pronoun-swap", "They left.", "We left."),
        ("pronoun-swap", "I left it to you.", None),
        ("number-swap", "No number here.", None),
        ("entity-swap", "it rained in the town.", None),
        ("entity-swap", "Rain fell.", None),
        ("copy-source", "A text.", None),
        ("insert-sentence", "A text.", None),
        ("duplicate-sentence", "It rained.", "It rained. It rained."),
    ],
)
def test_each_manipulation_changes_its_example_as_expected(name: str, text: str, expected: str | None) -> None:
    assert change(name, text) == expected


@pytest.mark.parametrize("seed", range(12))
def test_her_is_replaced_by_its_grammatical_role(seed: int) -> None:
    owned = change("pronoun-swap", "We took her boat.".replace("We", "I"), seed)
    assert owned in [f"I took {word} boat." for word in ("my", "his", "our", "their", "its", "your")]
    assert change("pronoun-swap", "I saw her in town.", seed) in [
        f"I saw {w} in town." for w in ("me", "him", "us", "them")
    ]


def test_an_entity_comes_from_the_source_first() -> None:
    assert change("entity-swap", "It was Ada Finch.", source="It was Tom Reed, on 5 May 1961.") == "It was Tom Reed."
    assert change("entity-swap", "It was Ada Finch.", source="Ada Finch came.") is None


@given(text=st.lists(st.sampled_from("the rain fell on Ostmark , 3 . he was".split()), min_size=1).map(" ".join))
def test_words_are_added_or_exchanged_one_by_one(text: str) -> None:
    words = text.split()
    for name, added, periods in [
        ("random-period", 1, 1),
        ("random-the", 1, 0),
        ("replace-rand-period", 0, 1),
        ("replace-rand-the", 0, 0),
        ("replace-longest", 0, 0),
    ]:
        changed = change(name, text)
        if changed is not None:
            assert len(changed.split()) == len(words) + added
            assert changed.split().count(".") == words.count(".") + periods
    shuffled = change("shuffle-words", text)
    assert shuffled is None or (sorted(shuffled.split()) == sorted(words) and shuffled != text)


@pytest.mark.parametrize("name", ["number-swap", "entity-swap", "pronoun-swap"])
def test_a_swap_leaves_all_other_words(name: str) -> None:
    made = manipulate(manipulation(name), TEXTS, sources=SOURCES)
    assert any(made.changed)
    for text, changed in zip(TEXTS, made.changed, strict=True):
        if changed is not None:
            assert len(set(text.split()) - set(changed.split())) in (1, 2)


@given(text=TEXT, seed=st.integers(0, 3))
def test_no_text_causes_an_error(text: str, seed: int) -> None:
    for each in MANIPULATIONS.values():
        changed = each.change(Passage(text, source="Source text.", others=("It rained. Or not.",)), Random(seed))
        assert changed is None or changed != text


def test_strengths_are_nested() -> None:
    texts = [f"line {i} has words" for i in range(10)]
    made = manipulate(manipulation("random-the"), texts)
    assert sum(a != b for a, b in zip(made.at(0.3), texts, strict=True)) == 3
    assert made.at(0) == texts
    assert set(made.chosen(0.3)) < set(made.chosen(0.5))
    assert made.at(1.0) == list(made.changed)
    assert len(made.chosen(0.25)) == 3  # halves go up
    repeated = manipulate(manipulation("random-the"), texts, repeat=1)
    assert repeated.order != made.order


def test_what_cannot_be_changed_stays_and_is_counted() -> None:
    made = manipulate(manipulation("number-swap"), TEXTS)
    assert made.unchanged() == 1
    assert made.at(1.0)[2] == TEXTS[2]
    assert manipulate(manipulation("negation"), TEXTS, languages=["de"] * 3).changed == [None] * 3


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AssayError, match="did you mean random-period"):
        manipulation("random-periode")


def test_the_same_under_another_hash_seed() -> None:
    code = (
        "from assay.challenges.manipulations import *\n"
        f"texts, sources = {TEXTS!r}, {SOURCES!r}\n"
        "print([manipulate(m, texts, sources=sources, seed=5).changed for m in MANIPULATIONS.values()])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize("name", [name for name, each in MANIPULATIONS.items() if each.effect == "worse"])
def test_what_says_nothing_cannot_be_made_worse(name: str) -> None:
    texts = ["", "  ", *(f"Ada {i} left Wexley in May. He was not late." for i in range(5))]
    assert manipulate(manipulation(name), texts).changed[:2] == [None, None]


@pytest.mark.parametrize("text", ["\n" * 20_000 + " Ada", "see Ada Finch, " * 8_000], ids=["blank lines", "many names"])
def test_names_are_found_in_linear_time(text: str) -> None:
    """Each name scanned the whole text before it."""
    started = time.process_time()
    change("entity-swap", text)
    assert time.process_time() - started < 3
