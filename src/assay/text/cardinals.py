"""Cardinal numbers in English texts: where they stand, how they are written, and others written the same way."""

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
"""A number that stands alone: not a part of a date, a time, a version, a range or a name (`B-52`, `A380`, `4th`)."""
WITH_UNITS = re.compile(rf"{_NUMBER}(?:{_ALONE}|(?=(?:{_UNITS})(?:[23²³]|\b)))")
MONTHS = "january february march april may june july august september october november december".split()
_MONTH = rf"(?:{'|'.join(MONTHS)}|{'|'.join(month[:3] for month in MONTHS)})\.?"
DATE = re.compile(rf"\b{_MONTH}\s+\d{{1,2}}(?:,?\s+\d{{4}})?\b|\b\d{{1,2}}\s+{_MONTH}(?:\s+\d{{4}})?\b", re.IGNORECASE)


class Cardinal(NamedTuple):
    """A number as it stands in a text."""

    start: int
    end: int
    text: str
    value: Decimal

    @property
    def decimals(self) -> int:
        return len(self.text.partition(".")[2])

    @property
    def year(self) -> bool:
        """Whether it may be one: four digits alone, from 1000 to 2100."""
        return len(self.text) == 4 and self.text.isdigit() and 1000 <= self.value <= 2100

    def written(self, value: Decimal) -> str:
        """Another value in the same format: in words or digits, grouped or not, with as many decimals."""
        if self.text[0].isalpha():
            words = spell(int(value))
            return words[0].upper() + words[1:] if self.text[0].isupper() else words
        sign = self.text[0] if self.text[0] in "-−" else ""
        return sign + format(abs(value), f"{',' if ',' in self.text else ''}.{self.decimals}f")


def in_dates(text: str) -> set[int]:
    """The places of the characters of all dates with a month's name."""
    return {place for match in DATE.finditer(text) for place in range(*match.span())}


def cardinals(text: str, *, years: bool = False, units: bool = False, language: str | None = None) -> list[Cardinal]:
    """The cardinals of a text in their order. Dates are none; a number that may be a year is one if `years` says so,
    a unit may cling to it if `units` does (`70kg`), and a lone `one` is none, since it is most often a pronoun (unless
    it is all there is). Of other languages than English words are none."""
    dates = in_dates(text)
    found = []
    for match in (WITH_UNITS if units else DIGITS).finditer(text):
        value = Decimal(match[0].replace(",", "").replace("−", "-"))
        found.append(Cardinal(match.start(), match.end(), match[0], value))
    for match in WRITTEN.finditer(text) if is_english(language) else ():
        number = read_words(match[0])
        if number is not None and (match[0].lower() != "one" or match[0] == text.strip()):
            found.append(Cardinal(match.start(), match.end(), match[0], Decimal(number)))
    kept = [each for each in found if each.start not in dates]
    return sorted(each for each in kept if years or not each.year)


def varied(cardinal: Cardinal, draw: Random) -> str:
    """Another number in the same format, from 0 to the next power of ten: 54 becomes one of 0 to 100."""
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
    """A whole number below a trillion in words: `three hundred fifty-two`."""
    if number in SPELLED:
        return SPELLED[number]
    if number < 100:
        return f"{SPELLED[number // 10 * 10]}-{SPELLED[number % 10]}"
    scale, word = next(((size, word) for word, size in reversed(SCALES.items()) if number >= size), (100, "hundred"))
    rest = f" {spell(number % scale)}" if number % scale else ""
    return f"{spell(number // scale)} {word}{rest}"


def read_words(text: str) -> int | None:
    """The number that words say; None where they are several numbers or none."""
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
