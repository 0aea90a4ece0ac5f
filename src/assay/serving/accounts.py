"""User accounts: sign-in links, browser sessions, API tokens and roles."""

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
"""Roles and their ranks: a role includes all roles of lower rank. Annotators belong to studies."""
EMAIL = re.compile(r"[^@\s<>\"\x00-\x1f]{1,64}@[^@\s<>\"\x00-\x1f]{1,189}")


@dataclass(frozen=True)
class User:
    """The user who sends a request; without an id, a visitor who is not signed in."""

    id: str = ""
    email: str = ""
    name: str = ""
    roles: dict[str, str] = field(default_factory=dict)
    """Role by scope; scope "" is the whole server."""
    by: Literal["", "session", "token"] = ""
    """How the user is authenticated."""
    session: str = ""

    def may(self, role: str, scope: str = "") -> bool:
        """Return whether the user has this role or a higher one in the scope or on the whole server."""
        roles = [self.roles.get(each, "") for each in {"", scope}]
        return any(RANKS.get(each, 0) >= RANKS[role] for each in roles)

    def scopes(self, role: str) -> list[str]:
        """Return the scopes in which the user has this role or a higher one; "" is the whole server."""
        return [scope for scope, own in self.roles.items() if RANKS.get(own, 0) >= RANKS[role]]


VISITOR = User()


def add_person(connection: Connection, email: str, by: str, name: str = "") -> str:
    """Return the id of the user with this address, creating the account if there is none."""
    email = email.strip().casefold()
    if not EMAIL.fullmatch(email):
        raise AssayError(f"{email[:80]!r}: not an e-mail address. Write name@example.org.")
    known = connection.execute(select(people.c.id).where(people.c.email == email)).scalar()
    if known is not None:
        return str(known)
    made = new_id()
    connection.execute(people.insert().values(id=made, email=email, name=name.strip()[:200], made=now()))
    record(connection, by, "person.add", f"person:{made}", email=email)
    return made


def give_role(connection: Connection, person: str, scope: str, role: str, by: str) -> None:
    """Set the role of a user in a scope; an empty role removes it."""
    if role and role not in RANKS:
        raise AssayError(f"Unknown role: {role[:40]}. Choose one of: {', '.join(RANKS)}")
    connection.execute(roles.delete().where(and_(roles.c.person == person, roles.c.scope == scope)))
    if role:
        try:
            connection.execute(roles.insert().values(person=person, scope=scope, role=role, made=now()))
        except IntegrityError:
            raise AssayError("This role was changed at the same time. Reload the page.") from None
    record(connection, by, "role.give", scope or "server", to=person, role=role)


def new_link(connection: Connection, person: str, by: str, settings: Settings) -> str:
    """Return the secret of a new link that signs a user in once.

    Earlier unused links become invalid: their creators may lack roles that the user has gained since.
    """
    unused = and_(sign_in_links.c.person == person, sign_in_links.c.used.is_(None))
    connection.execute(sign_in_links.update().where(unused).values(used=now()))
    word = new_word()
    expires = later(hours=settings.link_hours)
    connection.execute(sign_in_links.insert().values(digest=digest(word), person=person, made=now(), expires=expires))
    record(connection, by, "link.make", f"person:{person}", expires=expires)
    return word


def user_of_link(connection: Connection, word: str) -> User | None:
    """Return the user whom a link would sign in, without using the link."""
    link = _valid(connection, sign_in_links, sign_in_links.c.used, word)
    return find_user(connection, link["person"]) if link else None


def use_link(connection: Connection, word: str, settings: Settings) -> str | None:
    """Use a valid link: return the secret of a new session. None if the link is invalid or has expired."""
    valid = and_(
        sign_in_links.c.digest == digest(word), sign_in_links.c.used.is_(None), sign_in_links.c.expires > now()
    )
    if connection.execute(sign_in_links.update().where(valid).values(used=now())).rowcount != 1:
        return None
    owner = select(sign_in_links.c.person).where(sign_in_links.c.digest == digest(word))
    person = str(connection.execute(owner).scalar())
    if find_user(connection, person) is None:
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
    """Sign a user out: the session becomes invalid."""
    connection.execute(sessions.update().where(sessions.c.digest == digest(session)).values(ended=now()))
    record(connection, person, "sign-out", f"person:{person}")


def new_token(connection: Connection, person: str, name: str, settings: Settings) -> str:
    """Return the secret of a new API token; only its digest is stored."""
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
    """Revoke a token of a user; False if the user has no such token."""
    valid = and_(tokens.c.id == token, tokens.c.person == person, tokens.c.ended.is_(None))
    if connection.execute(tokens.update().where(valid).values(ended=now())).rowcount != 1:
        return False
    record(connection, person, "token.end", f"person:{person}", token=token)
    return True


def tokens_of(connection: Connection, person: str) -> list[dict[str, Any]]:
    """Return the valid tokens of a user, without their secrets."""
    query = select(tokens.c.id, tokens.c.name, tokens.c.made, tokens.c.expires)
    query = query.where(tokens.c.person == person, tokens.c.ended.is_(None)).order_by(tokens.c.id)
    return [dict(row) for row in connection.execute(query).mappings()]


def by_session(connection: Connection, word: str) -> User | None:
    """Return the user of a browser session; None if the session has ended or expired."""
    row = _valid(connection, sessions, sessions.c.ended, word)
    return find_user(connection, row["person"], by="session", session=word) if row else None


def by_token(connection: Connection, word: str) -> User | None:
    """Return the user of an API token; None if the token is invalid or has expired."""
    row = _valid(connection, tokens, tokens.c.ended, word)
    return find_user(connection, row["person"], by="token") if row else None


def _valid(connection: Connection, table: Any, ended: Any, word: str) -> dict[str, Any] | None:
    query = select(table).where(table.c.digest == digest(word), ended.is_(None), table.c.expires > now())
    row = connection.execute(query).mappings().first()
    return dict(row) if row else None


def find_user(connection: Connection, person: str, **how: Any) -> User | None:
    """Return a user with their roles; None if the account is unknown or closed."""
    row = connection.execute(select(people).where(people.c.id == person, people.c.closed.is_(None))).mappings().first()
    if row is None:
        return None
    own = connection.execute(select(roles.c.scope, roles.c.role).where(roles.c.person == person))
    return User(row["id"], row["email"], row["name"], {row.scope: row.role for row in own}, **how)


def close_person(connection: Connection, person: str, by: str) -> None:
    """Close an account: its links, sessions and tokens become invalid."""
    connection.execute(people.update().where(people.c.id == person).values(closed=now()))
    record(connection, by, "person.close", f"person:{person}")


def has_owner(connection: Connection) -> bool:
    """Return whether any user owns the whole server."""
    return (
        connection.execute(select(roles.c.person).where(roles.c.scope == "", roles.c.role == "owner")).first()
        is not None
    )
