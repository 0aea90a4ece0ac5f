"""How a number looks to a person: scaled, rounded, with its interval. Files keep the exact value."""

from __future__ import annotations

from typing import Protocol

from assay.records import Score


class Shown(Protocol):
    """How a number wants to be shown; a metric's part is one."""

    @property
    def scale(self) -> float: ...
    @property
    def digits(self) -> int: ...
    @property
    def bounds(self) -> tuple[float | None, float | None]: ...


def number(value: float | None, part: Shown, signed: bool = False) -> str:
    """As a table shows it: scaled, rounded, without a leading zero where the number is below one by nature."""
    if value is None:
        return "–"
    sign = "+" if signed else ""
    text = f"{value * part.scale:{sign}.{part.digits}f}"
    if part.scale == 1 and part.bounds == (0.0, 1.0) and part.digits:
        text = text.replace("0.", ".", 1) if text.lstrip("+-").startswith("0.") else text
    return text


def probability(p: float | None) -> str:
    if p is None:
        return "–"
    return "1" if p >= 0.9995 else "<.001" if p < 0.001 else f"{p:.3f}".lstrip("0")


def scored(score: Score, part: Shown) -> str:
    text = number(score.value, part)
    if score.low is not None and score.high is not None:
        text += f" [{number(score.low, part)}, {number(score.high, part)}]"
    return text
