"""Fragments: two or more words of a sentence that neither start nor end with a function word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

TOKEN = re.compile(r"\w+(?:['’.-]\w+)*|[^\w\s]")
DETERMINERS = "a an the this that these those"
AUXILIARIES = "is are am was were has had have"
PREPOSITIONS = """
    to of from in on for with by at as into if because while than about after against although among around before
    behind below between beyond during since though through toward towards under unless until upon whether within
    without
"""
SPECIAL = frozenset(f"{DETERMINERS} {AUXILIARIES} {PREPOSITIONS}".split())
"""Determiners, forms of to be and to have, prepositions and subordinating conjunctions; punctuation counts, too."""


def fragment_words(sentence: str, lowercase: bool = True) -> list[str]:
    """Return words and punctuation; hyphenated words are one word."""
    return TOKEN.findall(sentence.lower() if lowercase else sentence)


def is_special(word: str) -> bool:
    """Return whether a fragment can neither start nor end with this token."""
    return word.lower() in SPECIAL or not any(map(str.isalnum, word))


def windows(words: Sequence[str], longest: int) -> Iterator[tuple[int, int]]:
    """Return start and end of every fragment, shorter ones first, from left to right."""
    open_at = [not is_special(word) for word in words]
    for length in range(2, min(len(words), longest) + 1):
        for start in range(len(words) - length + 1):
            if open_at[start] and open_at[start + length - 1]:
                yield start, start + length
