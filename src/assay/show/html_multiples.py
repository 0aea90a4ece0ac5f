"""Small multiples as an SVG element for notebooks, drawn without matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from assay.show.canvas import NEUTRAL, PALETTE
from assay.show.escape import plain
from assay.show.multiples import Panel, shade

ROW, HEAD, PANEL, LETTER, SPACE = 26, 34, 190, 7.2, 16
"""Pixels of a row, a heading, the width of the narrowest panel, a letter of a name, and between lines of panels."""
WIDEST, PAGE = 280, 960
"""Pixels of the width of the widest panel, and of the drawing, which few panels fill as far as they may."""
ACROSS = 4
MOST = 8
"""Maximum number of panels; the table has every score."""
LONGEST = 32


def html_multiples(systems: Sequence[str], panels: Sequence[Panel], own: str = "") -> str:
    """Return the drawing; filled dots are best, hollow ones tied with the best, grey ones behind.

    Args:
        systems: Names, in the order of the rows.
        panels: Scores of each metric.
        own: Name whose row is shaded.
    """
    panels = panels[:MOST]
    names = [_cut(plain(name)) for name in systems]
    side = 16 + LETTER * max(map(len, names), default=0)
    across = max(1, min(ACROSS, len(panels)))
    wide = max(PANEL, min(WIDEST, (PAGE - side) // across))
    tall = HEAD + ROW * len(names) + SPACE
    width, height = side + across * wide, -(-len(panels) // across) * tall - SPACE
    parts = []
    for place, panel in enumerate(panels):
        line, column = divmod(place, across)
        top = line * tall
        if column == 0 and own in systems:
            row = list(systems).index(own)
            band = f'x="0" y="{top + HEAD + ROW * row:g}" width="{width:g}" height="{ROW}"'
            parts.append(f'<rect {band} rx="4" fill="{PALETTE[0]}" fill-opacity="0.14"/>')
        if column == 0:
            parts += [
                f'<text x="0" y="{top + HEAD + ROW * row + 17:g}" font-weight="600">{escape(name)}</text>'
                for row, name in enumerate(names)
            ]
        parts += _drawn(panel, side + column * wide, top, wide)
    title = escape(f"{', '.join(panel.name for panel in panels)} of {', '.join(names)}; the table has the same values")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" role="img" '
        f'aria-label="{title}" font-family="Inter, system-ui, sans-serif" font-size="12" fill="currentColor">'
        f"{''.join(parts)}</svg>"
    )


def _drawn(panel: Panel, left: float, top: float, wide: float) -> list[str]:
    ends = [end for row in panel.values for end in row if end is not None]
    if panel.level is not None:
        ends.append(panel.level)
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    reach = (high - low) or 1.0
    start, room = left + 60, wide - 80  # room for the values

    def x(value: float) -> float:
        share = (value - low) / reach if high > low else 0.5
        return start + room * (1 - share if panel.lower else share)

    middle = left + wide / 2
    parts = [f'<text x="{middle:g}" y="{top + 13}" text-anchor="middle" font-weight="600">{_name(panel.name)}</text>']
    if panel.lower:
        note = "lower is better, axis flipped"
        parts.append(f'<text x="{middle:g}" y="{top + 26}" text-anchor="middle" font-size="9">{note}</text>')
    if panel.level is not None:
        at, bottom = x(panel.level), top + HEAD + ROW * len(panel.values)
        parts.append(f'<path d="M{at:.1f},{top + HEAD}V{bottom}" stroke="{NEUTRAL}" stroke-dasharray="3 3"/>')
    rows = zip(panel.values, panel.texts, panel.verdicts, strict=True)
    for place, ((value, first, last), text, verdict) in enumerate(rows):
        y = top + HEAD + ROW * place + 13
        if value is None:
            continue
        ink = shade(verdict, len(panel.values), panel.level is not None)
        lowest = x(value)
        if first is not None and last is not None:
            lowest = min(x(first), x(last))
            parts.append(f'<path d="M{x(first):.1f},{y}H{x(last):.1f}" stroke="{ink}" stroke-width="2.5"/>')
        fill = "Canvas" if verdict == "tied" else ink
        parts.append(f'<circle cx="{x(value):.1f}" cy="{y}" r="5" fill="{fill}" stroke="{ink}" stroke-width="2"/>')
        weight = ' font-weight="600"' if verdict == "best" else ""
        parts.append(f'<text x="{lowest - 9:.1f}" y="{y + 4}" text-anchor="end"{weight}>{escape(plain(text))}</text>')
    return parts


def _name(text: str) -> str:
    return escape(_cut(plain(text)))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
