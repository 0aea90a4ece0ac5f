"""Sentences of outputs and contexts with their offsets and words, and which of them can be checked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from assay.text.english import STOP, stem
from assay.text.mentions import DAYS, MONTHS
from assay.text.quantities import Quantity, quantities
from assay.text.sentences import split_sentences

WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
MARKER = re.compile(r"\[\d{1,3}(?:,\s?\d{1,3}){0,9}\]")
"""Citation markers, which are no numbers of the text."""
CAPITAL_WORDS = frozenset("unk i i'm i've i'd i'll mr mrs ms dr".split())
OPENERS = re.compile(
    r"(?:(?:hi|hello|hey|thanks|thank you|sure|certainly|of course|great question|i hope|let me know|feel free|here is|"
    r"here are|here's|in my opinion|i think|i believe|please|sorry)\b)",
    re.IGNORECASE,
)
LONGEST = 4000
"""Characters of a sentence; a longer one is read in pieces."""


class Token(NamedTuple):
    """A word of a sentence: its text, its stem, and where it begins."""

    text: str
    form: str
    start: int

    @property
    def content(self) -> bool:
        return self.form not in STOP and len(self.form) > 1


class Sentence(NamedTuple):
    """A sentence of a text, at its offsets, with words, quantities and names."""

    text: str
    start: int
    end: int
    tokens: tuple[Token, ...]
    numbers: tuple[Quantity, ...]
    names: frozenset[str]
    dates: frozenset[str]

    @property
    def content(self) -> list[str]:
        return [token.form for token in self.tokens if token.content]


@lru_cache(maxsize=1 << 16)
def form(word: str) -> str:
    """Return the stem of a word in lower case."""
    low = word.lower().replace("’", "'").removesuffix("'s")
    return stem(low) if low.isascii() and low.isalpha() and len(low) > 3 else low


@lru_cache(maxsize=1024)
def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text, in order, by the rules of English, like all rules here."""
    result: list[Sentence] = []
    place = 0
    for each in split_sentences(text, "multilingual", "en"):
        start = max(text.find(each, place), place)
        place = start + len(each)
        result += [read_sentence(each[low:high], start + low, start + high) for low, high in _pieces(each)]
    return tuple(result)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of a sentence, or of pieces of at most LONGEST characters between words."""
    low = 0
    while len(text) - low > LONGEST:
        high = text.rfind(" ", low + 1, low + LONGEST)
        high = high if high > 0 else low + LONGEST
        yield low, high
        low = high
    yield low, len(text)


def read_sentence(text: str, start: int = 0, end: int | None = None) -> Sentence:
    """Return a sentence with its words, quantities and names."""
    plain = MARKER.sub(lambda match: " " * len(match[0]), text)
    tokens = tuple(Token(match[0], form(match[0]), match.start()) for match in WORD.finditer(plain))
    dates = {token.text.lower() for token in tokens if token.text.lower() in DAYS or token.text.lower() in MONTHS[:4]}
    dates |= {token.text.lower() for token in tokens if token.text.lower() in MONTHS and token.text[0].isupper()}
    names = {
        token.form
        for i, token in enumerate(tokens)
        if token.text[0].isupper() and token.text.lower() not in dates and token.text.lower() not in CAPITAL_WORDS
        and (i > 0 or (len(tokens) > 1 and tokens[1].text[0].isupper()) or token.text.isupper())
        and token.text.lower() not in STOP
    }  # fmt: skip
    numbers = tuple(one for one in quantities(plain) if one.text.lower() not in ("one", "zero"))
    return Sentence(
        text, start, len(text) + start if end is None else end, tokens, numbers, frozenset(names), frozenset(dates)
    )


def spelled(sentence: Sentence, stem: str) -> str:
    """Return a word of a sentence as it is written."""
    return next(token.text for token in sentence.tokens if token.form == stem)


def is_checkable(sentence: Sentence) -> bool:
    """Return whether a sentence states something: no question, greeting, heading or opinion."""
    text = sentence.text.strip()
    states = len(sentence.content) + 2 * bool(sentence.numbers) >= 2
    return states and not text.endswith(("?", "？", ":")) and not OPENERS.match(text)
