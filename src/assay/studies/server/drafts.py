"""Drafts of answers that have not been sent. They are stored by task, not by assignment, so that an annotator who gets
a task again finds them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import delete, func, insert, select, update

from assay.serving.database import now
from assay.serving.tables import drafts

if TYPE_CHECKING:
    from assay.studies.server.screens import Screen
    from assay.studies.server.store import StudyTransaction


class Draft(msgspec.Struct, omit_defaults=True):
    """What an annotator has entered on one screen."""

    form: dict[str, list[str]] = {}
    seconds: float = 0.0
    passed: bool = False
    """Whether the annotator went on to the next screen."""
    first: float | str | None = None
    """First answer to a training item."""
    right: bool | None = None
    """Whether the latest answer to a training item was correct."""


def task_prefix(task: str) -> str:
    """Return the prefix of the draft keys of a task."""
    return f"task|{_escaped(task)}|"


def reading_key(task: str) -> str:
    """Return the key that marks the article of a task as read."""
    return f"read|{_escaped(task)}|"


def screen_key(task: str, screen: Screen) -> str:
    """Return the draft key of a screen."""
    if screen.text is None:
        return task_prefix(task) + "all"
    return task_prefix(task) + f"{screen.text}" + ("" if screen.sentence is None else f".{screen.sentence}")


def _escaped(task: str) -> str:
    """Return a task id without separators and control characters."""
    return re.sub(r"[|%\x00-\x1f]", lambda match: f"%{ord(match[0]):02x}", task)


def read_drafts(tx: StudyTransaction, annotator: str, prefix: str) -> dict[str, Draft]:
    """Return an annotator's drafts whose key starts with a prefix."""
    query = select(drafts.c.place, drafts.c.content).where(_own(tx, annotator) & _starts_with(prefix))
    return {key: msgspec.json.decode(content, type=Draft) for key, content in tx.connection.execute(query).all()}


def write_draft(tx: StudyTransaction, annotator: str, key: str, draft: Draft) -> None:
    """Store a draft, replacing the one under the same key."""
    own = _own(tx, annotator) & (drafts.c.place == key)
    values: dict[str, Any] = {"content": msgspec.json.encode(draft).decode(), "at": now()}
    if tx.connection.execute(update(drafts).where(own).values(**values)).rowcount == 0:
        tx.connection.execute(insert(drafts).values(study=tx.id, person=annotator, place=key, **values))


def delete_drafts(tx: StudyTransaction, annotator: str, prefix: str) -> None:
    """Delete an annotator's drafts whose key starts with a prefix."""
    tx.connection.execute(delete(drafts).where(_own(tx, annotator) & _starts_with(prefix)))


def _own(tx: StudyTransaction, annotator: str) -> Any:
    return (drafts.c.study == tx.id) & (drafts.c.person == annotator)


def _starts_with(prefix: str) -> Any:
    """Not LIKE, which ignores case in SQLite."""
    return func.substr(drafts.c.place, 1, len(prefix)) == prefix
