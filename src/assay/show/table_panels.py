"""The columns of a table of scores as panels of small multiples."""

from __future__ import annotations

from collections.abc import Sequence

from assay.show.multiples import Panel
from assay.show.tables import Cell

ARROWS = " ↑↓"
LOWER = "↓"


def panels_of(headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[Panel]:
    """Return a panel for each column with a value.

    Args:
        headings: Headings of the columns, with the arrows of directions; the first is that of the systems.
        rows: Cells of each system.
    """
    return [
        Panel(
            heading.rstrip(ARROWS),
            [(row[column].value, row[column].low, row[column].high) for row in rows],
            [row[column].text.partition(" [")[0] for row in rows],
            [row[column].verdict for row in rows],
            heading.endswith(LOWER),
        )
        for column, heading in enumerate(headings[1:], 1)
        if any(row[column].value is not None for row in rows)
    ]
