"""People, and how they are known: links to sign in by, sessions of a browser, tokens of a program, roles."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import Connection, and_, select
from sqlalchemy.exc import IntegrityError

from assay.errors import AssayError
from assay.serving.audit import record
from assay.serving.database import later, new_id, now
from assay.serving.secret import digest, new_word
from assay.serving.settings import Settings
from assay.serving.tables import people, roles, sessions, sign_in_links, tokens

RANKS = {"reader": 1, "annotator": 2, "submitter": 2, "organiser": 3, "owner": 4}
"""Whoever may do what a role may, may do what those below it may; annotators belong to studies."""
EMAIL = re.compile(r"[^@\s<>\"\x00-\x1f]{1,64}@[^@\s<>\"\x00-\x1f]{1,189}")


@dataclass(frozen=True)
class Who:
    """Whoever asks. Nobody is a person with an empty id."""

    id: str = ""
    email: str = ""
    name: str = ""
    roles: dict[str, str] = field(default_factory=dict)
    """By scope; what is said of "" counts everywhere."""
    by: Literal["", "session", "token"] = ""
    session: str = ""

    def may(self, role: str, scope: str = "") -> bool:
        held = [self.roles.get(each, "") for each in {"", scope}]
        return any(RANKS.get(each, 0) >= RANKS[role] for each in held)

    def scopes(self, role: str) -> list[str]:
        """Where they have this role or more; "" among them is everywhere."""
        return [scope for scope, held in self.roles.items() if RANKS.get(held, 0) >= RANKS[role]]


NOBODY = Who()


def add_person(connection: Connection, email: str, by: str, name: str = "") -> str:
    """The id of the person with this address, who is made known if they were not."""
    email = email.strip().casefold()
    if not EMAIL.fullmatch(email):
        raise AssayError(f"{email[:80]!r}: not an e-mail address; write name@example.org")
    known = connection.execute(select(people.c.id).where(people.c.email == email)).scalar()
    if known is not None:
        return str(known)
    made = new_id()
    connection.execute(people.insert().values(id=made, email=email, name=name.strip()[:200], made=now()))
    record(connection, by, "person.add", f"person:{made}", email=email)
    return made


def give_role(connection: Connection, person: str, scope: str, role: str, by: str) -> None:
    """One role a scope; an empty one takes it away."""
    if role and role not in RANKS:
        raise AssayError(f"no role called {role[:40]}; there are {', '.join(RANKS)}")
    held = and_(roles.c.person == person, roles.c.scope == scope)
    connection.execute(roles.delete().where(held))
    if role:
        try:
            connection.execute(roles.insert().values(person=person, scope=scope, role=role, made=now()))
        except IntegrityError:
            raise AssayError("somebody else changed this role just now; look again") from None
    record(connection, by, "role.give", scope or "server", to=person, role=role)


def new_link(connection: Connection, person: str, by: str, settings: Settings) -> str:
    """The word of a link that signs this person in, once. Those from before that nobody used open nothing more: they
    were made by who might not command what the person may do by now."""
    unused = and_(sign_in_links.c.person == person, sign_in_links.c.used.is_(None))
    connection.execute(sign_in_links.update().where(unused).values(used=now()))
    word = new_word()
    expires = later(hours=settings.link_hours)
    connection.execute(sign_in_links.insert().values(digest=digest(word), person=person, made=now(), expires=expires))
    record(connection, by, "link.make", f"person:{person}", expires=expires)
    return word


def whose_link(connection: Connection, word: str) -> Who | None:
    """Whom a link would sign in, without using it up."""
    link = _valid(connection, sign_in_links, sign_in_links.c.used, word)
    return who_is(connection, link["person"]) if link else None


def use_link(connection: Connection, word: str, settings: Settings) -> str | None:
    """A new session's word for a link that is valid; it is used up with this."""
    valid = and_(
        sign_in_links.c.digest == digest(word), sign_in_links.c.used.is_(None), sign_in_links.c.expires > now()
    )
    if connection.execute(sign_in_links.update().where(valid).values(used=now())).rowcount != 1:
        return None
    found = select(sign_in_links.c.person).where(sign_in_links.c.digest == digest(word))
    person = str(connection.execute(found).scalar())
    if who_is(connection, person) is None:
        return None
    session = new_word()
    connection.execute(
        sessions.insert().values(
            digest=digest(session), person=person, made=now(), expires=later(days=settings.session_days)
        )
    )
    record(connection, person, "sign-in", f"person:{person}")
    return session


def end_session(connection: Connection, session: str, person: str) -> None:
    connection.execute(sessions.update().where(sessions.c.digest == digest(session)).values(ended=now()))
    record(connection, person, "sign-out", f"person:{person}")


def new_token(connection: Connection, person: str, name: str, settings: Settings) -> str:
    """The word of a token for programs; it is shown this once."""
    word, made = new_word(), new_id()
    connection.execute(
        tokens.insert().values(
            id=made, digest=digest(word), person=person, name=name.strip()[:100] or "token", made=now(),
            expires=later(days=settings.token_days),
        )
    )  # fmt: skip
    record(connection, person, "token.make", f"person:{person}", token=made)
    return word


def end_token(connection: Connection, person: str, token: str) -> bool:
    held = and_(tokens.c.id == token, tokens.c.person == person, tokens.c.ended.is_(None))
    if connection.execute(tokens.update().where(held).values(ended=now())).rowcount != 1:
        return False
    record(connection, person, "token.end", f"person:{person}", token=token)
    return True


def tokens_of(connection: Connection, person: str) -> list[dict[str, Any]]:
    held = select(tokens.c.id, tokens.c.name, tokens.c.made, tokens.c.expires)
    held = held.where(tokens.c.person == person, tokens.c.ended.is_(None)).order_by(tokens.c.id)
    return [dict(row) for row in connection.execute(held).mappings()]


def by_session(connection: Connection, word: str) -> Who | None:
    found = _valid(connection, sessions, sessions.c.ended, word)
    return who_is(connection, found["person"], by="session", session=word) if found else None


def by_token(connection: Connection, word: str) -> Who | None:
    found = _valid(connection, tokens, tokens.c.ended, word)
    return who_is(connection, found["person"], by="token") if found else None


def _valid(connection: Connection, table: Any, ended: Any, word: str) -> dict[str, Any] | None:
    found = select(table).where(table.c.digest == digest(word), ended.is_(None), table.c.expires > now())
    row = connection.execute(found).mappings().first()
    return dict(row) if row else None


def who_is(connection: Connection, person: str, **how: Any) -> Who | None:
    """A person with their roles; None for one who is not known, or no more."""
    row = connection.execute(select(people).where(people.c.id == person, people.c.closed.is_(None))).mappings().first()
    if row is None:
        return None
    held = connection.execute(select(roles.c.scope, roles.c.role).where(roles.c.person == person))
    return Who(row["id"], row["email"], row["name"], {row.scope: row.role for row in held}, **how)


def close_person(connection: Connection, person: str, by: str) -> None:
    """They come in no more, by whatever they hold."""
    connection.execute(people.update().where(people.c.id == person).values(closed=now()))
    record(connection, by, "person.close", f"person:{person}")


def has_owner(connection: Connection) -> bool:
    return (
        connection.execute(select(roles.c.person).where(roles.c.scope == "", roles.c.role == "owner")).first()
        is not None
    )
