"""The power curve: chance to see a difference, by number of items."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assay.errors import AssayError
from assay.meta.power import PowerRow
from assay.show import figures
from assay.show.canvas import save_as
from assay.stats.power import power_of


def draw(rows: Sequence[PowerRow], folder: Path, form: str, power: float, alpha: float) -> list[Path]:
    """One curve per metric, with the number of items at hand marked."""
    effects = [(row, row.effect or row.detectable) for row in rows if row.sd > 0]
    drawn = [(row, effect) for row, effect in effects if effect]
    if not drawn:
        raise AssayError("there is no power curve to draw without a standard deviation and a difference")
    lines: dict[str, tuple[list[float], list[float]]] = {}
    points: dict[str, tuple[list[float], list[float]]] = {}
    for row, effect in drawn:
        at_hand = row.n or 0
        most = max(2 * (row.items_needed or at_hand), at_hand, 20)
        sizes = np.unique(np.geomspace(4, most, 60).astype(int)).tolist()
        name = f"{row.metric}: {effect:.3g}"
        lines[name] = (sizes, [power_of(effect, row.sd, n, alpha) for n in sizes])
        if at_hand > 1:
            points[name] = ([at_hand], [power_of(effect, row.sd, at_hand, alpha)])
    figure = figures.curves(lines, points=points, level=power, x="items", y="power", log=True, top=1.02)
    return [save_as(figure, folder, "power", form)]
