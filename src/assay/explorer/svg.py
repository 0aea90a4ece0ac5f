"""Small drawings for pages that must open anywhere: plain SVG, no script, no font of their own."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from assay.explorer.pages import Column
from assay.show.numbers import number

ROW, LABEL, PLOT, VALUE = 20, 110, 240, 150
HUES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999")
"""Okabe and Ito's colours, which people with colour-blindness can tell apart."""


def colour(systems: Sequence[str], system: str) -> str:
    return HUES[systems.index(system) % len(HUES)]


def intervals(column: Column, systems: Sequence[str]) -> str:
    """A dot and a 95 % line for each system, on a common scale, with the numbers beside them."""
    known = {name: score for name, score in column.scores.items() if score.value is not None}
    if not known:
        return ""
    ends = [end for score in known.values() for end in (score.value, score.low, score.high) if end is not None]
    low, high = min(ends), max(ends)
    room = (high - low) * 0.05 or abs(high) * 0.05 or 1.0
    low, high = low - room, high + room
    height = ROW * len(systems) + 6

    def across(value: float) -> float:
        return LABEL + (value - low) / (high - low) * PLOT

    shapes = []
    for i, system in enumerate(systems):
        y = ROW * i + ROW / 2 + 3
        text = escape(system)
        shapes.append(f'<text x="{LABEL - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
        shapes.append(f'<line class="grid" x1="{LABEL}" x2="{LABEL + PLOT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        score = column.scores.get(system)
        if score is None or score.value is None:
            why = escape(score.why if score and score.why else "not computed")
            shapes.append(f'<text class="missing" x="{LABEL + 4}" y="{y + 4:.1f}">{why}</text>')
            continue
        hue = colour(systems, system)
        label = number(score.value, column.part)
        if score.low is not None and score.high is not None:
            span = f'x1="{across(score.low):.1f}" x2="{across(score.high):.1f}"'
            shapes.append(f'<line {span} y1="{y:.1f}" y2="{y:.1f}" stroke="{hue}" stroke-width="3"/>')
            label += f" [{number(score.low, column.part)}, {number(score.high, column.part)}]"
        shapes.append(f'<circle cx="{across(score.value):.1f}" cy="{y:.1f}" r="5" fill="{hue}"/>')
        shapes.append(f'<text class="value" x="{LABEL + PLOT + 10}" y="{y + 4:.1f}">{label}</text>')
    width = LABEL + PLOT + VALUE
    title = escape(f"{column.name} of {', '.join(systems)}")
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{title}">'
        + "".join(shapes)
        + "</svg>"
    )
