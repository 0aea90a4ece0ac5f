"""The stemmer against NLTK's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from assay.text._kernels.porter import porters_stem, stem

SUFFIXES = (
    "ational tional izer bli alli entli eli ousli ization ation alism iveness fulness aliti logi icate ness al ance \
ence er ic able ment ent ion ou ism ate iti ous ive ize ed ing eed ies sses s y e ll".split()
)


@given(
    base=st.text(alphabet="abcdeilorstuvyz", min_size=1, max_size=6),
    ending=st.lists(st.sampled_from(SUFFIXES), max_size=2),
)
def test_every_suffix(base: str, ending: list[str]) -> None:
    word = base + "".join(ending)
    assert stem(word) == PorterStemmer().stem(word)
    assert porters_stem(word) == PorterStemmer(mode="MARTIN_EXTENSIONS").stem(word)


def test_words_of_real_texts(shared_data: Callable[[str], Path]) -> None:
    documents = json.loads(shared_data("eks/data/mucsum/dev.json").read_text(encoding="utf-8"))
    words = {
        word for item in json.dumps(documents).lower().split() for word in [item] if word.isascii() and word.isalpha()
    }
    assert len(words) > 1000
    for ours, theirs in ((stem, PorterStemmer()), (porters_stem, PorterStemmer(mode="MARTIN_EXTENSIONS"))):
        assert [word for word in words if ours(word) != theirs.stem(word)] == []


@pytest.mark.parametrize(
    ("word", "extended", "own"),
    [
        ("dies", "die", "di"),
        ("dying", "die", "dy"),
        ("skies", "sky", "ski"),
        ("enjoy", "enjoy", "enjoi"),
        ("theologi", "theolog", "theologi"),
    ],
)
def test_where_the_two_differ(word: str, extended: str, own: str) -> None:
    assert (stem(word), porters_stem(word)) == (extended, own)
