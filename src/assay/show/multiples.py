"""Small multiples: systems as rows, one panel a metric, a dot and its interval for each, as on the page of results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.show.canvas import NEUTRAL, PALETTE, label, need_matplotlib
from assay.show.figures import LETTER, Interval
from assay.show.text_table import cells_wide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROW, PANEL, HEAD = 0.3, 1.9, 0.45
"""Inches of a row, of the width of a panel, and of its heading."""
ACROSS = 4
"""Maximum number of panels next to each other."""


class Panel(NamedTuple):
    """One metric of all systems."""

    name: str
    values: Sequence[Interval]
    """Value and interval of each system, as displayed; None where there is none."""
    texts: Sequence[str]
    verdicts: Sequence[str]
    """best, tied or behind for each system; empty without a test."""
    lower: bool = False
    """Whether lower is better: the axis is flipped, so that right is always better."""
    level: float | None = None
    """Position of a vertical line, for differences: zero."""


def shade(verdict: str, systems: int, differences: bool) -> str:
    """Return the colour of a dot: that of the best for those tied with it, grey for others; untested is not best."""
    untested = not verdict and systems > 1 and not differences
    return NEUTRAL if verdict == "behind" or untested else PALETTE[0]


def multiples(systems: Sequence[str], panels: Sequence[Panel]) -> Figure:
    """Draw one panel for each metric; filled dots are best, hollow ones tied with the best, grey ones behind."""
    need_matplotlib()
    from matplotlib.figure import Figure

    names = [label(name) for name in systems]
    across = max(1, min(ACROSS, len(panels)))
    lines = max(1, -(-len(panels) // across))
    side = LETTER * max(map(cells_wide, names), default=0) + 0.2
    tall = HEAD + ROW * len(names)
    width, height = side + across * PANEL, lines * tall + 0.1
    figure = Figure(figsize=(width, height), dpi=150)
    for place, panel in enumerate(panels):
        line, column = divmod(place, across)
        bottom = height - line * tall - tall
        box = ((side + column * PANEL + 0.08) / width, bottom / height, (PANEL - 0.16) / width, (tall - HEAD) / height)
        _draw(figure.add_axes(box), panel, names if column == 0 else None)
    return figure


def _draw(axes: object, panel: Panel, names: Sequence[str] | None) -> None:
    from matplotlib.axes import Axes

    assert isinstance(axes, Axes)
    ends = [end for row in panel.values for end in row if end is not None]
    if panel.level is not None:
        ends.append(panel.level)
        axes.axvline(panel.level, color="grey", linewidth=1.0, linestyle="--")
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    spread = (high - low) or abs(high) or 1.0
    sides = (low - 0.45 * spread, high + 0.08 * spread)  # room for the values
    flipped = (high + 0.45 * spread, low - 0.08 * spread)
    axes.set_xlim(*(flipped if panel.lower else sides))
    axes.set_ylim(len(panel.values) - 0.5, -0.5)
    axes.set_axis_off()
    axes.set_title(label(panel.name), fontsize=9, fontweight="bold", pad=12 if panel.lower else 4)
    if panel.lower:
        axes.text(0.5, 1.02, "lower is better, axis flipped", fontsize=6, color="grey", ha="center",
                  transform=axes.transAxes)  # fmt: skip
    for place, (value, start, end) in enumerate(panel.values):
        axes.axhline(place + 0.5, color=NEUTRAL, alpha=0.2, linewidth=0.6)
        if names:
            axes.text(-0.04, place, names[place], ha="right", va="center", fontsize=9, fontweight="bold",
                      transform=axes.get_yaxis_transform())  # fmt: skip
        if value is None:
            continue
        verdict = panel.verdicts[place]
        color = shade(verdict, len(panel.values), panel.level is not None)
        if start is not None and end is not None:
            axes.plot([start, end], [place, place], color=color, linewidth=2)
        axes.plot(value, place, "o", color=color, markersize=6, markerfacecolor="white" if verdict == "tied" else color)
        first = (end if panel.lower else start) if start is not None and end is not None else value
        axes.annotate(label(panel.texts[place]), (first if first is not None else value, place), (-7, 0),
                      textcoords="offset points", ha="right", va="center", fontsize=8,
                      fontweight="bold" if verdict == "best" else "normal")  # fmt: skip
