"""What a user may see. Pages and the API both use these queries, so access is decided in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, select

from assay.benchmark.service.hosted_versions import HostedVersions, scope_of
from assay.benchmark.service.publishing import scored_rows, shown_as, today
from assay.serving.accounts import User
from assay.serving.app import RefusedError
from assay.serving.jobs import LEASED, WAITING
from assay.serving.server import NOT_SIGNED_IN
from assay.serving.tables import benchmarks, jobs, submissions, versions

Row = dict[str, Any]
NOT_THERE = "Not found, or not accessible to you."
"""One message for both cases, so that the existence of private objects is not revealed."""
NOT_SCORED = "Scoring failed on the server. The organisers see the reason and can retry it."
PUBLIC = (submissions.c.tasks, submissions.c.received, submissions.c.scores)


def shown_benchmarks(connection: Connection, who: User) -> list[Row]:
    """Return the benchmarks that the user may see."""
    rows = connection.execute(select(benchmarks).order_by(benchmarks.c.name)).mappings()
    return [dict(row) for row in rows if row["public"] or who.may("reader", scope_of(row["name"]))]


def benchmark(connection: Connection, who: User, name: str) -> Row:
    """Return a benchmark that the user may see; else refuse the request."""
    row = connection.execute(select(benchmarks).where(benchmarks.c.name == name)).mappings().first()
    if row is None or not (row["public"] or who.may("reader", scope_of(name))):
        raise RefusedError(NOT_THERE, 404)
    return dict(row)


def version(connection: Connection, who: User, name: str, version: str) -> Row:
    """Return a version of a benchmark that the user may see; else refuse the request."""
    benchmark(connection, who, name)
    here = (versions.c.benchmark == name, versions.c.version == version)
    row = connection.execute(select(versions).where(*here)).mappings().first()
    if row is None:
        raise RefusedError(NOT_THERE, 404)
    return dict(row)


def versions_of(connection: Connection, name: str) -> list[Row]:
    """Return the versions of a benchmark, oldest first."""
    rows = connection.execute(select(versions).where(versions.c.benchmark == name).order_by(versions.c.made)).mappings()
    return [dict(row) for row in rows]


def require(who: User, role: str, name: str) -> None:
    """Refuse the request unless the user has a role for a benchmark."""
    if not who.id:
        raise RefusedError(NOT_SIGNED_IN, 401)
    if not who.may(role, scope_of(name)):
        raise RefusedError(f"Requires the {role} role for {name}. Contact its organisers.", 403)


def submission(connection: Connection, who: User, id: str) -> Row:
    """Return a submission to its author or an organiser; else refuse the request."""
    row = connection.execute(select(submissions).where(submissions.c.id == id)).mappings().first()
    if row is None or not who.id or not (row["person"] == who.id or organises(who, row)):
        raise RefusedError(NOT_THERE, 404)
    return dict(row)


def organises(who: User, row: Any) -> bool:
    """Return whether the user has the organiser role for a submission's benchmark."""
    return who.may("organiser", scope_of(row["benchmark"]))


def described(connection: Connection, who: User, row: Row, places: Mapping[str, int] | None = None) -> Row:
    """Return a submission as the API describes it; held-back scores are for organisers only."""
    kept = ("id", "benchmark", "version", "name", "system", "received", "anonymous", "anonymous_until", "tasks")
    values: Row = {key: row[key] for key in (*kept, "findings", "state", "error", "scores", "done")}
    values["public_name"] = shown_as(row, today()) if row["state"] == "scored" else ""
    values["held_back"] = row["held_back"] if organises(who, row) else None
    if values["error"] and not organises(who, row):  # it may name a held-back metric or a file of the server
        values["error"] = NOT_SCORED
    values["position"] = None
    if row["state"] == "queued":
        values["position"] = (positions(connection) if places is None else places).get(row["id"])
    return values


def positions(connection: Connection) -> dict[str, int]:
    """Return the position in the queue of each submission that is not scored yet."""
    active = select(jobs.c.key).where(jobs.c.state.in_((WAITING, LEASED))).order_by(jobs.c.id)
    keys = connection.execute(active).scalars()
    return {key.removeprefix("score:"): place for place, key in enumerate(keys, 1) if key.startswith("score:")}


def queue(connection: Connection, who: User, limit: int = 50) -> list[Row]:
    """Return the user's submissions and those to benchmarks they organise, newest first."""
    query = select(submissions).order_by(submissions.c.id.desc()).limit(limit)
    scopes = who.scopes("organiser")
    if "" not in scopes:
        organised = [scope.removeprefix("benchmark:") for scope in scopes if scope.startswith("benchmark:")]
        query = query.where((submissions.c.person == who.id) | submissions.c.benchmark.in_(organised))
    places = positions(connection)
    return [described(connection, who, dict(row), places) for row in connection.execute(query).mappings()]


def published(connection: Connection, name: str, version: str) -> list[Row]:
    """Return the public results of a version, under today's public names."""
    return [
        {
            "system": shown_as(row, today()),
            "tasks": row["tasks"],
            "received": row["received"][:10],
            "scores": row["scores"],
        }
        for row in scored_rows(connection, name, version, *PUBLIC)
    ]


def tries(connection: Connection, name: str, version: str) -> int:
    """Return how many submissions have been scored on a test set, with those that were withdrawn."""
    here = (submissions.c.benchmark == name, submissions.c.version == version, submissions.c.scores.is_not(None))
    return int(connection.execute(select(func.count()).select_from(submissions).where(*here)).scalar_one())


def card(hosted: HostedVersions, name: str, version: str, task: str) -> str:
    """Return the data card of a task; only names of tasks become paths."""
    stored, _ = hosted.open(name, version)
    file = stored.data_card(task)
    if task not in [each.name for each in stored.manifest.tasks] or not file.is_file():
        raise RefusedError(NOT_THERE, 404)
    return file.read_text(encoding="utf-8")
