"""What should be public today, under which names, and whether it is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, Connection, select

from assay.records.files import digest_of
from assay.serving.database import later
from assay.serving.jobs import add_job, retry
from assay.serving.tables import publications, submissions

Row = dict[str, Any]
AGAIN = 60.0
"""Seconds before publishing that has failed (a full disk, say) is tried again, when somebody asks for it."""


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def shown_as(row: Any, day: str) -> str:
    """What a scored submission is called in public on a day."""
    hidden = row["anonymous"] and (not row["anonymous_until"] or day < row["anonymous_until"])
    return str(row["pseudonym"] if hidden else row["system"])


NAMED = (submissions.c.system, submissions.c.pseudonym, submissions.c.anonymous, submissions.c.anonymous_until)


def scored_rows(connection: Connection, name: str, version: str, *more: Column[Any]) -> list[Row]:
    """What is needed to name each scored submission, and these columns besides; in the order in which they came."""
    here = (submissions.c.benchmark == name, submissions.c.version == version, submissions.c.state == "scored")
    found = connection.execute(select(*NAMED, *more).where(*here).order_by(submissions.c.id)).mappings()
    return [dict(row) for row in found]


def wanted(connection: Connection, name: str, version: str) -> str:
    """A name for what should be public today; empty for nothing."""
    names = sorted([row["system"], shown_as(row, today())] for row in scored_rows(connection, name, version))
    return digest_of(names) if names else ""


def publication(connection: Connection, name: str, version: str) -> Row | None:
    here = (publications.c.benchmark == name, publications.c.version == version)
    row = connection.execute(select(publications).where(*here)).mappings().first()
    return dict(row) if row else None


def is_stale(connection: Connection, name: str, version: str) -> bool:
    """Whether something else should be public by now: a day has come, say."""
    held = publication(connection, name, version)
    return wanted(connection, name, version) != (held["content"] if held else "")


def ask_to_publish(connection: Connection, name: str, version: str) -> None:
    held = publication(connection, name, version)
    since = held["made"] if held else ""
    key = f"publish:{name}:{version}:{wanted(connection, name, version)}:{since}"
    if not add_job(connection, "publish", key, {"benchmark": name, "version": version}):
        retry(connection, key, before=later(seconds=-AGAIN))
