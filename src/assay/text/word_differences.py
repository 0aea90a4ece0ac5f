"""Differences of two texts word by word: common words in order, and words of only one text."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal, NamedTuple

WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]|[^\W\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]+|[^\w\s]")
"""A word, a mark, or a character of a script without spaces."""


class Piece(NamedTuple):
    """A part of one text, and whether the other text has it; spaces after a word belong to it."""

    text: str
    kind: Literal["same", "own"]


def word_differences(a: str, b: str) -> tuple[list[Piece], list[Piece]]:
    """Return both texts in parts; joined, the parts of each are the text itself.

    >>> word_differences("the cat sat", "the dog sat")[1]
    [Piece(text='the ', kind='same'), Piece(text='dog ', kind='own'), Piece(text='sat', kind='same')]
    """
    ours, theirs = _words(a), _words(b)
    matcher = SequenceMatcher(None, [word.strip() for word in ours], [word.strip() for word in theirs], autojunk=False)
    first: list[Piece] = []
    second: list[Piece] = []
    for change, low, high, start, end in matcher.get_opcodes():
        kind: Literal["same", "own"] = "same" if change == "equal" else "own"
        if low < high:
            first.append(Piece("".join(ours[low:high]), kind))
        if start < end:
            second.append(Piece("".join(theirs[start:end]), kind))
    return first, second


def _words(text: str) -> list[str]:
    """Return the words, each with the characters up to the next one; the first also with those before it."""
    starts = [match.start() for match in WORD.finditer(text)]
    if not starts:
        return [text] if text else []
    bounds = [0, *starts[1:], len(text)]
    return [text[low:high] for low, high in pairwise(bounds)]
