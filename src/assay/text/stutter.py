"""Stuttering: a content word that a generated text repeats too often."""

from __future__ import annotations

from collections import Counter

from assay.text.english import STOP
from assay.text.tokenize import unicode_words

ALLOWED = 5
"""Occurrences of a content word that are still accepted."""


def stuttered(text: str, allowed: int = ALLOWED) -> str:
    """Return the first content word that occurs more than `allowed` times, or an empty text."""
    counts = Counter(word for word in map(str.lower, unicode_words(text)) if word not in STOP)
    return next((word for word, count in counts.items() if count > allowed), "")
