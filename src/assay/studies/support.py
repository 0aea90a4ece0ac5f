"""Passages of an article that may support a sentence, to be marked for whoever has to check it."""

from __future__ import annotations

from collections.abc import Sequence

RUN, STEP, NEIGHBOURS = 5, 2, 1
"""As FRANK's annotators saw it: five words in a row, looked for at every second word, and what stands beside."""


def supporting(
    article: Sequence[str], sentence: str, run: int = RUN, step: int = STEP, neighbours: int = NEIGHBOURS
) -> list[int]:
    """The numbers of the article's sentences that share so many words in a row with it, and their neighbours."""
    words = sentence.split()
    pieces = [" ".join(words[start : start + run]) for start in range(0, len(words) - run + 1, step)]
    plain = [" ".join(text.split()) for text in article]
    hits = [number for number, text in enumerate(plain) if any(piece in text for piece in pieces)]
    near = {other for hit in hits for other in range(hit - neighbours, hit + neighbours + 1)}
    return [number for number in range(len(article)) if number in near]
