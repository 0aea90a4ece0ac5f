"""Sentences of an article that may support a sentence, highlighted for annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from assay.text.sentences import split_sentences

RUN, STEP, NEIGHBOURS = 5, 2, 1
"""As in FRANK: five words in a row, tested at every second word, and one neighbouring sentence on each side."""
MOST_ENDS = 64
"""Ends of a run that are looked for with the same inner words; only texts that repeat few words have more."""


def supporting_sentences(
    article: Sequence[str], sentence: str, run: int = RUN, step: int = STEP, neighbours: int = NEIGHBOURS
) -> list[int]:
    """Return the numbers of the article's sentences that share `run` words (at least two) in a row with a sentence, and
    neighbours."""
    hits = _shared(article, sentence, run, step)
    return _with_neighbours(hits, len(article), neighbours)


def _shared(article: Sequence[str], sentence: str, run: int = RUN, step: int = STEP) -> list[int]:
    """Return the numbers of the article's sentences that share a run; its first and last word may be parts of words."""
    words = sentence.split()
    runs: dict[tuple[str, ...], set[tuple[str, str]]] = {}
    for start in range(0, len(words) - run + 1, step):
        first, *inner, last = words[start : start + run]
        ends = runs.setdefault(tuple(inner), set())
        if len(ends) < MOST_ENDS:
            ends.add((first, last))
    return [number for number, text in enumerate(article) if _has_run(text.split(), runs, run)]


def _has_run(words: Sequence[str], runs: Mapping[tuple[str, ...], set[tuple[str, str]]], run: int) -> bool:
    """Return whether a sentence has any of these runs, given as inner words and their possible ends.

    Searching for each run would take the product of both lengths, and an article or a sentence may be long.
    """
    for start in range(len(words) - run + 1):
        if ends := runs.get(tuple(words[start + 1 : start + run - 1])):
            before, after = words[start], words[start + run - 1]
            if any(before.endswith(first) and after.startswith(last) for first, last in ends):
                return True
    return False


def _with_neighbours(hits: Sequence[int], length: int, neighbours: int = NEIGHBOURS) -> list[int]:
    near = {other for hit in hits for other in range(hit - neighbours, hit + neighbours + 1)}
    return [number for number in range(length) if number in near]


def supported_like(article: Sequence[str], sentence: str, model: str) -> list[int]:
    """Return the numbers of as many sentences as `model` would have, as near as possible to those of a sentence.

    Systems that write in their own words share few runs of words with the article, a sentence of the article with an
    error many. With the highlighting of `model`, moved to the passage that the sentence is about, both look alike.
    """
    own, pattern = set(_shared(article, sentence)), _shared(article, model)
    if not pattern:
        return []
    moves = range(-pattern[0], len(article) - pattern[-1])
    move = max(moves, key=lambda by: (len({hit + by for hit in pattern} & own), -abs(by)))
    return _with_neighbours([hit + move for hit in pattern], len(article))


@lru_cache(maxsize=128)
def paragraphs_of(source: str, language: str) -> list[list[str]]:
    """Split an article into sentences; cached, as every screen of a task shows the same article."""
    return [split_sentences(text, language=language or None) for text in source.splitlines() if text.strip()]
