"""Typos: the published rule hits more often than it says and sometimes the key itself; the exact one does neither."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.challenges import perturbation
from assay.challenges.perturbation import challenge_set
from assay.challenges.typos import ADJACENT, PUBLISHED, hit_keys
from assay.errors import AssayError
from assay.records import Example
from tests.support import TEXT


def changed_share(spec: str, letter: str, n: int = 400_000) -> float:
    made = perturbation(spec).change(Example(id="a", source=letter * n), Random(1))
    assert isinstance(made, Example)
    assert made.source is not None
    return sum(each != letter for each in made.source) / n


@pytest.mark.parametrize(
    ("spec", "letter", "expected"),
    [
        ("typos:p=0.02", "q", 0.03 * 7 / 8),
        ("typos:bfp05", "q", 0.06 * 7 / 8),
        ("typos:p=0.02", "A", 0.03 * 9 / 10),
        ("typos:p=1", "o", 7 / 8),
        ("typos:p=0", "q", 0.01 * 7 / 8),  # as published: even nothing hits once in a hundred
        ("typos-exact:p=0.02", "q", 0.02),
        ("typos-exact:p=0", "q", 0.0),
        ("typos-exact:p=1", "q", 1.0),
    ],
)
def test_how_often_a_letter_changes(spec: str, letter: str, expected: float) -> None:
    error = (expected * (1 - expected) / 400_000) ** 0.5
    assert changed_share(spec, letter) == pytest.approx(expected, abs=4 * error + 1e-12)


def test_the_hits_are_spread_evenly() -> None:
    """From one hit to the next is a geometric number: first, middle and last letters are hit alike."""
    hits = [0, 0, 0]
    for seed in range(20_000):
        hit = hit_keys("sss", 0.3, ADJACENT, Random(seed))
        hits = [count + (letter != "s") for count, letter in zip(hits, hit, strict=True)]
    assert all(abs(count - 6000) < 4 * 65 for count in hits)


@given(text=TEXT, seed=st.integers(0, 100))
def test_length_case_and_everything_but_letters_stay(text: str, seed: int) -> None:
    for neighbours in (PUBLISHED, ADJACENT):
        hit = hit_keys(text, 0.5, neighbours, Random(seed))
        assert len(hit) == len(text)
        for old, new in zip(text, hit, strict=True):
            if old != new:
                assert new.lower() in neighbours[old.lower()]
                assert old.isupper() == new.isupper() or not new.isalpha()


def test_adjacent_keys_of_the_keyboard() -> None:
    assert all(key in near for key, near in PUBLISHED.items())
    assert not any(key in near for key, near in ADJACENT.items())
    assert set(PUBLISHED) == set(ADJACENT) == set("abcdefghijklmnopqrstuvwxyz")
    assert all(key in ADJACENT[other] for key, near in ADJACENT.items() for other in near)
    assert set(ADJACENT["g"]) == set("tyfhvb")


def test_values_of_the_input_on_request() -> None:
    original = Example(
        id="a", source="plain words", input={"kind": "slots", "slots": [["food", "Ostmark dumplings" * 9]]}
    )
    (made,) = challenge_set(perturbation("typos:p=0.3:on=input"), [original]).examples
    assert made.source == "plain words"
    assert made.input is not None
    assert made.input["slots"][0][0] == "food"  # type: ignore[index]
    assert made.input != original.input


def test_probabilities_outside_0_to_1_are_rejected() -> None:
    with pytest.raises(AssayError, match=r"p=2\.0 must be from 0 to 1"):
        perturbation("typos:p=2")


@pytest.mark.parametrize("p", ["1e-320", "1e-300"])
def test_the_smallest_probability_hits_nothing(p: str) -> None:
    made = challenge_set(perturbation(f"typos-exact:p={p}"), [Example(id="a", source="It rained.")])
    assert made.unchanged == ["a"]
