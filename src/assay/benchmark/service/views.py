"""What whoever asks may see. Nothing else decides it: pages and the API both come here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from assay.benchmark.service.hosted_versions import HostedVersions, scope_of
from assay.benchmark.service.publishing import scored_rows, shown_as, today
from assay.serving.accounts import Who
from assay.serving.app import RefusedError
from assay.serving.jobs import LEASED, WAITING
from assay.serving.tables import benchmarks, jobs, submissions, versions

Row = dict[str, Any]
NOT_THERE = "there is no such thing, or it is not for you"
"""The same words for both, so that nobody learns of what they may not see."""
NOT_SCORED = "something broke on the server; its organisers are shown what, and can have it tried again"
PUBLIC = (submissions.c.tasks, submissions.c.received, submissions.c.scores)


def shown_benchmarks(connection: Connection, who: Who) -> list[Row]:
    rows = connection.execute(select(benchmarks).order_by(benchmarks.c.name)).mappings()
    return [dict(row) for row in rows if row["public"] or who.may("reader", scope_of(row["name"]))]


def benchmark(connection: Connection, who: Who, name: str) -> Row:
    """A benchmark that they may see."""
    row = connection.execute(select(benchmarks).where(benchmarks.c.name == name)).mappings().first()
    if row is None or not (row["public"] or who.may("reader", scope_of(name))):
        raise RefusedError(NOT_THERE, 404)
    return dict(row)


def version(connection: Connection, who: Who, name: str, version: str) -> Row:
    benchmark(connection, who, name)
    here = (versions.c.benchmark == name, versions.c.version == version)
    row = connection.execute(select(versions).where(*here)).mappings().first()
    if row is None:
        raise RefusedError(NOT_THERE, 404)
    return dict(row)


def versions_of(connection: Connection, name: str) -> list[Row]:
    rows = connection.execute(select(versions).where(versions.c.benchmark == name).order_by(versions.c.made)).mappings()
    return [dict(row) for row in rows]


def require(who: Who, role: str, name: str) -> None:
    if not who.id:
        raise RefusedError("nobody is signed in; open a link to sign in, or send a token", 401)
    if not who.may(role, scope_of(name)):
        raise RefusedError(f"this takes the role of {role} for {name}; ask its organisers", 403)


def submission(connection: Connection, who: Who, id: str) -> Row:
    """A submission for its author or for an organiser; to everybody else there is none."""
    row = connection.execute(select(submissions).where(submissions.c.id == id)).mappings().first()
    if row is None or not who.id or not (row["person"] == who.id or organises(who, row)):
        raise RefusedError(NOT_THERE, 404)
    return dict(row)


def organises(who: Who, row: Any) -> bool:
    return who.may("organiser", scope_of(row["benchmark"]))


def told(connection: Connection, who: Who, row: Row, places: Mapping[str, int] | None = None) -> Row:
    """What is said of a submission: held-back numbers to organisers alone, be it their own."""
    kept = ("id", "benchmark", "version", "name", "system", "received", "anonymous", "anonymous_until", "tasks")
    said: Row = {key: row[key] for key in (*kept, "findings", "state", "error", "scores", "done")}
    said["public_name"] = shown_as(row, today()) if row["state"] == "scored" else ""
    said["held_back"] = row["held_back"] if organises(who, row) else None
    if said["error"] and not organises(who, row):  # it may name a metric that is held back, or a place on the server
        said["error"] = NOT_SCORED
    said["position"] = None
    if row["state"] == "queued":
        said["position"] = (positions(connection) if places is None else places).get(row["id"])
    return said


def positions(connection: Connection) -> dict[str, int]:
    """How many jobs are before each submission that is not scored yet, itself included."""
    active = select(jobs.c.key).where(jobs.c.state.in_((WAITING, LEASED))).order_by(jobs.c.id)
    keys = connection.execute(active).scalars()
    return {key.removeprefix("score:"): place for place, key in enumerate(keys, 1) if key.startswith("score:")}


def queue(connection: Connection, who: Who, limit: int = 50) -> list[Row]:
    """Their own submissions, and those to benchmarks that they organise; newest first."""
    asked = select(submissions).order_by(submissions.c.id.desc()).limit(limit)
    scopes = who.scopes("organiser")
    if "" not in scopes:
        organised = [scope.removeprefix("benchmark:") for scope in scopes if scope.startswith("benchmark:")]
        asked = asked.where((submissions.c.person == who.id) | submissions.c.benchmark.in_(organised))
    places = positions(connection)
    return [told(connection, who, dict(row), places) for row in connection.execute(asked).mappings()]


def published(connection: Connection, name: str, version: str) -> list[Row]:
    """The results that everybody may see who sees the benchmark, under the names of today."""
    return [
        {
            "system": shown_as(row, today()),
            "tasks": row["tasks"],
            "received": row["received"][:10],
            "scores": row["scores"],
        }
        for row in scored_rows(connection, name, version, *PUBLIC)
    ]


def card(held: HostedVersions, name: str, version: str, task: str) -> str:
    """The data card of a task; a name that is no task of the version is never a path."""
    found, _ = held.open(name, version)
    file = found.data_card(task)
    if task not in [each.name for each in found.manifest.tasks] or not file.is_file():
        raise RefusedError(NOT_THERE, 404)
    return file.read_text(encoding="utf-8")
