"""The ladder of a held-back metric: authors see a new score only if it is better than their best by a step.

Every score that is shown tells the next submission something about the test set. The Ladder (Blum and Hardt, 2015)
shows the best score so far, rounded to the step, and changes it only for an improvement by the step or more: the number
of answers that say anything is limited by the range of the score, however many submissions there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from assay.benchmark.manifest import BenchmarkManifest
from assay.benchmark.service.publishing import NAMED, shown_as, today
from assay.metrics import resolve
from assay.serving.tables import submissions

Row = dict[str, Any]
ROUNDING = 1e-9
"""Share of a step by which an improvement may be smaller: steps such as 0.05 are rounded."""


class Rung(NamedTuple):
    """The best score of an author so far, on one held-back metric of one task."""

    task: str
    metric: str
    value: float
    step: float
    system: str
    """Public name of the submission that reached it."""
    public: bool
    """Whether that submission is published under its own name."""


def climbed(scores: Iterable[float], step: float, lower: bool = False) -> list[float]:
    """Return the score that is shown after each submission: the best so far, in steps.

    >>> climbed([41.2, 41.4, 40.0, 41.9], 0.5)
    [41.0, 41.0, 41.0, 42.0]
    """
    sign, shown = -1.0 if lower else 1.0, []
    best: float | None = None
    for score in scores:
        if best is None or sign * score >= best + step * (1 - ROUNDING):
            best = round(sign * score / step) * step
        shown.append(sign * best)
    return shown


def rungs(
    connection: Connection, manifest: BenchmarkManifest, place: tuple[str, str], person: str, until: str | None = None
) -> list[Rung]:
    """Return the rungs of an author.

    Args:
        connection: Database connection.
        manifest: Frozen manifest of the version.
        place: Name of the benchmark, and version.
        person: The author.
        until: Submission after which later ones do not count (default: all count).
    """
    here = (submissions.c.benchmark == place[0], submissions.c.version == place[1], submissions.c.person == person)
    columns = (*NAMED, submissions.c.id, submissions.c.state, submissions.c.held_back, submissions.c.done)
    rows = connection.execute(select(*columns).where(*here, submissions.c.done.is_not(None))).mappings()
    # Withdrawn submissions were scored, too: withdrawing one does not give a try back.
    scored = sorted((dict(row) for row in rows if row["held_back"]), key=lambda row: (row["done"], row["id"]))
    if until is not None:
        ids = [row["id"] for row in scored]
        scored = scored[: ids.index(until) + 1] if until in ids else []
    return [
        rung
        for task in manifest.tasks
        for metric, step in task.ladder.items()
        if (rung := _rung(scored, task.name, metric, step)) is not None
    ]


def _rung(scored: list[Row], task: str, metric: str, step: float) -> Rung | None:
    known = [(row, value) for row in scored if (value := _value(row, task, metric)) is not None]
    if not known:
        return None
    shown = climbed([value for _, value in known], step, _is_lower_better(metric))
    first = known[shown.index(shown[-1])][0]
    name = shown_as(first, today())
    return Rung(task, metric, shown[-1], step, name, first["state"] == "scored" and name == first["system"])


@cache
def _is_lower_better(metric: str) -> bool:
    return any(part.name == metric and part.better == "lower" for part in resolve([metric])[0].metric.parts())


def _value(row: Row, task: str, metric: str) -> float | None:
    value = row["held_back"].get(task, {}).get("scores", {}).get(metric, {}).get("value")
    return None if value is None else float(value)


def public_ladder(connection: Connection, manifest: BenchmarkManifest, place: tuple[str, str]) -> list[Rung]:
    """Return the rungs of all authors, best first within each metric; anonymous and withdrawn ones are left out."""
    if not any(task.ladder for task in manifest.tasks):
        return []
    here = (submissions.c.benchmark == place[0], submissions.c.version == place[1], submissions.c.state == "scored")
    people = connection.execute(select(submissions.c.person).where(*here).distinct()).scalars().all()
    every = [rung for person in people for rung in rungs(connection, manifest, place, person) if rung.public]

    def order(rung: Rung) -> tuple[str, str, float]:
        return rung.task, rung.metric, rung.value if _is_lower_better(rung.metric) else -rung.value

    return sorted(every, key=order)
