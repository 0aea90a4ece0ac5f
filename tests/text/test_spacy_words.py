"""Counting words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.spacy_words import spacy_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The mill (old) burned.", "The mill ( old ) burned ."),
        ("isn't it Ada's?", "is n't it Ada 's ?"),
        ("at 5 p.m. or 5pm -- both", "at 5 p.m. or 5 pm -- both"),
        ("a 15-year-old AK-47", "a 15 - year - old AK-47"),
        ("cannot say", "can not say"),
        ("$.05 and .38-caliber", "$ .05 and .38 - caliber"),
        ("u.s.", "u.s ."),
        ("wait...", "wait ..."),
        ("", ""),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert " ".join(spacy_words(text)) == expected


@given(st.text(max_size=60))
def test_no_character_is_lost(text: str) -> None:
    assert "".join(spacy_words(text)) == "".join(text.split())
    assert all(spacy_words(text))
