"""Words of the Treebank beside NLTK's."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.treebank import treebank_words
from tests.support import TEXT, WORDY

PIECES = (
    "a the can't cannot 'tis gonna wanna \"x\" '' `` “q” ‘r’ (b) [c] $5 1,000 a,b : ... .. -- — U.S. end. !?"
    " rock'n'roll 's I'd d'ye more'n lemme ' «z» ...\" etc.) N'T won't @#&; * é 5:30 a:b word. we'll's"
).split()


@given(TEXT | WORDY | st.lists(st.sampled_from([*PIECES, " ", " "]), max_size=8).map("".join))
def test_they_are_those_of_nltk(text: str) -> None:
    tokenize = pytest.importorskip("nltk.tokenize.destructive").NLTKWordTokenizer().tokenize
    assert treebank_words(text) == tokenize(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\u0e34'tis", ["\u0e34'tis"]),  # a Thai vowel sign belongs to the word before the apostrophe
        ("e\u0301'tis", ["e\u0301'tis"]),
        ("'\u0301 a", ["'", "\u0301", "a"]),
        ("cannot\u0301", ["can", "not", "\u0301"]),  # contractions do not look at marks
    ],
)
def test_a_combining_mark_belongs_to_a_word(text: str, words: list[str]) -> None:
    assert treebank_words(text) == words


def test_one_contraction_after_another_is_split() -> None:
    assert treebank_words("cannot'tis'twas") == ["can", "not", "'t", "is", "'t", "was"]


def test_separators_only_divide_words() -> None:
    assert treebank_words("etc.)\x1e") == ["etc.", ")"]
    assert treebank_words("a\x1cb") == ["a", "b"]


def test_many_spaces_take_no_longer_than_as_many_letters() -> None:
    """Space after a full stop that does not end the sentence."""
    began = time.process_time()
    assert treebank_words("a." + " " * 100_000 + "b") == ["a.", "b"]
    assert time.process_time() - began < 2
