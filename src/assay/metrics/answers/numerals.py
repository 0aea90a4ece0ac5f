"""Numerals of answers besides plain digits: fractions, powers of ten, decimal commas, spaces between groups."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

LARGEST = 300
"""Largest power of ten, and largest number of digits, that is read."""
FRACTIONS = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅛": "1/8"}
SIGN = re.compile(r"\b(?:minus|negative)\s{1,3}(?=[$€£¥]?\d)", re.IGNORECASE)
POINT = re.compile(r"(?<![\w.,])\.(?=\d)")
SPACED = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
ALL_SPACED = re.compile(r"[-−+]?\d{1,3}(?: \d{3})+(?![\d,.]*\d).{0,20}", re.DOTALL)
POINTS = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.\d{3})+),(\d{1,40})(?![.,]?\d)")
COMMA = re.compile(r"(?<![\d.,])(0(?=,)|\d{1,40}(?=,(?:\d{1,2}|\d{4,40})(?!\d))),(\d{1,40})(?![.,]?\d)")
"""A comma before three digits separates thousands, unless only a zero precedes it."""
POWER = re.compile(
    r"(?<![\w.])(\d{1,40}(?:\.\d{1,40})?)(?:\s?(?:[x×*·]|\\times|\\cdot)\s?10\s?\^\s?\{?([-−+]?\d{1,4})\}?"
    r"|[eE]([-−+]?\d{1,4})(?!\w))"
)
LATEX = re.compile(r"\\[dt]?frac\s?\{\s?(-?\d{1,40})\s?\}\s?\{\s?(\d{1,40})\s?\}")
FRACTION = re.compile(r"(?<![\w/.,])(?:(\d{1,40})\s)?(\d{1,40})\s?[/⁄]\s?(\d{1,40})(?![\w/]|[.,]\d)")


def plain_numerals(text: str) -> str:
    """Return a text with such numerals as decimals; a list like `1,2,3` and a date like `3/4/2024` stay as they are."""
    for sign, fraction in FRACTIONS.items():
        if sign in text:
            text = re.sub(rf"(?<=\d){sign}", f" {fraction}", text).replace(sign, fraction)
    if ALL_SPACED.fullmatch(text.strip()):
        text = re.sub(r"(?<=\d) (?=\d{3}(?!\d))", "", text)
    steps: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
        (SPACED, ""),
        (SIGN, "-"),
        (POINT, "0."),
        (POINTS, lambda match: f"{match[1].replace('.', '')}.{match[2]}"),
        (COMMA, r"\1.\2"),
        (POWER, lambda match: _power(match[0], match[1], match[2] or match[3])),
        (LATEX, lambda match: _quotient(match[0], 0, int(match[1]), int(match[2]))),
        (FRACTION, lambda match: _quotient(match[0], int(match[1] or 0), int(match[2]), int(match[3]))),
    )
    for pattern, change in steps:
        text = pattern.sub(change, text)
    return text


def _power(whole: str, digits: str, exponent: str) -> str:
    power = int(exponent.replace("−", "-"))
    return format(Decimal(digits).scaleb(power), "f") if abs(power) <= LARGEST - 40 else whole


def _quotient(whole: str, more: int, over: int, under: int) -> str:
    return format(Decimal(more) + Decimal(over) / Decimal(under), "f") if under else whole
