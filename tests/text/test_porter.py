"""The stemmer against NLTK's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from assay.text._kernels.porter import stem

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


def test_words_of_real_texts(shared_data: Callable[[str], Path]) -> None:
    documents = json.loads(shared_data("eks/data/mucsum/dev.json").read_text(encoding="utf-8"))
    words = {
        word for item in json.dumps(documents).lower().split() for word in [item] if word.isascii() and word.isalpha()
    }
    theirs = PorterStemmer()
    assert len(words) > 1000
    assert [word for word in words if stem(word) != theirs.stem(word)] == []
