"""Margins: the largest negligible difference of a metric, on the scale of printed tables on every surface."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING

from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.metrics import Part
    from assay.results.result import Result

LARGEST_SHARE = 5
"""A margin must be smaller than the range of the metric divided by this."""
PERCENT = 100


def range_of(part: Part) -> float | None:
    """Return the width of the range of a score; None if it has none.

    An error rate (lower is better, from 0) counts as 0 to 100 %, although single outputs can exceed it.
    """
    low, high = part.bounds
    if low is not None and high is not None:
        return high - low
    return PERCENT / part.scale if low == 0 and part.better == "lower" else None


def within_range(low: float | None, high: float | None, part: Part) -> tuple[float | None, float | None]:
    """Return the confidence interval of a difference without values that no difference of two scores can have."""
    least, most = part.bounds
    if least is None or most is None or low is None or high is None:
        return low, high
    return max(low, least - most), min(high, most - least)


def plain_margin(margins: Mapping[str, float], name: str, part: Part) -> float | None:
    """Return the margin of a metric on the scale of its values; None without one."""
    return margins[name] / part.scale if name in margins else None


def check_margins(margins: Mapping[str, float], results: list[Result]) -> None:
    """Refuse margins that are not positive numbers, or so wide that they would accept a useless system.

    Raises:
        UsageError: A margin is not above 0, or a fifth of the range of its metric or more.
    """
    for name, margin in margins.items():
        if not (isfinite(margin) and margin > 0):
            raise UsageError(f"margin of {name}: {margin:g} is not a number above 0.")
        part = next((result.parts[name][1] for result in results if name in result.parts), None)
        width = range_of(part) if part else None
        if part and width is not None and margin >= width * part.scale / LARGEST_SHARE:
            raise UsageError(
                f"margin of {name}: {margin:g} is a fifth or more of its range in tables ({width * part.scale:g}). "
                f"Margins are in the units of tables, e.g. {name}={width * part.scale / PERCENT:g}."
            )
