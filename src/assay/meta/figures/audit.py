"""Figures of an audit: score by share of manipulated outputs, one line per manipulation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.meta.audit.report import Audit
from assay.show import figures
from assay.show.canvas import save_as


def draw(audit: Audit, folder: Path, form: str) -> Iterator[Path]:
    """Draw one figure per metric and system into a folder."""
    for name in audit.shown:
        label, part = audit.parts[name]
        for system in audit.systems:
            lines: dict[str, tuple[list[float], list[float]]] = {}
            before = None
            for row in audit.of(metric=name, system=system):
                if row.after is None or row.before is None:
                    continue
                before = row.before * part.scale
                x, y = lines.setdefault(row.manipulation, ([0.0], [before]))
                x.append(float(row.strength))
                y.append(row.after * part.scale)
            if not lines:
                continue
            figure = figures.curves(lines, x="% of the outputs manipulated", y=label, title=system, level=before)
            yield save_as(figure, folder, f"audit {label} {system}", form)
