"""Quantities in texts: numbers in digits or words, with scale (`4 million`), unit and currency, at their offsets."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from assay.text.cardinals import SCALES, SMALL
from assay.text.phrases import TENS

WORDS = {**SMALL, **TENS, "hundred": 100, "dozen": 12}
MULTIPLES = {**SCALES, "thousands": 10**3, "millions": 10**6, "billions": 10**9, "trillion": 10**12, "k": 10**3,
             "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9, "tn": 10**12}  # fmt: skip
"""Factors of words and letters after a number; letters count only behind a currency."""
LETTERS = frozenset(("k", "m", "b"))
CURRENCIES = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "dollars": "dollar", "dollar": "dollar",
              "usd": "dollar", "euros": "euro", "euro": "euro", "eur": "euro", "pounds": "pound", "pound": "pound",
              "gbp": "pound", "yen": "yen", "jpy": "yen", "yuan": "yuan", "cents": "cent"}  # fmt: skip
UNITS = {
    "%": ("percent", 1), "percent": ("percent", 1), "per cent": ("percent", 1), "percentage": ("percent", 1),
    "km": ("metre", 1000), "kilometres": ("metre", 1000), "kilometers": ("metre", 1000), "kilometre": ("metre", 1000),
    "kilometer": ("metre", 1000), "centimetres": ("metre", 0.01), "centimeters": ("metre", 0.01), "m": ("metre", 1),
    "metres": ("metre", 1), "meters": ("metre", 1), "metre": ("metre", 1), "meter": ("metre", 1), "cm": ("metre", 0.01),
    "mm": ("metre", 0.001), "miles": ("mile", 1), "mile": ("mile", 1), "feet": ("foot", 1), "ft": ("foot", 1),
    "kg": ("gram", 1000), "kilograms": ("gram", 1000), "kilos": ("gram", 1000), "g": ("gram", 1), "grams": ("gram", 1),
    "mg": ("gram", 0.001), "tonnes": ("gram", 10**6), "tons": ("ton", 1), "pounds": ("pound", 1), "lbs": ("pound", 1),
    "seconds": ("second", 1), "second": ("second", 1), "s": ("second", 1), "minutes": ("second", 60),
    "minute": ("second", 60), "min": ("second", 60), "hours": ("second", 3600), "hour": ("second", 3600),
    "h": ("second", 3600), "days": ("second", 86400), "day": ("second", 86400), "weeks": ("second", 604800),
    "week": ("second", 604800), "months": ("month", 1), "month": ("month", 1), "years": ("month", 12),
    "year": ("month", 12), "°c": ("celsius", 1), "°f": ("fahrenheit", 1),
    "watts": ("watt", 1), "watt": ("watt", 1), "kilowatts": ("watt", 1000), "kilowatt": ("watt", 1000),
    "megawatts": ("watt", 10**6), "megawatt": ("watt", 10**6), "gigawatts": ("watt", 10**9), "gw": ("watt", 10**9),
    "gigawatt": ("watt", 10**9), "milligrams": ("gram", 0.001), "millimetres": ("metre", 0.001),
    "millimeters": ("metre", 0.001), "gigabytes": ("byte", 10**9), "megabytes": ("byte", 10**6),
    "terabytes": ("byte", 10**12), "tb": ("byte", 10**12), "millilitres": ("litre", 0.001),
    "milliliters": ("litre", 0.001),
    "degrees": ("degree", 1), "kw": ("watt", 1000), "mw": ("watt", 10**6),
    "gb": ("byte", 10**9), "mb": ("byte", 10**6), "kb": ("byte", 10**3), "litres": ("litre", 1), "liters": ("litre", 1),
    "litre": ("litre", 1), "liter": ("litre", 1), "ml": ("litre", 0.001), "gram": ("gram", 1), "tonne": ("gram", 10**6),
    "kilogram": ("gram", 1000), "kilo": ("gram", 1000), "points": ("point", 1),
}  # fmt: skip
"""Dimension and factor of units, lower-cased; those of one dimension are compared in the same unit."""
SAME = ({"degree", "celsius"}, {"degree", "fahrenheit"})
"""Units that do not differ: `20 degrees` is `20 °C`."""
_WORD = "|".join(sorted(WORDS, key=len, reverse=True))
NUMBER = re.compile(
    rf"(?<!\w)(?P<sign>(?<![\w.])[-−+])?(?P<money>[$€£¥]\s?|(?:EUR|USD|GBP|JPY)\s?)?"
    rf"(?:(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d+)(?P<decimals>\.\d+)?"
    rf"|\b(?P<words>(?:{_WORD})(?:[\s-](?:and\s)?(?:{_WORD})){{0,5}})\b)",
    re.IGNORECASE,
)
AFTER = re.compile(r"[\s-]?([%°][CF]?|[A-Za-z]{1,12})(?![A-Za-z])(?:\s([A-Za-z]{1,12})(?![A-Za-z]))?")


class Quantity(NamedTuple):
    """A number in a text; `unit` is empty if it has none that is known."""

    start: int
    end: int
    text: str
    value: float
    unit: str
    plain: float = math.nan
    """The value without the factor of its unit: 1.5 of `1.5 km`."""

    def agrees(self, other: Quantity, tolerance: float = 1e-9) -> bool:
        """Return whether both have the same value, within a relative tolerance, and no different unit."""
        if self.unit and other.unit and self.unit != other.unit and {self.unit, other.unit} not in SAME:
            return False
        mine, theirs = (self.value, other.value) if self.unit and other.unit else (self.plain, other.plain)
        return abs(mine - theirs) <= max(tolerance, 1e-9) * max(abs(mine), abs(theirs), 1e-300)


def quantities(text: str) -> Iterator[Quantity]:
    """Yield the quantities of a text in order."""
    for match in NUMBER.finditer(text):
        value = _value(match)
        if value is None:
            continue
        unit = CURRENCIES[match["money"].strip().lower()] if match["money"] else ""
        end, scale, factor = match.end(), 1, 1.0
        after = AFTER.match(text, end)
        words = [word.lower() for word in (after.groups() if after else ()) if word]
        if words and words[0] in MULTIPLES and (unit or words[0] not in LETTERS):
            scale, end = MULTIPLES[words[0]], after.end(1) if after else end
            words = words[1:]
        if words and not unit:
            unit = CURRENCIES.get(words[0], "")
            if not unit and words[0] in UNITS:
                unit, factor = UNITS[words[0]]
            if unit and after:
                end = after.end(2) if scale > 1 else after.end(1)
        plain = -value * scale if match["sign"] in ("-", "−") else value * scale
        yield Quantity(match.start(), end, text[match.start() : end], plain * factor, unit, plain)


def _value(match: re.Match[str]) -> float | None:
    if match["digits"] is not None:
        if len(match["digits"]) > 300:
            return None
        return float(match["digits"].replace(",", "") + (match["decimals"] or "")[:40])
    total = 0.0  # a float even after `hundred`: only these can be asked whether they are whole
    for word in re.split(r"[\s-]+", match["words"].lower()):
        if word == "hundred":
            total = max(total, 1.0) * 100
        elif word in WORDS:
            total += WORDS[word]
    return total
