"""Layouts without punctuation marks."""

from __future__ import annotations

import numpy as np

from assay.metrics.layout import Layout, read_with_words, shared
from assay.metrics.tokenize import is_word
from assay.records import Items


def keep_words(layout: Layout, vocabulary: list[str] | tuple[str, ...]) -> Layout:
    """Without the tokens that are single punctuation marks."""
    wanted = np.fromiter(map(is_word, vocabulary), dtype=bool, count=len(vocabulary))
    kept = wanted[layout.ids] if len(vocabulary) else np.zeros(0, dtype=bool)
    starts = np.concatenate([[0], np.cumsum(kept)])[layout.starts].astype(np.int64)
    return Layout(layout.ids[kept], starts, layout.first, layout.size)


def without_punctuation(items: Items, tokenizer: str) -> Layout:
    """Outputs and references in lower case, punctuation marks left out; made once for the same items."""

    def make() -> Layout:
        layout, vocabulary = read_with_words(items, tokenizer, True)
        return keep_words(layout, vocabulary.words())

    return shared(items, ("words only", tokenizer), make)
