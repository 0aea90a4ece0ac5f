"""The picture above a leaderboard: the small multiples of the explorer, and the names of the leaders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from assay.show.html_multiples import html_multiples
from assay.show.table_panels import panels_of

if TYPE_CHECKING:
    from assay.benchmark.service.leaderboard import Leaderboard

MOST_SYSTEMS = 30
"""Maximum number of systems in the picture, best first; the table has all."""


def picture_of(board: Leaderboard, own: str = "") -> Markup:
    """Return the drawing as an SVG element; empty for a single system, whose picture would say nothing.

    Args:
        board: The table of a task.
        own: System whose row is shaded, and which is drawn wherever it is placed.
    """
    ranked = [cells for cells, _ in board.rows]
    rows = [cells for place, cells in enumerate(ranked) if place < MOST_SYSTEMS or cells[0].text == own]
    if len(rows) < 2:
        return Markup()
    panels = panels_of(board.headings, rows)
    # The drawing escapes every name itself.
    return Markup(html_multiples([row[0].text for row in rows], panels, own) if panels else "")


def leaders_of(board: Leaderboard) -> list[str]:
    """Return the first system and those that are tied with the best on the metric of the order."""
    rows = [cells for cells, _ in board.rows]
    first = next((column for column in range(1, len(board.headings)) if rows and rows[0][column].value is not None), 0)
    if not first:
        return []
    tied = [row[0].text for row in rows if row[first].verdict in ("best", "tied")]
    return tied or [rows[0][0].text]
