"""Whole numbers in texts of others."""

from __future__ import annotations

MOST_DIGITS = 18
"""Python refuses to convert thousands of digits, and every count and position has fewer."""


def is_integer(text: str) -> bool:
    """Return whether `int` accepts a text of digits only; superscripts are digits that it refuses."""
    return len(text) <= MOST_DIGITS and text.isdecimal()
