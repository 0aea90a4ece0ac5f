"""The audit log: who did what to what, and when. It is only ever added to, in the transaction of what it tells of."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, false, or_, select

from assay.serving.database import new_id, now
from assay.serving.tables import audit, people


def record(connection: Connection, person: str, action: str, what: str, **detail: Any) -> None:
    """Nothing that opens anything belongs into it: no links, no tokens."""
    connection.execute(
        audit.insert().values(id=new_id(), at=now(), person=person, action=action, object=what, detail=detail)
    )


def entries(
    connection: Connection, *, objects: list[str] | None = None, before: str = "", limit: int = 100
) -> list[dict[str, Any]]:
    """The newest first; only what is about these objects (or below them), if any are named."""
    asked = select(audit, people.c.email).outerjoin(people, people.c.id == audit.c.person).order_by(audit.c.id.desc())
    if objects is not None:
        found = [audit.c.object == each for each in objects]
        found += [audit.c.object.startswith(f"{each}/", autoescape=True) for each in objects]
        asked = asked.where(or_(false(), *found))
    if before:
        asked = asked.where(audit.c.id < before)
    return [dict(row) for row in connection.execute(asked.limit(limit)).mappings()]
