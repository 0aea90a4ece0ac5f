"""Tokenization undone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.detokenize import detokenize


@pytest.mark.parametrize(
    ("tokenized", "expected"),
    [
        ("marin -lrb- south -rrb- , napa .", "marin (south), napa."),
        ("he said `` no '' twice .", 'he said "no" twice.'),
        ("it 's the city 's , is n't it ?", "it's the city's, isn't it?"),
        ('a " quoted word " here', 'a "quoted word" here'),
        ("$ 5 and £ 7", "$5 and £7"),
        ("the boys ' hats", "the boys' hats"),
        ("", ""),
    ],
)
def test_detokenize(tokenized: str, expected: str) -> None:
    assert detokenize(tokenized) == expected


@given(st.text(alphabet="ab'\" ().,$", max_size=30))
def test_detokenizing_keeps_every_other_character(text: str) -> None:
    kept = [char for char in detokenize(text) if char not in " \"'"]
    assert kept == [char for char in text if char not in " \"'"]
