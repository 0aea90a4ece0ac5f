"""Formatting of numbers: scaled, rounded, with intervals. Files keep exact values."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from assay.records import Score

DASH = "–"
"""Shown instead of a missing number."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 answer`, `1,200 answers`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


class Shown(Protocol):
    """The format of a number, such as the part of a metric."""

    @property
    def scale(self) -> float: ...
    @property
    def digits(self) -> int: ...
    @property
    def bounds(self) -> tuple[float | None, float | None]: ...


def fixed(value: float | None, digits: int = 3, *, signed: bool = False, zero: bool = False) -> str:
    """Return a number with a fixed number of digits: `.123`, `-.5`, `1.000`.

    Zero has no sign unless `signed`: `+.000` and `-.000`.

    Args:
        value: The number; None and NaN are a dash.
        digits: Digits after the point.
        signed: Whether positive numbers have a sign.
        zero: Whether to write the zero before the point.
    """
    if value is None or value != value:
        return DASH
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    if not signed and float(text) == 0:
        text = text.lstrip("-")
    sign, size = (text[0], text[1:]) if text[0] in "+-" else ("", text)
    return sign + (size[1:] if size.startswith("0.") and not zero else size)


def number(value: float | None, part: Shown, signed: bool = False) -> str:
    """Return a number in the format of a part: scaled and rounded, without a leading zero if it is a proportion."""
    scaled = None if value is None else value * part.scale
    share = part.scale == 1 and part.bounds == (0.0, 1.0)
    return fixed(scaled, part.digits, signed=signed, zero=not share)


def size(value: float | None, part: Shown) -> str:
    """Return a size in the format of a part; one that would be shown as 0 has its first digit: `0.005`."""
    shown = number(value, part)
    if not value or float(shown):
        return shown
    scaled = value * part.scale
    return fixed(scaled, -floor(log10(abs(scaled))), zero=shown.startswith("0"))


def probability(p: float | None, floor: bool = False) -> str:
    """Return a p value: `.042`, `<.001`, `1`. With `floor`, p is an upper bound: `<.006`."""
    if p is None or p != p:
        return DASH
    if p >= 0.9995:
        return "1"
    return "<.001" if p < 0.001 else f"<{fixed(ceil(p * 1000) / 1000)}" if floor else fixed(p)


def interval(low: float | None, high: float | None, part: Shown, signed: bool = False) -> str:
    """Return an interval, `[64.1, 67.9]`, or an empty string if an end is missing."""
    if low is None or high is None:
        return ""
    return f"[{number(low, part, signed)}, {number(high, part, signed)}]"


def scored(score: Score, part: Shown) -> str:
    """Return a score with its interval, if it has one: `66.0 [64.1, 67.9]`."""
    return f"{number(score.value, part)} {interval(score.low, score.high, part)}".rstrip()


def span(low: float | None, high: float | None, digits: int = 3) -> str:
    """Return the interval of a proportion: `[.12, .34]`."""
    return DASH if low is None or high is None else f"[{fixed(low, digits)}, {fixed(high, digits)}]"


def count(value: int | None) -> str:
    """Return an integer with separators: `1,200`."""
    return DASH if value is None else f"{value:,}"


def file_size(size: int) -> str:
    """Return the size of a file: `157 MB`, `1.2 GB`, `512 bytes`."""
    for power, unit in ((12, "TB"), (9, "GB"), (6, "MB"), (3, "KB")):
        if size >= 10**power:
            value = size / 10**power
            return f"{value:.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}"
    return f"{size} bytes"


def rounded(value: float | None) -> str:
    """Return a number with four significant digits: `0.01234`, `512.4`."""
    return DASH if value is None or value != value else f"{value:.4g}"


def share(value: float | None, digits: int = 0) -> str:
    """Return a percentage: `83%`. Zero has no sign."""
    if value is None or value != value:
        return DASH
    text = f"{value:.{digits}%}"
    return text if float(text[:-1]) else text.lstrip("-")
