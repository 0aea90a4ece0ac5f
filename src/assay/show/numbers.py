"""How a number looks to a person: scaled, rounded, with its interval. Files keep the exact value."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from assay.records import Score

DASH = "–"
"""Where there is no number."""


def counted(number: int, noun: str) -> str:
    """`1 answer`, `1,200 answers`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


class Shown(Protocol):
    """How a number wants to be shown; a metric's part is one."""

    @property
    def scale(self) -> float: ...
    @property
    def digits(self) -> int: ...
    @property
    def bounds(self) -> tuple[float | None, float | None]: ...


def fixed(value: float | None, digits: int = 3, *, signed: bool = False, zero: bool = False) -> str:
    """Rounded to so many digits: `.123`, `-.5`, `1.000`. The leading zero is left out unless `zero` asks for it.

    What rounds to nothing has no sign, except where the sign is the point (`signed`): `+.000` and `-.000`.
    """
    if value is None or value != value:
        return DASH
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    if not signed and float(text) == 0:
        text = text.lstrip("-")
    sign, size = (text[0], text[1:]) if text[0] in "+-" else ("", text)
    return sign + (size[1:] if size.startswith("0.") and not zero else size)


def number(value: float | None, part: Shown, signed: bool = False) -> str:
    """As a table shows it: scaled, rounded, without a leading zero where the number is below one by nature."""
    scaled = None if value is None else value * part.scale
    share = part.scale == 1 and part.bounds == (0.0, 1.0)
    return fixed(scaled, part.digits, signed=signed, zero=not share)


def probability(p: float | None, floor: bool = False) -> str:
    """`.042`; `<.001` and `1` at the ends. With `floor` p is a bound, and says so: `<.006`."""
    if p is None or p != p:
        return DASH
    if p >= 0.9995:
        return "1"
    return "<.001" if p < 0.001 else f"<{fixed(ceil(p * 1000) / 1000)}" if floor else fixed(p)


def interval(low: float | None, high: float | None, part: Shown, signed: bool = False) -> str:
    """`[64.1, 67.9]`, or nothing where an end is missing."""
    if low is None or high is None:
        return ""
    return f"[{number(low, part, signed)}, {number(high, part, signed)}]"


def scored(score: Score, part: Shown) -> str:
    """A value and, where it is known, its interval: `66.0 [64.1, 67.9]`."""
    return f"{number(score.value, part)} {interval(score.low, score.high, part)}".rstrip()


def span(low: float | None, high: float | None, digits: int = 3) -> str:
    """The interval of a number below one by nature: `[.12, .34]`."""
    return DASH if low is None or high is None else f"[{fixed(low, digits)}, {fixed(high, digits)}]"


def count(value: int | None) -> str:
    """`1,200`."""
    return DASH if value is None else f"{value:,}"


def file_size(size: int) -> str:
    """`157 MB`, `1.2 GB`; whole bytes below a thousand."""
    for power, unit in ((12, "TB"), (9, "GB"), (6, "MB"), (3, "KB")):
        if size >= 10**power:
            value = size / 10**power
            return f"{value:.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}"
    return f"{size} bytes"


def rounded(value: float | None) -> str:
    """A number of unknown size, to four figures: `0.01234`, `512.4`."""
    return DASH if value is None or value != value else f"{value:.4g}"


def share(value: float | None, digits: int = 0) -> str:
    """`83%`."""
    return DASH if value is None or value != value else f"{value:.{digits}%}"
