"""Normalised words for comparison, independent of case, accents, hyphens and number formats, and matching of phrases
with alternatives in such words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

WORD = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
GLUED = re.compile(r"['’`´]|(?<=\b\w)\.(?=\w\b)|(?<=\.\w)\.")
"""Apostrophes, and the dots of U.S.A."""
UNDECOMPOSED = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "œ": "oe"}
)
ALTERNATIVES = re.compile(r"\(([^()]*)\)")
UNITS = dict(zip("zero one two three four five six seven eight nine ten eleven twelve".split(), range(13), strict=True))
TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
V = TypeVar("V")


@lru_cache(maxsize=1 << 14)
def plain_words(text: str, english: bool = True) -> tuple[str, ...]:
    """Return lower-cased words without accents, apostrophes and marks, and numbers (also English words) as digits."""
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text.translate(UNDECOMPOSED))
        text = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    words = WORD.findall(GLUED.sub("", text).lower())
    return tuple(_as_digits(words) if english else map(_number, words))


def _number(word: str) -> str:
    if not word[0].isdigit():
        return word
    if GROUPED.fullmatch(word):
        word = word.replace(",", "")
    return word.rstrip("0").rstrip(".") if "." in word and word.replace(".", "", 1).isdigit() else word


def _as_digits(words: Sequence[str]) -> Iterator[str]:
    tens = 0
    for word in words:
        unit = UNITS.get(word)
        if tens:
            if unit and unit < 10:
                yield str(tens + unit)
                tens = 0
                continue
            yield str(tens)
            tens = 0
        if word in TENS:
            tens = TENS[word]
        else:
            yield _number(word) if unit is None else str(unit)
    if tens:
        yield str(tens)


Element = tuple[tuple[str, ...], ...]
"""Alternatives at a position of a phrase, in words; an empty one is optional."""


def read_pattern(pattern: str) -> tuple[Element, ...]:
    """Parse a phrase with alternatives: `(kid|small child|) friendly`."""
    elements: list[Element] = []
    for i, part in enumerate(ALTERNATIVES.split(pattern)):
        if i % 2:
            choices = {plain_words(choice) for choice in part.split("|")}
            elements.append(tuple(sorted(choices, key=len, reverse=True)))
        else:
            elements += [((word,),) for word in plain_words(part)]
    return tuple(elements)


class Match(NamedTuple, Generic[V]):
    """A match of a phrase: the words `start` to `end`, and its value."""

    start: int
    end: int
    meaning: V


Place = tuple[int, int, int, int]
"""A state: number of the pattern, element, alternative, and number of matched words."""


class _State(Generic[V]):
    """All states after some words; transitions are computed once."""

    def __init__(self, places: frozenset[Place], meaning: V | None) -> None:
        self.places, self.meaning = places, meaning
        self.after: dict[str, _State[V] | None] = {}


class Phrases(Generic[V]):
    """Patterns by value. Of the phrases that start at a word, the longest matches and consumes its words."""

    def __init__(self, patterns: Mapping[V, Iterable[str]]) -> None:
        read = [
            (each, meaning) for meaning, texts in patterns.items() for each in dict.fromkeys(map(read_pattern, texts))
        ]
        self._patterns = [elements for elements, _ in read]
        self._meanings = [meaning for _, meaning in read]
        self._words = {
            word for elements in self._patterns for element in elements for choice in element for word in choice
        }
        self._states: dict[frozenset[Place], _State[V]] = {}
        self._start = self._state(place for number in range(len(read)) for place in self._entered(number, 0))

    def _entered(self, number: int, element: int) -> Iterator[Place]:
        """Return the states before an element, and before the next ones if it is optional."""
        elements = self._patterns[number]
        while element < len(elements):
            yield from ((number, element, which, 0) for which, choice in enumerate(elements[element]) if choice)
            if () not in elements[element]:
                return
            element += 1
        yield number, element, 0, 0

    def _state(self, places: Iterable[Place]) -> _State[V]:
        known = frozenset(places)
        if known not in self._states:
            whole = [number for number, element, _, _ in known if element == len(self._patterns[number])]
            self._states[known] = _State(known, self._meanings[min(whole)] if whole else None)
        return self._states[known]

    def _next(self, state: _State[V], word: str) -> _State[V] | None:
        reached: set[Place] = set()
        for number, element, which, done in state.places:
            elements = self._patterns[number]
            if element == len(elements) or elements[element][which][done] != word:
                continue
            if done + 1 < len(elements[element][which]):
                reached.add((number, element, which, done + 1))
            else:
                reached.update(self._entered(number, element + 1))
        state.after[word] = self._state(reached) if reached else None
        return state.after[word]

    def find(self, words: Sequence[str]) -> list[Match[V]]:
        matches: list[Match[V]] = []
        known = self._words
        size, i = len(words), 0
        while i < size:
            state: _State[V] | None = self._start
            end, meaning, j = i, None, i
            while state is not None and j < size and (word := words[j]) in known:
                state = state.after[word] if word in state.after else self._next(state, word)
                j += 1
                if state is not None and state.meaning is not None:
                    end, meaning = j, state.meaning
            if meaning is not None:
                matches.append(Match(i, end, meaning))
            i = max(end, i + 1)
        return matches
