"""Test items that stand in the training part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets import dataset
from assay.datasets.overlap import _matches, _shingles, normalised, overlap
from assay.errors import UsageError
from assay.records.types import Example

LONG = "the boats of the old harbour leave at dawn when the tide is high and the wind is from the west"


def test_exact_normalised_and_near_duplicates_are_counted() -> None:
    train = [Example(id="a", references=(LONG,)), Example(id="b", source="Low tide.", references=("Dry.",))]
    test = [
        Example(id="exact", references=(LONG,)),
        Example(id="normalised", references=(LONG.title() + "!",)),
        Example(id="near", references=(LONG.replace("west", "east"),)),
        Example(id="other", source="high tide", references=("Nothing of the kind was ever written here.",)),
    ]
    inputs, references = overlap(train, test, near=0.8)
    assert (inputs.items, inputs.counts()) == (1, {"exact": 0, "normalised": 0, "near": 0})
    assert references.counts() == {"exact": 1, "normalised": 2, "near": 3}
    assert [(match.id, match.other, match.level) for match in references.matches] == [
        ("exact", "a", "exact"), ("normalised", "a", "normalised"), ("near", "a", "near")
    ]  # fmt: skip
    assert references.matches[2].similarity == pytest.approx(18 / 20)
    with pytest.raises(UsageError, match=r"near=0\.3"):
        overlap(train, test, near=0.3)


def test_the_order_of_triples_is_no_difference() -> None:
    triples = [["Ada", "bornIn", "London"], ["Ada", "work", "engine"]]
    one = Example(id="a", input={"kind": "triples", "triples": triples})
    other = Example(id="b", input={"kind": "triples", "triples": triples[::-1]})
    (inputs,) = overlap([one], [other])
    assert inputs.counts()["exact"] == 1
    turned = Example(id="c", input={"kind": "triples", "triples": [["London", "bornIn", "Ada"], triples[1]]})
    assert overlap([one], [turned])[0].counts()["exact"] == 0


TEXT = st.lists(st.sampled_from("abc"), min_size=1, max_size=12).map(" ".join)


@given(st.lists(TEXT, min_size=1, max_size=8), TEXT, st.sampled_from([0.5, 0.7, 0.9]))
def test_no_near_pair_is_overlooked(known: list[str], asked: str, near: float) -> None:
    matches = _matches([(str(i), text) for i, text in enumerate(known)], [("x", asked)], near)
    mine = _shingles(normalised(asked))
    best = max(len(mine & each) / len(mine | each) for each in (_shingles(normalised(text)) for text in known))
    assert bool(matches) == (best >= near)
    if matches:
        assert matches[0].similarity == pytest.approx(best)


def test_overlap_of_published_splits(shared_data: Callable[[str], Path]) -> None:
    """E2E's cleaned release promises that no meaning representation of its development part is in its test part."""
    path = shared_data("e2e/cleaned")
    one, other = (list(dataset("e2e_nlg").read(path, split)) for split in ("validation", "test"))
    inputs, references = overlap(one, other)
    assert inputs.counts()["exact"] == 0
    assert references.items == 1847
    assert references.counts()["exact"] < 20
