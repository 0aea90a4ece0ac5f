"""Features of a text for small models of ratings: eight counts of its surface, and its sentence vector."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from assay.models.context import Context
from assay.models.encoder import Encoder
from assay.text.sentences import split_sentences
from assay.text.tokenize import gem_words

Floats = NDArray[np.float64]
SURFACE = (
    "words",
    "words_per_sentence",
    "characters_per_word",
    "different_words",
    "marks",
    "digits",
    "capitals",
    "repeated_pairs",
)
"""Surface features of a text, in addition to its vector."""


def features(texts: list[str], encoder: Encoder | None, context: Context) -> Floats:
    """Return one row per text: surface features, then the sentence vector unless there is no encoder."""
    counted = np.array([_counted(text) for text in texts], dtype=np.float64).reshape(len(texts), len(SURFACE))
    if encoder is None:
        return counted
    return np.column_stack([counted, encoder.vectors(texts, context).astype(np.float64)])


def _counted(text: str) -> list[float]:
    words = gem_words(text)
    pairs = list(pairwise(words))
    letters = sum(map(len, words)) or 1
    return [
        np.log1p(len(words)),
        len(words) / max(1, len(split_sentences(text))),
        letters / max(1, len(words)),
        len({word.lower() for word in words}) / max(1, len(words)),
        sum(not any(map(str.isalnum, word)) for word in words) / max(1, len(words)),
        sum(map(str.isdigit, text)) / letters,
        sum(word[:1].isupper() for word in words) / max(1, len(words)),
        1 - len(set(pairs)) / max(1, len(pairs)),
    ]
