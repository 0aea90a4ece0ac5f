"""How a number looks to a person: scaled, rounded, with its interval. Files keep the exact value."""

from __future__ import annotations

from assay.metrics import Part
from assay.records import Score


def number(value: float | None, part: Part, signed: bool = False) -> str:
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


def scored(score: Score, part: Part) -> str:
    text = number(score.value, part)
    if score.low is not None and score.high is not None:
        text += f" [{number(score.low, part)}, {number(score.high, part)}]"
    return text
