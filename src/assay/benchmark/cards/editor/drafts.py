"""Drafts of cards in the database: each belongs to one user, and concurrent edits are detected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, and_, func, select

from assay.benchmark.cards.card import Card, template_of
from assay.benchmark.cards.editor.sheet import Sheet, sheet_of
from assay.benchmark.cards.template import NAMES, Template, template
from assay.errors import AssayError
from assay.serving.accounts import User
from assay.serving.app import RefusedError
from assay.serving.audit import record
from assay.serving.database import new_id, now
from assay.serving.tables import card_drafts

MOST = 200
"""Maximum number of drafts of a user."""
LARGEST = 1_000_000
"""Maximum number of characters of a card."""


class ConflictError(AssayError):
    """The card was changed elsewhere since it was opened."""


@dataclass(frozen=True)
class Draft:
    """A card in the editor."""

    id: str
    title: str
    version: int
    changed: str
    sheet: Sheet
    form: Template

    def card(self) -> Card:
        return self.sheet.card(self.form, self.title)


def drafts_of(connection: Connection, person: str) -> list[dict[str, Any]]:
    """Return id, title, template and date of a user's drafts, most recently changed first."""
    columns = [card_drafts.c[name] for name in ("id", "title", "template", "changed")]
    own = select(*columns).where(card_drafts.c.person == person).order_by(card_drafts.c.changed.desc())
    rows = connection.execute(own).mappings()
    return [{**row, "template": template(row["template"]).title} for row in rows if row["template"] in NAMES]


def create_draft(connection: Connection, who: User, card: Card, form: Template | None = None) -> str:
    """Create a draft of a card and return its id; the default template is recognised from the headings."""
    form = form or template_of(card)
    return create_from_sheet(connection, who, sheet_of(card, form), form)


def create_from_sheet(connection: Connection, who: User, sheet: Sheet, form: Template) -> str:
    """Create a draft from the fields of a form and return its id."""
    count = connection.execute(select(func.count()).where(card_drafts.c.person == who.id)).scalar()
    if (count or 0) >= MOST:
        raise RefusedError(f"You have {MOST} cards, the maximum. Delete one first.", 409)
    id, at = new_id(), now()
    row = {"id": id, "person": who.id, "template": form.name, "version": 1, "made": at, "changed": at}
    connection.execute(card_drafts.insert().values(**row, title=_title(sheet, form), text=_text(sheet)))
    record(connection, who.id, "card.make", f"card:{id}", template=form.name)
    return id


def own_draft(connection: Connection, who: User, id: str) -> Draft:
    """Return a draft of the user; drafts of other users are reported as missing."""
    own = and_(card_drafts.c.id == id, card_drafts.c.person == who.id)
    row = connection.execute(select(card_drafts).where(own)).mappings().first()
    if row is None:
        raise RefusedError("You have no such card.", 404)
    sheet = msgspec.json.decode(row["text"], type=Sheet)
    return Draft(row["id"], row["title"], row["version"], row["changed"], sheet, template(row["template"]))


def save_draft(connection: Connection, who: User, draft: Draft, sheet: Sheet, version: int) -> int:
    """Save a draft that was edited from this version; return the new version.

    Raises:
        ConflictError: The stored draft has another version.
    """
    if sheet == draft.sheet:
        return draft.version
    own = and_(card_drafts.c.id == draft.id, card_drafts.c.person == who.id, card_drafts.c.version == version)
    new = {"text": _text(sheet), "title": _title(sheet, draft.form), "version": version + 1, "changed": now()}
    if connection.execute(card_drafts.update().where(own).values(new)).rowcount != 1:
        raise ConflictError("The card was changed elsewhere since it was opened here.")
    return version + 1


def delete_draft(connection: Connection, who: User, id: str) -> None:
    """Delete a draft of the user."""
    own_draft(connection, who, id)
    connection.execute(card_drafts.delete().where(card_drafts.c.id == id, card_drafts.c.person == who.id))
    record(connection, who.id, "card.delete", f"card:{id}")


def _title(sheet: Sheet, form: Template) -> str:
    named = [sheet.front.get(key, "") for key in ("title", "pretty_name", "name")]
    return next(filter(None, named), form.title)[:200]


def _text(sheet: Sheet) -> str:
    text = msgspec.json.encode(sheet).decode()
    if len(text) > LARGEST:
        raise RefusedError(f"The card has {len(text):,} characters; the maximum is {LARGEST:,}.", 413)
    return text
