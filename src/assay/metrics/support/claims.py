"""Sentences of outputs and contexts with their offsets and words, and which of them can be checked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from assay.metrics.support.answer_phrases import LEAD, is_lack
from assay.metrics.support.lexicon import form
from assay.text.english import STOP
from assay.text.mentions import DAYS, MONTHS
from assay.text.quantities import Quantity, quantities
from assay.text.sentences import split_sentences

WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
MARKER = re.compile(r"\[\d{1,3}(?:,\s?\d{1,3}){0,9}\]")
"""Citation markers, which are no numbers of the text."""
CAPITAL_WORDS = frozenset("unk i i'm i've i'd i'll mr mrs ms dr hi hello hey dear thanks ok".split())
OPENERS = re.compile(
    r"(?:(?:hi|hello|hey|thanks|thank you|sure|certainly|of course|great question|i hope|let me know|feel free|here is|"
    r"here are|here's|in my opinion|i think|i believe|please|sorry|hope (?:this|that|it) helps?|happy to help|"
    r"glad to help|i'd be happy|you're welcome|best regards|kind regards|best wishes)\b)",
    re.IGNORECASE,
)
BETWEEN = frozenset(("of", "the", "and", "for", "in"))
"""Small words inside a name of several words."""
MOST_INITIALS = 6
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
    if lead := LEAD.match(plain):
        plain = " " * lead.end() + plain[lead.end() :]
    tokens = tuple(Token(match[0], _form(match[0]), match.start()) for match in WORD.finditer(plain))
    dates = {token.text.lower() for token in tokens if token.text.lower() in DAYS or token.text.lower() in MONTHS[:4]}
    dates |= {token.text.lower() for token in tokens if token.text.lower() in MONTHS and token.text[0].isupper()}
    numbers = tuple(one for one in quantities(plain) if one.text.lower() not in ("one", "zero"))
    counted = {i for one in numbers for i in range(one.start, one.end)} if numbers else frozenset[int]()
    names = {
        token.form
        for i, token in enumerate(tokens)
        if token.text[0].isupper() and token.text.lower() not in dates and token.text.lower() not in CAPITAL_WORDS
        and (i > 0 or (len(tokens) > 1 and tokens[1].text[0].isupper()) or token.text.isupper())
        and token.form not in STOP and token.start not in counted
    }  # fmt: skip
    return Sentence(
        text, start, len(text) + start if end is None else end, tokens, numbers, frozenset(names), frozenset(dates)
    )


def _form(word: str) -> str:
    """Return the form of a word; one in capitals that would be a function word (WHO, US, IT) is another word."""
    return word if len(word) > 1 and word.isupper() and word.lower() in STOP else form(word)


def initials(sentence: Sentence) -> dict[str, frozenset[str]]:
    """Return the initials of runs of capitalised words, small words between them left out, with their forms."""
    forms_of: dict[str, frozenset[str]] = {}
    run: list[Token] = []
    for token in (*sentence.tokens, None):
        if token and token.text[0].isupper():
            run.append(token)
            continue
        if token and run and token.text in BETWEEN:
            continue
        for first in range(len(run) - 1):
            for last in range(first + 2, min(len(run), first + MOST_INITIALS) + 1):
                part = run[first:last]
                forms_of["".join(one.text[0] for one in part).lower()] = frozenset(one.form for one in part)
        run = []
    return forms_of


def spelled(sentence: Sentence, stem: str) -> str:
    """Return a word of a sentence as it is written."""
    return next(token.text for token in sentence.tokens if token.form == stem)


def is_checkable(sentence: Sentence) -> bool:
    """Return whether a sentence states something: no question, greeting, heading, opinion or lack of information."""
    text = sentence.text.strip()
    if is_lack(text):
        return False
    denies = any(token.text.lower() in ("no", "not", "never") for token in sentence.tokens)
    states = len(sentence.content) + 2 * bool(sentence.numbers) + denies >= 2
    return states and not text.endswith(("?", "？", ":")) and not OPENERS.match(text)
