"""Sentences of an article that may support a sentence, highlighted for annotators."""

from __future__ import annotations

from collections.abc import Sequence

RUN, STEP, NEIGHBOURS = 5, 2, 1
"""As in FRANK: five words in a row, tested at every second word, and one neighbouring sentence on each side."""


def supporting_sentences(
    article: Sequence[str], sentence: str, run: int = RUN, step: int = STEP, neighbours: int = NEIGHBOURS
) -> list[int]:
    """Return the numbers of the article's sentences that share `run` words in a row with a sentence, and neighbours."""
    words = sentence.split()
    pieces = [" ".join(words[start : start + run]) for start in range(0, len(words) - run + 1, step)]
    plain = [" ".join(text.split()) for text in article]
    hits = [number for number, text in enumerate(plain) if any(piece in text for piece in pieces)]
    near = {other for hit in hits for other in range(hit - neighbours, hit + neighbours + 1)}
    return [number for number in range(len(article)) if number in near]
