"""What people do to what is there, for pages and the API alike: each looks first whether they may."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from assay.benchmark.service import views
from assay.benchmark.service.hosted_versions import scope_of
from assay.benchmark.service.publishing import ask_to_publish
from assay.serving.accounts import Who
from assay.serving.app import RefusedError
from assay.serving.audit import record
from assay.serving.jobs import retry
from assay.serving.tables import benchmarks, submissions, versions

Row = dict[str, Any]


def withdraw(connection: Connection, who: Who, id: str) -> Row:
    """Take a submission out of what is published. Its content is kept, and what it was called is free again."""
    row = views.submission(connection, who, id)
    if row["state"] == "withdrawn":
        return row
    connection.execute(submissions.update().where(submissions.c.id == id).values(state="withdrawn"))
    record(connection, who.id, "submission.withdraw", _what(row))
    ask_to_publish(connection, row["benchmark"], row["version"])
    return {**row, "state": "withdrawn"}


def score_again(connection: Connection, who: Who, id: str) -> Row:
    """Have a failed submission tried once more."""
    row = views.submission(connection, who, id)
    views.require(who, "organiser", row["benchmark"])
    if row["state"] != "failed" or not retry(connection, f"score:{id}"):
        raise RefusedError("only what has failed can be tried again", 409)
    connection.execute(submissions.update().where(submissions.c.id == id).values(state="queued", error="", done=None))
    record(connection, who.id, "submission.retry", _what(row))
    return {**row, "state": "queued", "error": ""}


def show_to_all(connection: Connection, who: Who, name: str, public: bool) -> None:
    views.benchmark(connection, who, name)
    views.require(who, "organiser", name)
    connection.execute(benchmarks.update().where(benchmarks.c.name == name).values(public=public))
    record(connection, who.id, "benchmark.public", scope_of(name), public=public)


def open_version(connection: Connection, who: Who, name: str, version: str, opened: bool) -> None:
    """Whether it takes submissions."""
    views.version(connection, who, name, version)
    views.require(who, "organiser", name)
    here = (versions.c.benchmark == name, versions.c.version == version)
    connection.execute(versions.update().where(*here).values(open=opened))
    record(connection, who.id, "version.open", f"{scope_of(name)}/{version}", open=opened)


def _what(row: Row) -> str:
    return f"{scope_of(row['benchmark'])}/{row['version']}/{row['id']}"
