"""The picture above a leaderboard: the small multiples of the explorer, and the names of the leaders."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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


class Leaders(NamedTuple):
    """The systems in front on one metric of a leaderboard."""

    names: list[str]
    metric: str
    """Heading of the metric that orders the leaderboard."""
    tested: bool
    """Whether the names come from a test; otherwise they have the best score, which may be chance."""


def leaders_of(board: Leaderboard) -> Leaders:
    """Return the systems that are best or tied with the best on the metric of the order; untested: the best score."""
    rows = [cells for cells, _ in board.rows]
    first = next((column for column in range(1, len(board.headings)) if rows and rows[0][column].value is not None), 0)
    if not first:
        return Leaders([], "", tested=False)
    metric = board.headings[first]
    tied = [row[0].text for row in rows if row[first].verdict in ("best", "tied")]
    if tied:
        return Leaders(tied, metric, tested=True)
    equal = [row[0].text for row in rows if row[first].value == rows[0][first].value]
    return Leaders(equal, metric, tested=len(rows) == 1)
