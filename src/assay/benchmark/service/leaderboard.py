"""The leaderboard of a task: the explorer's table of systems, best first, with intervals, directions and marks."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYetError
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.explorer.overview import Overview, overview_of
from assay.explorer.tables import best_first, scores_table
from assay.records.types import Score
from assay.show.tables import Cell, as_cell
from assay.store.foreign.known import axis_of
from assay.store.library import Library
from assay.store.scored_runs import ScoredRun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.explorer.queries import Queries
    from assay.results.table_section import TableSection

Row = dict[str, Any]
Tested = dict[str, "TableSection | None"]
PATIENCE = 1.0
"""Seconds for which a page waits for tests; later it says that they run."""


@dataclass(frozen=True)
class Leaderboard:
    """The table of one task."""

    task: str
    headings: list[str]
    rows: list[tuple[list[Cell], str]]
    """Cells of a system, and the day on which it was submitted."""
    notes: list[str]
    intervals: bool
    """Whether any score has a confidence interval."""


def leaderboards(tasks: Sequence[str], results: Sequence[Row], tested: Tested | None) -> list[Leaderboard]:
    """Return the leaderboard of each task with results.

    Args:
        tasks: Names of the tasks, in order.
        results: Public results, as in `views.published`.
        tested: Tests of each task; None if there are none yet.
    """
    overview = _overview(results)
    days = {row["system"]: row["received"] for row in results}
    boards = []
    for task in tasks:
        if overview.on(task):
            table = scores_table(best_first(overview, task), task, tested=(tested or {}).get(task), arrows=True)
            rows = [[as_cell(content) for content in row] for row in table.rows]
            boards.append(
                Leaderboard(
                    task,
                    [column.heading for column in table.columns],
                    [(row, days.get(row[0].text, "")) for row in rows],
                    list(table.notes),
                    any(cell.low is not None for row in rows for cell in row),
                )
            )
    return boards


def placed_among(published: Sequence[Row], submission: Row) -> tuple[list[Leaderboard], str]:
    """Return the leaderboards of a submission's tasks with the submission, and its name on them; no tests."""
    scores, own = submission["scores"] or {}, submission["public_name"] or submission["name"]
    rows = list(published)
    if own not in [row["system"] for row in rows]:  # not published yet, or withdrawn
        rows.append({"system": own, "received": submission["received"][:10], "scores": scores})
    return leaderboards(list(scores), rows, None), own


def _overview(results: Sequence[Row]) -> Overview:
    """Return stored scores in the form in which the explorer shows the scores of files."""
    runs: list[ScoredRun] = []
    names: dict[str, None] = {}
    for row in results:
        for task, stored in row["scores"].items():
            scores = {name: _score(stored["scores"][name]) for name in stored["shown"]}
            names |= dict.fromkeys(scores)
            runs.append(ScoredRun(system=row["system"], dataset=task, n=stored["n"], scores=scores))
    return overview_of(Library(axes=[axis_of(name) for name in names], runs=runs))


def _score(stored: Mapping[str, Any]) -> Score:
    known = {name: stored[name] for name in Score.__struct_fields__ if stored.get(name) is not None}
    return Score(**{"value": None} | known)


class BackgroundTests:
    """Tests of published results, computed once for each bundle while pages are already shown."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="leaderboard")
        self._tests: dict[str, Future[Tested]] = {}

    def of(self, digest: str, queries: Queries) -> Tested | None:
        """Return the tests of a bundle, None while they are computed."""
        if digest not in self._tests:
            self._tests[digest] = self._pool.submit(
                lambda: {name: queries.tested_table(name) for name in queries.library.datasets}
            )
        return self.ready(digest, PATIENCE)

    def ready(self, digest: str, patience: float = 0.0) -> Tested | None:
        """Return the tests of a bundle if they are computed; None also if they were not requested yet."""
        if digest not in self._tests:
            return None
        try:
            return self._tests[digest].result(patience)
        except NotYetError:
            return None
