"""Forest plot in a terminal: differences with their intervals, around zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.show.escape import plain
from assay.show.text_table import INDENT, cells_wide

NARROWEST, WIDEST = 20, 60


class Gap(NamedTuple):
    """One line: the name, the difference with its interval, and whether it is significant."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    sure: bool
    text: str = ""
    """Difference and interval as text."""


def text_forest(gaps: Sequence[Gap], width: int, title: str = "") -> list[str]:
    """Return one line per difference on a common scale: `├──●──┤` if it is significant, else `├──○──┤`."""
    known = [end for gap in gaps for end in (gap.low, gap.value, gap.high) if end is not None]
    least, most = min((0.0, *known)), max((0.0, *known))
    reach = (most - least) or 1.0
    names = [plain(gap.name) for gap in gaps]
    left, right = max(map(cells_wide, names), default=0), max((len(gap.text) for gap in gaps), default=0)
    room = max(NARROWEST, min(WIDEST, width - len(INDENT) - left - right - 6))
    lines = [plain(title)] if title else []

    def place(value: float) -> int:
        return round((value - least) / reach * (room - 1))

    zero = place(0.0)
    for gap, name in zip(gaps, names, strict=True):
        row = [" "] * room
        row[zero] = "│"
        if gap.low is not None and gap.high is not None:
            start, end = place(gap.low), place(gap.high)
            for column in range(start, end + 1):
                row[column] = "┼" if column == zero else "─"
            row[start], row[end] = "├", "┤"
        if gap.value is not None:
            row[place(gap.value)] = "●" if gap.sure else "○"
        lines.append(f"{INDENT}{name}{' ' * (left - cells_wide(name))}   {''.join(row)}   {gap.text:>{right}}".rstrip())
    return lines
