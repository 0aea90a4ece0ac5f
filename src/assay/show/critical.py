"""Critical-difference plot: systems on an axis, with a bar over those that are not significantly different."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.show.canvas import PALETTE, blank, label
from assay.show.text_table import cells_wide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROW = 0.24
"""Height of a line with the name of a system, in inches."""


def critical_difference(
    names: Sequence[str], values: Sequence[float], groups: Sequence[Sequence[str]], *, x: str, texts: Sequence[str] = ()
) -> Figure:
    """Draw names on both sides with a line to their values on the axis, and a bar for each group of several systems.

    Args:
        names: Systems, the best first.
        values: Their values.
        groups: Systems that are not significantly different.
        x: Label of the axis.
        texts: Texts after the names.
    """
    shown = [f"{name}  {text}".rstrip() for name, text in zip(names, texts or [""] * len(names), strict=True)]
    bars = [[list(names).index(name) for name in group] for group in groups if len(group) > 1]
    left = (len(names) + 1) // 2
    side = 0.1 + 0.085 * max(map(cells_wide, map(label, shown)), default=1)
    scale, head = 4.0, 0.55
    depth = head + 0.14 * (len(bars) + 1) + ROW * left + 0.1
    width = 2 * side + scale
    figure, axes = blank(width, depth, layout=None)
    axes.set_position((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(depth, 0))
    axes.set_axis_off()
    low, high = min(values), max(values)
    reach = (high - low) or 1.0
    falling = values[0] < values[-1]  # the best is on the left

    def at(value: float) -> float:
        share = (value - low) / reach
        return side + 0.15 + (scale - 0.3) * (share if falling else 1 - share)

    axes.plot([side, side + scale], [head, head], color="black", linewidth=1.2)
    for value in dict.fromkeys((low, high)):
        axes.plot([at(value)] * 2, [head - 0.06, head], color="black", linewidth=1.0)
        axes.text(at(value), head - 0.1, f"{value:.4g}", ha="center", va="bottom", fontsize=8)
    axes.text(side + scale / 2, 0.05, label(x), ha="center", va="top", fontsize=9)
    for row, bar in enumerate(bars):
        down = head + 0.14 * (row + 1)
        ends = sorted((at(values[bar[0]]), at(values[bar[-1]])))
        axes.plot([ends[0] - 0.04, ends[1] + 0.04], [down, down], color=PALETTE[0], linewidth=3.5)
    for place, (name, value) in enumerate(zip(shown, values, strict=True)):
        on_left = place < left
        row = place if on_left else len(names) - 1 - place
        down = head + 0.14 * (len(bars) + 1) + ROW * (row + 0.5)
        edge = side if on_left else side + scale
        axes.plot([at(value), at(value), edge], [head, down, down], color="grey", linewidth=0.8)
        position = {"x": edge - 0.05, "ha": "right"} if on_left else {"x": edge + 0.05, "ha": "left"}
        axes.text(y=down, s=label(name), va="center", fontsize=9, **position)
    return figure
