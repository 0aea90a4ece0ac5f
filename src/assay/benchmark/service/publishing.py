"""Publication of results: which submissions are public today, under which names, and whether the bundle is current."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, Connection, select

from assay.records.files import digest_of
from assay.serving.database import later
from assay.serving.jobs import DONE, add_job, retry
from assay.serving.tables import publications, submissions

Row = dict[str, Any]
AGAIN = 60.0
"""Seconds before a failed publication is retried on request."""


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def shown_as(row: Any, day: str) -> str:
    """Return the public name of a scored submission on a day."""
    hidden = row["anonymous"] and (not row["anonymous_until"] or day < row["anonymous_until"])
    return str(row["pseudonym"] if hidden else row["system"])


NAMED = (submissions.c.system, submissions.c.pseudonym, submissions.c.anonymous, submissions.c.anonymous_until)


def scored_rows(connection: Connection, name: str, version: str, *more: Column[Any]) -> list[Row]:
    """Return the columns for the public name, and further ones, of each scored submission in order of arrival."""
    here = (submissions.c.benchmark == name, submissions.c.version == version, submissions.c.state == "scored")
    rows = connection.execute(select(*NAMED, *more).where(*here).order_by(submissions.c.id)).mappings()
    return [dict(row) for row in rows]


def wanted(connection: Connection, name: str, version: str) -> str:
    """Return a digest of the systems and names that should be public today; empty if there are none."""
    names = sorted([row["system"], shown_as(row, today())] for row in scored_rows(connection, name, version))
    return digest_of(names) if names else ""


def publication(connection: Connection, name: str, version: str) -> Row | None:
    """Return the current publication of a version."""
    here = (publications.c.benchmark == name, publications.c.version == version)
    row = connection.execute(select(publications).where(*here)).mappings().first()
    return dict(row) if row else None


def is_stale(connection: Connection, name: str, version: str) -> bool:
    """Return whether the publication is out of date, e.g. because an anonymity period has ended."""
    row = publication(connection, name, version)
    return wanted(connection, name, version) != (row["content"] if row else "")


def request_publication(connection: Connection, name: str, version: str) -> None:
    """Queue a job that publishes the current results."""
    row = publication(connection, name, version)
    since = row["made"] if row else ""
    key = f"publish:{name}:{version}:{wanted(connection, name, version)}:{since}"
    if not add_job(connection, "publish", key, {"benchmark": name, "version": version}):
        retry(connection, key, before=later(seconds=-AGAIN))
        retry(connection, key, ended=(DONE,))  # what it published was dropped by an upgrade of the server
