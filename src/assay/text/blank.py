"""Texts in which nothing can be seen."""

from __future__ import annotations

import unicodedata

UNSEEN = ("Cc", "Cf", "Zs", "Zl", "Zp")
"""Controls, marks without width (of joining, of direction, of byte order), blanks and ends of lines."""


def is_blank(text: str) -> bool:
    """Whether a text says nothing: it is empty, or whoever prints it sees nothing.

    >>> is_blank(" \\u200b"), is_blank("\\u200ba")
    (True, False)
    """
    return all(unicodedata.category(character) in UNSEEN for character in text)
