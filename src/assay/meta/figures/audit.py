"""How far numbers move with the share of manipulated outputs: a line a manipulation, a figure a number and system."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.meta.audit.report import Audit
from assay.show import figures
from assay.show.canvas import save_as


def draw(audit: Audit, folder: Path, form: str) -> Iterator[Path]:
    """Every number that tables show, of every system, from nothing manipulated on."""
    for name in audit.shown:
        label, part = audit.parts[name]
        for system in audit.systems:
            lines: dict[str, tuple[list[float], list[float]]] = {}
            before = None
            for row in audit.of(metric=name, system=system):
                if row.after is None or row.before is None:
                    continue
                before = row.before * part.scale
                across, up = lines.setdefault(row.manipulation, ([0.0], [before]))
                across.append(float(row.strength))
                up.append(row.after * part.scale)
            if not lines:
                continue
            figure = figures.curves(lines, x="% of the outputs manipulated", y=label, title=system, level=before)
            yield save_as(figure, folder, f"audit {label} {system}", form)
