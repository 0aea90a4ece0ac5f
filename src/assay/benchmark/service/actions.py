"""Actions of users on submissions, benchmarks and versions, for pages and the API; each checks the required role."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from assay.benchmark.service import views
from assay.benchmark.service.hosted_versions import scope_of
from assay.benchmark.service.publishing import request_publication
from assay.serving.accounts import User
from assay.serving.app import RefusedError
from assay.serving.audit import record
from assay.serving.jobs import retry
from assay.serving.tables import benchmarks, submissions, versions

Row = dict[str, Any]


def withdraw(connection: Connection, who: User, id: str) -> Row:
    """Withdraw a submission from publication. Its content is kept, and its name can be used again."""
    row = views.submission(connection, who, id)
    if row["state"] == "withdrawn":
        return row
    connection.execute(submissions.update().where(submissions.c.id == id).values(state="withdrawn"))
    record(connection, who.id, "submission.withdraw", _what(row))
    request_publication(connection, row["benchmark"], row["version"])
    return {**row, "state": "withdrawn"}


def score_again(connection: Connection, who: User, id: str) -> Row:
    """Queue a failed submission again."""
    row = views.submission(connection, who, id)
    views.require(who, "organiser", row["benchmark"])
    if row["state"] != "failed" or not retry(connection, f"score:{id}"):
        raise RefusedError("Only failed submissions can be retried.", 409)
    connection.execute(submissions.update().where(submissions.c.id == id).values(state="queued", error="", done=None))
    record(connection, who.id, "submission.retry", _what(row))
    return {**row, "state": "queued", "error": ""}


def set_public(connection: Connection, who: User, name: str, public: bool) -> None:
    """Set whether a benchmark is visible without a role."""
    views.benchmark(connection, who, name)
    views.require(who, "organiser", name)
    connection.execute(benchmarks.update().where(benchmarks.c.name == name).values(public=public))
    record(connection, who.id, "benchmark.public", scope_of(name), public=public)


def set_open(connection: Connection, who: User, name: str, version: str, opened: bool) -> None:
    """Set whether a version accepts submissions."""
    views.version(connection, who, name, version)
    views.require(who, "organiser", name)
    here = (versions.c.benchmark == name, versions.c.version == version)
    connection.execute(versions.update().where(*here).values(open=opened))
    record(connection, who.id, "version.open", f"{scope_of(name)}/{version}", open=opened)


def _what(row: Row) -> str:
    return f"{scope_of(row['benchmark'])}/{row['version']}/{row['id']}"
