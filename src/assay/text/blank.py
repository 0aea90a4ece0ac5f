"""Texts without visible characters."""

from __future__ import annotations

import unicodedata

UNSEEN = ("Cc", "Cf", "Zs", "Zl", "Zp")
"""Categories of controls, zero-width marks, spaces and line separators."""


def is_blank(text: str) -> bool:
    """Return whether a text is empty or has no visible character.

    >>> is_blank(" \\u200b"), is_blank("\\u200ba")
    (True, False)
    """
    return all(unicodedata.category(character) in UNSEEN for character in text)
