"""Small multiples in a terminal: systems as rows, one panel a metric, a dot and its interval for each."""

from __future__ import annotations

from collections.abc import Sequence

from assay.show.escape import plain
from assay.show.multiples import Panel
from assay.show.text_table import INDENT, cells_wide

DOTS = {"best": "●", "tied": "○", "behind": "∙"}
KEY = "● best   ○ tied with the best   ∙ behind"
INTERVALS = "─ 95 % interval"
NARROWEST, WIDEST = 16, 34
"""Columns of the drawing of a panel."""
LONGEST = 28
"""Columns of a name; longer ones are cut."""
FLIPPED = (" (lower is better, flipped)", " (lower is better)", " ↓ flipped", " ↓")
"""Notes of a panel whose axis is flipped; the first that fits."""


def text_multiples(systems: Sequence[str], panels: Sequence[Panel], width: int) -> list[str]:
    """Return one line per system; panels are next to each other as far as the width allows."""
    names = [_cut(plain(name), LONGEST) for name in systems]
    left = max(map(cells_wide, names), default=0)
    digits = max((len(text) for panel in panels for text in panel.texts), default=0)
    room = width - len(INDENT) - left
    least = NARROWEST + digits + 4
    across = max(1, min(len(panels), room // least))
    wide = max(NARROWEST, min(WIDEST, room // across - digits - 4))
    lines: list[str] = []
    for start in range(0, len(panels), across):
        some = panels[start : start + across]
        drawn = [_panel(panel, wide, digits) for panel in some]
        blank = [] if not lines else [""]
        head = "".join(f"   {_fill(_heading(panel, wide + digits + 1), wide + digits + 1)}" for panel in some)
        lines += [*blank, f"{INDENT}{' ' * left}{head}".rstrip()]
        for row, name in enumerate(names):
            cells = "".join(f"   {panel[row]}" for panel in drawn)
            lines.append(f"{INDENT}{_fill(name, left)}{cells}".rstrip())
    key = [KEY] if any(verdict for panel in panels for verdict in panel.verdicts) else []
    key += [INTERVALS] if any(low is not None for panel in panels for _, low, _ in panel.values) else []
    if key:
        lines += ["", f"{INDENT}{'   '.join(key)}"]
    return lines


def _heading(panel: Panel, room: int) -> str:
    """Return the name, with as much as fits of the note that lower is better."""
    name = plain(panel.name)
    notes = FLIPPED if panel.lower else ("",)
    fitting = next((note for note in notes if cells_wide(name + note) <= room), notes[-1])
    return _cut(f"{name}{fitting}", room)


def _panel(panel: Panel, wide: int, digits: int) -> list[str]:
    """Return the cells of one metric; right is always better."""
    ends = [end for row in panel.values for end in row if end is not None]
    if panel.level is not None:
        ends.append(panel.level)
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    reach = (high - low) or 1.0

    def place(value: float) -> int:
        share = (value - low) / reach
        return round((1 - share if panel.lower else share) * (wide - 1))

    cells = []
    for (value, start, end), text, verdict in zip(panel.values, panel.texts, panel.verdicts, strict=True):
        row = [" "] * wide
        if panel.level is not None:
            row[place(panel.level)] = "│"
        if start is not None and end is not None:
            first, last = sorted((place(start), place(end)))
            row[first : last + 1] = "─" * (last + 1 - first)
        if value is not None:
            row[place(value)] = DOTS.get(verdict, "●")
        cells.append(f"{''.join(row)} {text:>{digits}}")
    return cells


def _fill(text: str, room: int) -> str:
    return text + " " * max(0, room - cells_wide(text))


def _cut(text: str, room: int) -> str:
    while cells_wide(text) > room:
        text = f"{text[:-2]}…"
    return text
