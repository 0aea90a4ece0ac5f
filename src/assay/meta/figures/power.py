"""Power curves: power to detect a difference by number of items."""

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
    """Draw one curve per metric, with the current number of items marked, into a folder."""
    effects = [(row, row.effect or row.detectable) for row in rows if row.sd > 0]
    drawn = [(row, effect) for row, effect in effects if effect]
    if not drawn:
        raise AssayError("No power curve: it requires a standard deviation above 0 and a difference.")
    lines: dict[str, tuple[list[float], list[float]]] = {}
    points: dict[str, tuple[list[float], list[float]]] = {}
    for row, effect in drawn:
        n = row.n or 0
        most = max(2 * (row.items_needed or n), n, 20)
        sizes = np.unique(np.geomspace(4, most, 60).astype(int)).tolist()
        name = f"{row.metric}: {effect:.3g}"
        lines[name] = (sizes, [power_of(effect, row.sd, size, alpha) for size in sizes])
        if n > 1:
            points[name] = ([n], [power_of(effect, row.sd, n, alpha)])
    figure = figures.curves(lines, points=points, level=power, x="items", y="power", log=True, top=1.02)
    return [save_as(figure, folder, "power", form)]
