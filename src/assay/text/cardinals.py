"""Cardinal numbers in English texts: their positions, their format, and other numbers in the same format."""

from __future__ import annotations

import re
from decimal import Decimal
from random import Random
from typing import NamedTuple

from assay.text.english import is_english
from assay.text.phrases import TENS, UNITS

TEENS = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
SMALL = {**UNITS, **{word: 13 + i for i, word in enumerate(TEENS)}}
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
SPELLED = {number: word for word, number in {**SMALL, **TENS}.items()}
_ONE = "|".join(sorted({**SMALL, **TENS}, key=len, reverse=True))
_ANY = f"{_ONE}|hundred|{'|'.join(SCALES)}"
WRITTEN = re.compile(rf"(?<![\w-])(?:{_ONE})(?:(?:-|\s+(?:and\s+)?)(?:{_ANY}))*(?![\w-])", re.IGNORECASE)
_NUMBER = r"(?<![\w.,:/#−–-])(?:(?<![^\s(])[−-])?(?:[1-9]\d{0,2}(?:,\d{3})+|0(?!\d)|[1-9]\d*)(?:\.\d+)?"
_ALONE = r"(?!\w|[.,:/−–-]\d|\s?(?:am|pm|a\.m|p\.m)\b)"
_UNITS = "kgs?|km|cm|mm|m|mi|ft|in|lbs?|mph|kmh|kW|MW|MB|GB|USD|EUR|GBP"
DIGITS = re.compile(_NUMBER + _ALONE)
"""A separate number: not part of a date, time, version, range or name (`B-52`, `A380`, `4th`)."""
WITH_UNITS = re.compile(rf"{_NUMBER}(?:{_ALONE}|(?=(?:{_UNITS})(?:[23²³]|\b)))")
MONTHS = "january february march april may june july august september october november december".split()
_MONTH = rf"(?:{'|'.join(MONTHS)}|{'|'.join(month[:3] for month in MONTHS)})\.?"
DATE = re.compile(rf"\b{_MONTH}\s+\d{{1,2}}(?:,?\s+\d{{4}})?\b|\b\d{{1,2}}\s+{_MONTH}(?:\s+\d{{4}})?\b", re.IGNORECASE)


class Cardinal(NamedTuple):
    """A number in a text."""

    start: int
    end: int
    text: str
    value: Decimal

    @property
    def decimals(self) -> int:
        return len(self.text.partition(".")[2])

    @property
    def year(self) -> bool:
        """Return whether it may be a year: four digits, from 1000 to 2100."""
        return len(self.text) == 4 and self.text.isdigit() and 1000 <= self.value <= 2100

    def written(self, value: Decimal) -> str:
        """Return another value in the same format: words or digits, grouping, and number of decimals."""
        if self.text[0].isalpha():
            words = spell(int(value))
            return words[0].upper() + words[1:] if self.text[0].isupper() else words
        sign = self.text[0] if self.text[0] in "-−" else ""
        return sign + format(abs(value), f"{',' if ',' in self.text else ''}.{self.decimals}f")


def in_dates(text: str) -> set[int]:
    """Return the offsets of the characters of all dates with a month name."""
    return {place for match in DATE.finditer(text) for place in range(*match.span())}


def cardinals(text: str, *, years: bool = False, units: bool = False, language: str | None = None) -> list[Cardinal]:
    """Return the cardinal numbers of a text in order, without dates.

    Number words are read in English only. `one` is left out unless it is the whole text: it is usually a pronoun.

    Args:
        text: The text.
        years: Whether to include numbers that may be years.
        units: Whether a unit can follow without a space (`70kg`).
        language: Language of the text (default: English).
    """
    dates = in_dates(text)
    numbers = []
    for match in (WITH_UNITS if units else DIGITS).finditer(text):
        value = Decimal(match[0].replace(",", "").replace("−", "-"))
        numbers.append(Cardinal(match.start(), match.end(), match[0], value))
    for match in WRITTEN.finditer(text) if is_english(language) else ():
        number = read_words(match[0])
        if number is not None and (match[0].lower() != "one" or match[0] == text.strip()):
            numbers.append(Cardinal(match.start(), match.end(), match[0], Decimal(number)))
    kept = [each for each in numbers if each.start not in dates]
    return sorted(each for each in kept if years or not each.year)


def varied(cardinal: Cardinal, draw: Random) -> str:
    """Return another number in the same format, from 0 to the next power of ten: 54 becomes one of 0 to 100."""
    size = abs(cardinal.value)
    unit = Decimal(1).scaleb(-cardinal.decimals)
    bound = unit
    while bound <= size:
        bound *= 10
    if not size:
        bound = 10 * unit
    while True:
        number = draw.randint(0, int(bound / unit)) * unit
        if number != size:
            return cardinal.written(number.copy_sign(cardinal.value))


def spell(number: int) -> str:
    """Return an integer below a trillion in words: `three hundred fifty-two`."""
    if number in SPELLED:
        return SPELLED[number]
    if number < 100:
        return f"{SPELLED[number // 10 * 10]}-{SPELLED[number % 10]}"
    scale, word = next(((size, word) for word, size in reversed(SCALES.items()) if number >= size), (100, "hundred"))
    rest = f" {spell(number % scale)}" if number % scale else ""
    return f"{spell(number // scale)} {word}{rest}"


def read_words(text: str) -> int | None:
    """Return the number that words express; None if they are not exactly one number."""
    total = group = 0
    last, closed = 10**12, 10**12
    for word in re.split(r"[\s-]+", text.lower()):
        if word == "and":
            continue
        if word == "hundred" and 0 < group < 10:
            group, last = group * 100, 100
        elif (size := SCALES.get(word)) and group and size < closed:
            total, group, last, closed = total + group * size, 0, 10**12, size
        else:
            value = SMALL.get(word, TENS.get(word))
            if value is None or (group and (not value or last < 20 or (last < 100 and value > 9))):
                return None
            group, last = group + value, value
    return total + group
