"""What somebody has entered and not sent yet. It is kept by task, not by assignment: whoever is given a task again,
after it was taken back, finds what they had entered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import delete, func, insert, select, update

from assay.serving.database import now
from assay.serving.tables import drafts

if TYPE_CHECKING:
    from assay.studies.server.screens import Screen
    from assay.studies.server.store import Work


class Draft(msgspec.Struct, omit_defaults=True):
    form: dict[str, list[str]] = {}
    seconds: float = 0.0
    passed: bool = False
    """Whether the person went on from here."""
    first: float | str | None = None
    """Of a lesson: what was said first."""
    right: bool | None = None


def of_task(task: str) -> str:
    """What the places of a task begin with, and those of no other."""
    return f"task|{_known_as(task)}|"


def of_reading(task: str) -> str:
    """The place where it is kept that somebody has read an article."""
    return f"read|{_known_as(task)}|"


def _known_as(task: str) -> str:
    """An id without what ends it in a place, or cannot be stored."""
    return re.sub(r"[|%\x00-\x1f]", lambda found: f"%{ord(found[0]):02x}", task)


def place_of(task: str, screen: Screen) -> str:
    what = (
        "all" if screen.text is None else f"{screen.text}" + ("" if screen.sentence is None else f".{screen.sentence}")
    )
    return of_task(task) + what


def read_drafts(work: Work, person: str, prefix: str) -> dict[str, Draft]:
    """A person's drafts whose place begins like this."""
    found = select(drafts.c.place, drafts.c.content).where(drafts.c.study == work.id, drafts.c.person == person)
    rows = work.connection.execute(found.where(_begins(prefix))).all()
    return {place: msgspec.json.decode(content, type=Draft) for place, content in rows}


def write_draft(work: Work, person: str, place: str, draft: Draft) -> None:
    mine = _mine(work, person) & (drafts.c.place == place)
    values: dict[str, Any] = {"content": msgspec.json.encode(draft).decode(), "at": now()}
    if work.connection.execute(update(drafts).where(mine).values(**values)).rowcount == 0:
        work.connection.execute(insert(drafts).values(study=work.id, person=person, place=place, **values))


def drop_drafts(work: Work, person: str, prefix: str) -> None:
    work.connection.execute(delete(drafts).where(_mine(work, person) & _begins(prefix)))


def _mine(work: Work, person: str) -> Any:
    return (drafts.c.study == work.id) & (drafts.c.person == person)


def _begins(prefix: str) -> Any:
    """Not by LIKE, for which SQLite takes capitals and small letters to be the same."""
    return func.substr(drafts.c.place, 1, len(prefix)) == prefix
