"""The audit log: user, action, object and time. Entries are added in the transaction of the action, never removed."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, false, or_, select

from assay.serving.database import new_id, now
from assay.serving.tables import audit, people


def record(connection: Connection, person: str, action: str, what: str, **detail: Any) -> None:
    """Add an entry. It must not contain secrets such as links or tokens."""
    connection.execute(
        audit.insert().values(id=new_id(), at=now(), person=person, action=action, object=what, detail=detail)
    )


def entries(
    connection: Connection, *, objects: list[str] | None = None, before: str = "", limit: int = 100
) -> list[dict[str, Any]]:
    """Return entries, newest first.

    Args:
        connection: The current transaction.
        objects: Only entries about these objects or objects below them (default: all).
        before: Only entries older than the one with this id.
        limit: Maximum number of entries.
    """
    query = select(audit, people.c.email).outerjoin(people, people.c.id == audit.c.person).order_by(audit.c.id.desc())
    if objects is not None:
        below = [audit.c.object.startswith(f"{each}/", autoescape=True) for each in objects]
        query = query.where(or_(false(), *(audit.c.object == each for each in objects), *below))
    if before:
        query = query.where(audit.c.id < before)
    return [dict(row) for row in connection.execute(query.limit(limit)).mappings()]
