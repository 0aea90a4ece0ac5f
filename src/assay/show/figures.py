"""Figures of plain numbers: scatter plots, bars, heat maps, intervals and curves."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.show.canvas import NEUTRAL, blank, ink, label, legend
from assay.show.text_table import cells_wide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Interval = tuple[float | None, float | None, float | None]
"""A value and the ends of its interval; None if unknown."""
LETTER = 0.085
"""Approximate width of a character of a name, in inches."""


def scatter(groups: Mapping[str, tuple[Floats, Floats]], *, x: str, y: str, title: str = "", together: str) -> Figure:
    """Draw points by group with regression lines: thin ones per group, a black one over all points."""
    figure, axes = blank()
    handles: list[tuple[str, Any]] = []
    for position, (name, (across, up)) in enumerate(groups.items()):
        shade = ink(position)
        axes.scatter(across, up, s=6, alpha=0.35, color=shade.colour, linewidths=0)
        if len(groups) > 1:
            handles += _line(axes, across, up, name, color=shade.colour, linestyle=shade.dash, linewidth=1.0)
    across, up = (np.concatenate([pair[side] for pair in groups.values()]) for side in (0, 1))
    handles += _line(axes, across, up, together, color="black", linewidth=2.2)
    axes.set(xlabel=label(x), ylabel=label(y), title=label(title))
    if handles:  # constant data have no line
        legend(axes, [handle for _, handle in handles], [name for name, _ in handles])
    return figure


def _line(axes: Any, x: Floats, y: Floats, name: str, **style: Any) -> list[tuple[str, Any]]:
    """Draw the least-squares line, if there is one."""
    if len(x) < 2 or np.ptp(x) == 0:
        return []
    slope, intercept = np.polyfit(x, y, 1)
    ends = np.array([x.min(), x.max()])
    return [(name, axes.plot(ends, slope * ends + intercept, **style)[0])]


def stacked(names: Sequence[str], parts: Mapping[str, Sequence[float]], *, y: str) -> Figure:
    """Draw a stacked bar for each name."""
    figure, axes = blank()
    base = [0.0] * len(names)
    drawn = []
    for position, heights in enumerate(parts.values()):
        drawn.append(axes.bar(range(len(names)), heights, bottom=base, width=0.7, **_fill(position)))
        base = [low + height for low, height in zip(base, heights, strict=True)]
    _name_bars(axes, names, y)
    legend(axes, drawn, list(parts))
    return figure


def bars(
    names: Sequence[str],
    series: Mapping[str, Sequence[float]],
    *,
    y: str,
    ends: Mapping[str, Sequence[tuple[float | None, float | None]]] | None = None,
) -> Figure:
    """Draw grouped bars, one of each series per name; `ends` are the ends of their intervals."""
    figure, axes = blank(max(6.4, 0.7 * len(names)))
    width = 0.8 / len(series)
    drawn = []
    for position, (one, heights) in enumerate(series.items()):
        centres = [number + (position - (len(series) - 1) / 2) * width for number in range(len(names))]
        drawn.append(axes.bar(centres, heights, width=width, **_fill(position)))
        for centre, (low, high) in zip(centres, (ends or {}).get(one, ()), strict=False):
            if low is not None and high is not None:
                axes.plot([centre, centre], [low, high], color="black", linewidth=0.8)
    axes.axhline(0, color="black", linewidth=0.8)
    _name_bars(axes, names, y)
    legend(axes, drawn, list(series))
    return figure


def _fill(position: int) -> dict[str, Any]:
    shade = ink(position)
    return {"color": shade.colour, "hatch": shade.hatch, "edgecolor": "white", "linewidth": 0}


def _name_bars(axes: Any, names: Sequence[str], y: str) -> None:
    axes.set_xticks(range(len(names)), list(map(label, names)), rotation=30, ha="right")
    axes.set_ylabel(label(y))


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: ArrayLike,
    texts: Sequence[Sequence[str]],
    *,
    scale: str,
    ends: tuple[float, float] = (0.0, 1.0),
    framed: Collection[tuple[int, int]] = (),
    x: str = "",
    y: str = "",
    title: str = "",
) -> Figure:
    """Draw a heat map with a text in each cell; cells in `framed` have a frame.

    Cells without a value (NaN) are white. Colours are white to blue, or blue to red if the scale has negative values.
    """
    from matplotlib.patches import Rectangle

    shades = np.asarray(values, dtype=float)
    figure, axes = blank(2.2 + 0.55 * len(columns), 1.4 + 0.5 * len(rows))
    image = axes.imshow(shades, cmap="RdBu_r" if ends[0] < 0 else "Blues", vmin=ends[0], vmax=ends[1])
    for row, line in enumerate(texts):
        for column, text in enumerate(line):
            dark = abs(shades[row, column]) > 0.6 * max(map(abs, ends))  # false for NaN
            axes.text(
                column, row, label(text), ha="center", va="center", fontsize=7, color="white" if dark else "black"
            )
    for row, column in framed:
        box = Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor="black", linewidth=1.2)
        axes.add_patch(box)
    axes.set_xticks(range(len(columns)), list(map(label, columns)), rotation=40, ha="right")
    axes.set_yticks(range(len(rows)), list(map(label, rows)))
    axes.set(xlabel=label(x), ylabel=label(y), title=label(title))
    figure.colorbar(image, ax=axes, shrink=0.8, label=label(scale))
    return figure


def intervals(
    names: Sequence[str],
    values: Sequence[Interval],
    *,
    texts: Sequence[str] | None = None,
    shades: Sequence[int] | None = None,
    x: str = "",
    whole: bool = False,
    level: float | None = None,
) -> Figure:
    """Draw a dot and an interval for each name on a common scale.

    Args:
        names: Names, from top to bottom.
        values: Value and interval of each; None for a name with its text alone.
        texts: Texts on the right (default: none).
        shades: Indices in the palette, -1 for grey (default: in the order of the names).
        x: Label of the axis; without it there is no axis.
        whole: Whether the axis has integer ticks only.
        level: Position of a vertical line (default: none).
    """
    named, right_texts = list(map(label, names)), list(map(label, texts or ()))
    half = LETTER * cells_wide(x) / 2 - 1.8  # space for a long label of the axis
    left, right = (max(LETTER * max(map(cells_wide, side), default=0), half) + 0.15 for side in (named, right_texts))
    height = 0.1 + 0.26 * len(names) + (0.6 if x else 0.0)
    figure, axes = blank(left + 3.6 + right, height, layout=None)  # an automatic layout would take most of the time
    axes.set_position((left / figure.get_figwidth(), 1 - (0.05 + 0.26 * len(names)) / height,
                       3.6 / figure.get_figwidth(), 0.26 * len(names) / height))  # fmt: skip
    edge, style = axes.get_yaxis_transform(), {"va": "center", "fontsize": 10}
    for place, (name, (value, low, high)) in enumerate(zip(named, values, strict=True)):
        index = shades[place] if shades else place
        shade = ink(index).colour if index >= 0 else NEUTRAL
        axes.axhline(place, color=NEUTRAL, alpha=0.3, linewidth=0.8)
        axes.text(-0.02, place, name, ha="right", transform=edge, **style)
        if right_texts:
            axes.text(1.02, place, right_texts[place], ha="left", transform=edge, **style)
        if value is None:
            continue
        if low is not None and high is not None:
            axes.plot([low, high], [place, place], color=shade, linewidth=3)
        axes.plot(value, place, "o", color=shade)
    axes.set_ylim(len(names) - 0.5, -0.5)
    if level is not None:
        axes.axvline(level, color="grey", linewidth=1.0, linestyle="--")
    if not x:
        axes.set_axis_off()
        return figure
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(label(x))
    if whole:
        known = [end for row in values for end in row if end is not None]
        axes.set_xticks(range(math.floor(min(known, default=0)), math.ceil(max(known, default=1)) + 1))
    return figure


def curves(
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    x: str,
    y: str,
    title: str = "",
    points: Mapping[str, tuple[Sequence[float], Sequence[float]]] | None = None,
    level: float | None = None,
    log: bool = False,
    steps: bool = False,
    top: float | None = None,
) -> Figure:
    """Draw a line for each name, with marked points and a horizontal line at `level`; `steps` draws steps."""
    figure, axes = blank()
    drawn = []
    for position, (name, (across, up)) in enumerate(lines.items()):
        shade = ink(position)
        style = "steps-post" if steps else "default"
        drawn += axes.plot(across, up, color=shade.colour, linestyle=shade.dash, linewidth=1.5, drawstyle=style)
        marked = (points or {}).get(name, ((), ()))
        axes.plot(*marked, "o", color=shade.colour, markersize=5)
    if level is not None:
        axes.axhline(level, color="grey", linewidth=0.8, linestyle="--")
    axes.set(xlabel=label(x), ylabel=label(y), title=label(title))
    if log:
        axes.set_xscale("log")
    if top is not None:
        axes.set_ylim(0, top)
    legend(axes, drawn, list(lines), loc="best")
    return figure
