"""Cards that somebody writes: each belongs to one person, and no change is lost to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, and_, func, select

from assay.benchmark.cards.card import Card, template_of
from assay.benchmark.cards.editor.sheet import Sheet, sheet_of
from assay.benchmark.cards.template import NAMES, Template, template
from assay.errors import AssayError
from assay.serving.accounts import Who
from assay.serving.app import RefusedError
from assay.serving.audit import record
from assay.serving.database import new_id, now
from assay.serving.tables import card_drafts

MOST = 200
LARGEST = 1_000_000
"""Letters of a card."""


class ConflictError(AssayError):
    """Somebody, or another tab, changed the card since it was opened."""


@dataclass(frozen=True)
class Draft:
    id: str
    title: str
    version: int
    changed: str
    sheet: Sheet
    form: Template

    def card(self) -> Card:
        return self.sheet.card(self.form, self.title)


def listed(connection: Connection, person: str) -> list[dict[str, Any]]:
    columns = [card_drafts.c[name] for name in ("id", "title", "template", "changed")]
    own = select(*columns).where(card_drafts.c.person == person).order_by(card_drafts.c.changed.desc())
    rows = connection.execute(own).mappings()
    return [{**row, "template": template(row["template"]).title} for row in rows if row["template"] in NAMES]


def make(connection: Connection, who: Who, card: Card, form: Template | None = None) -> str:
    """A new draft. Which template it follows is told from its headings where nobody says."""
    form = form or template_of(card)
    return make_of(connection, who, sheet_of(card, form), form)


def make_of(connection: Connection, who: Who, sheet: Sheet, form: Template) -> str:
    count = connection.execute(select(func.count()).where(card_drafts.c.person == who.id)).scalar()
    if (count or 0) >= MOST:
        raise RefusedError(f"you have {MOST} cards already; delete one first", 409)
    made, at = new_id(), now()
    row = {"id": made, "person": who.id, "template": form.name, "version": 1, "made": at, "changed": at}
    connection.execute(card_drafts.insert().values(**row, title=_title(sheet, form), text=_text(sheet)))
    record(connection, who.id, "card.make", f"card:{made}", template=form.name)
    return made


def held(connection: Connection, who: Who, id: str) -> Draft:
    """One's own; of others nobody learns whether there are any."""
    own = and_(card_drafts.c.id == id, card_drafts.c.person == who.id)
    row = connection.execute(select(card_drafts).where(own)).mappings().first()
    if row is None:
        raise RefusedError("you have no such card", 404)
    sheet = msgspec.json.decode(row["text"], type=Sheet)
    return Draft(row["id"], row["title"], row["version"], row["changed"], sheet, template(row["template"]))


def keep(connection: Connection, who: Who, draft: Draft, sheet: Sheet, version: int) -> int:
    """Put a sheet in the place of the version it was written over; another one is not written over."""
    if sheet == draft.sheet:
        return draft.version
    own = and_(card_drafts.c.id == draft.id, card_drafts.c.person == who.id, card_drafts.c.version == version)
    new = {"text": _text(sheet), "title": _title(sheet, draft.form), "version": version + 1, "changed": now()}
    if connection.execute(card_drafts.update().where(own).values(new)).rowcount != 1:
        raise ConflictError("this card was changed elsewhere since it was opened here")
    return version + 1


def remove(connection: Connection, who: Who, id: str) -> None:
    held(connection, who, id)
    connection.execute(card_drafts.delete().where(card_drafts.c.id == id, card_drafts.c.person == who.id))
    record(connection, who.id, "card.delete", f"card:{id}")


def _title(sheet: Sheet, form: Template) -> str:
    named = [sheet.front.get(key, "") for key in ("title", "pretty_name", "name")]
    return next(filter(None, named), form.title)[:200]


def _text(sheet: Sheet) -> str:
    text = msgspec.json.encode(sheet).decode()
    if len(text) > LARGEST:
        raise RefusedError(f"{len(text):,} letters are no card; {LARGEST:,} are the most", 413)
    return text
