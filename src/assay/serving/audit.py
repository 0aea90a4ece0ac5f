"""The audit log: user, action, object and time. Entries are added in the transaction of the action, never removed.

Each entry contains a digest of itself and of the entry before it; `chain_problems` finds entries that were removed,
added or changed outside of the server.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, false, or_, select

from assay.serving.database import before_commit, insert_new, new_id, now
from assay.serving.tables import audit, chains, people

CHAIN = "audit"
FIELDS = ("id", "at", "person", "action", "object", "detail")


def record(connection: Connection, person: str, action: str, what: str, **detail: Any) -> None:
    """Add an entry. It must not contain secrets such as links or tokens."""
    connection.execute(
        audit.insert().values(id=new_id(), at=now(), person=person, action=action, object=what, detail=detail)
    )
    # Only one transaction at a time can append to the chain: the last thing it does, so that none waits in a circle.
    before_commit(connection, CHAIN, _append)


def _append(connection: Connection) -> None:
    """Append the new entries of this transaction to the chain."""
    insert_new(connection, chains, "name", name=CHAIN, head="", length=0)
    last = connection.execute(select(chains).where(chains.c.name == CHAIN).with_for_update()).one()
    head, length = last.head, last.length
    new = connection.execute(select(audit).where(audit.c.seq.is_(None)).order_by(audit.c.id)).mappings().all()
    for entry in new:
        head, length = _chained(head, entry), length + 1
        connection.execute(audit.update().where(audit.c.id == entry["id"]).values(seq=length, chain=head))
    connection.execute(chains.update().where(chains.c.name == CHAIN).values(head=head, length=length))


def _chained(head: str, entry: Mapping[Any, Any]) -> str:
    text = json.dumps([head, *(entry[field] for field in FIELDS)], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def chain_problems(connection: Connection) -> list[str]:
    """Return what is wrong with the chain: an entry that is missing, changed or added, or none."""
    last = connection.execute(select(chains).where(chains.c.name == CHAIN)).first()
    expected, length = (last.head, last.length) if last else ("", 0)
    head, n = "", 0
    for entry in connection.execute(select(audit).order_by(audit.c.seq, audit.c.id)).mappings():
        if entry["seq"] is None:
            return [f"audit log: entry {entry['id']} was not written by the server"]
        if entry["seq"] != n + 1:
            return [f"audit log: entry {n + 1} is missing"]
        head, n = _chained(head, entry), n + 1
        if head != entry["chain"]:
            return [f"audit log: entry {n} does not continue the one before it"]
    return [] if (head, n) == (expected, length) else [f"audit log: {n} entries, {length} were written"]


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
