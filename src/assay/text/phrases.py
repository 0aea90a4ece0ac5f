"""Texts and values as words to be compared, whatever their case, accents, hyphens and ways to write numbers; and
phrases with alternatives, found in such words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

WORD = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
GLUED = re.compile(r"['’`´]|(?<=\b\w)\.(?=\w\b)|(?<=\.\w)\.")
"""Apostrophes, and the points of U.S.A."""
UNDECOMPOSED = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "œ": "oe"}
)
ALTERNATIVES = re.compile(r"\(([^()]*)\)")
UNITS = dict(zip("zero one two three four five six seven eight nine ten eleven twelve".split(), range(13), strict=True))
TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
V = TypeVar("V")


@lru_cache(maxsize=1 << 14)
def plain_words(text: str, english: bool = True) -> tuple[str, ...]:
    """Words in lower case without accents, apostrophes and marks; numbers as digits (English ones in words, too)."""
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
"""What may stand at a place of a phrase, each in words; the empty one means nothing may."""


def read_pattern(pattern: str) -> tuple[Element, ...]:
    """A phrase with alternatives: `(kid|small child|) friendly`."""
    elements: list[Element] = []
    for i, part in enumerate(ALTERNATIVES.split(pattern)):
        if i % 2:
            choices = {plain_words(choice) for choice in part.split("|")}
            elements.append(tuple(sorted(choices, key=len, reverse=True)))
        else:
            elements += [((word,),) for word in plain_words(part)]
    return tuple(elements)


def _first_words(elements: Sequence[Element]) -> set[str]:
    """The words a phrase may begin with."""
    found: set[str] = set()
    for element in elements:
        found |= {choice[0] for choice in element if choice}
        if () not in element:
            break
    return found


def _end(elements: Sequence[Element], words: Sequence[str], i: int) -> int:
    """Where the longest phrase that begins at a word ends; -1 where none does."""
    if not elements:
        return i
    best = -1
    for choice in elements[0]:
        if not choice or (i < len(words) and words[i] == choice[0] and tuple(words[i : i + len(choice)]) == choice):
            best = max(best, _end(elements[1:], words, i + len(choice)))
    return best


class Found(NamedTuple, Generic[V]):
    """A phrase in a text: the words `start` to `end`, and what it stands for."""

    start: int
    end: int
    meaning: V


class Phrases(Generic[V]):
    """Patterns by what they stand for. Of phrases that begin at a word the longest counts, and uses up its words."""

    def __init__(self, patterns: Mapping[V, Iterable[str]]) -> None:
        self._by_first: dict[str, list[tuple[tuple[Element, ...], V]]] = {}
        for meaning, texts in patterns.items():
            for elements in dict.fromkeys(map(read_pattern, texts)):
                for word in _first_words(elements):
                    self._by_first.setdefault(word, []).append((elements, meaning))

    def find(self, words: Sequence[str]) -> list[Found[V]]:
        found: list[Found[V]] = []
        i = 0
        while i < len(words):
            ends = [(_end(elements, words, i), meaning) for elements, meaning in self._by_first.get(words[i], ())]
            end, meaning = max(ends, key=lambda each: each[0], default=(-1, None))
            if end > i and meaning is not None:
                found.append(Found(i, end, meaning))
            i = max(end, i + 1)
        return found
