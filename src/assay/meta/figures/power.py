"""The power curve: chance to see a difference, by number of items."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assay.errors import AssayError
from assay.meta.power import PowerRow
from assay.show.canvas import blank, colour, save
from assay.stats.power import power_of


def draw(rows: Sequence[PowerRow], folder: Path, form: str, power: float, alpha: float) -> list[Path]:
    """One curve per metric, with the number of items at hand marked."""
    effects = [(row, row.effect or row.detectable) for row in rows if row.sd > 0]
    drawn = [(row, effect) for row, effect in effects if effect]
    if not drawn:
        raise AssayError("there is no power curve to draw without a standard deviation and a difference")
    figure, axes = blank()
    for position, (row, effect) in enumerate(drawn):
        at_hand = row.n or 0
        most = max(2 * (row.items_needed or at_hand), at_hand, 20)
        sizes = np.unique(np.geomspace(4, most, 60).astype(int))
        curve = [power_of(effect, row.sd, int(n), alpha) for n in sizes]
        axes.plot(sizes, curve, color=colour(position), label=f"{row.metric}: {effect:.3g}")
        if at_hand > 1:
            axes.plot(at_hand, power_of(effect, row.sd, at_hand, alpha), "o", color=colour(position))
    axes.axhline(power, color="grey", linewidth=0.8, linestyle="--")
    axes.set(xlabel="items", ylabel="power", ylim=(0, 1.02), xscale="log")
    axes.legend(frameon=False, fontsize=8)
    return [save(figure, folder, "power", form)]
