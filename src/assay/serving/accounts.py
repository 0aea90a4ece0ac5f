"""User accounts and their roles.

No mail is sent, so a sign-in link can be used by its maker instead of the addressee. An account therefore stores its
*vouchers*: the maker of the link by which it was confirmed, and the vouchers of the maker. Any of them may hold its
credentials. The account has a role only while each voucher has it, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import Connection, and_, select
from sqlalchemy.exc import IntegrityError

from assay.errors import AssayError
from assay.serving.audit import record
from assay.serving.database import new_id, now
from assay.serving.tables import people, roles, sessions, sign_in_links, tokens

RANKS = {"reader": 1, "annotator": 2, "submitter": 2, "organiser": 3, "owner": 4}
"""Roles and their ranks: a role includes all roles of lower rank. Annotators belong to studies."""
OPERATOR = ""
"""Id of who runs commands on the server's machine, who has every right."""
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
    vouchers: str | None = None
    """Ids of the vouchers, separated by spaces; None if the account is not confirmed."""
    limited: bool = False
    """Whether the session may only set the sign-in key."""

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


def given_roles(connection: Connection, person: str) -> User | None:
    """Return a user with all roles that were given; None if the account is unknown or closed."""
    row = connection.execute(select(people).where(people.c.id == person, people.c.closed.is_(None))).mappings().first()
    if row is None:
        return None
    own = connection.execute(select(roles.c.scope, roles.c.role).where(roles.c.person == person))
    return User(row["id"], row["email"], row["name"], {row.scope: row.role for row in own}, vouchers=row["vouchers"])


def find_user(connection: Connection, person: str, **how: Any) -> User | None:
    """Return a user with the roles that are in force; None if the account is unknown or closed.

    A role is in force once the account is confirmed, and while each voucher of the account has the role.
    """
    user = given_roles(connection, person)
    if user is None:
        return None
    own = {scope: role for scope, role in user.roles.items() if is_vouched(connection, user, role, scope)}
    return User(user.id, user.email, user.name, own, vouchers=user.vouchers, **how)


def is_vouched(connection: Connection, user: User, role: str, scope: str) -> bool:
    """Return whether the account is confirmed, and everyone who may hold its credentials has this role."""
    if user.vouchers is None or role not in RANKS:
        return False
    holders = [given_roles(connection, each) for each in user.vouchers.split()]
    return all(holder is not None and holder.may(role, scope) for holder in holders)


def lock_account(connection: Connection, person: str) -> None:
    """Lock an account until the end of the transaction.

    Whatever makes or ends credentials does this first: none is made while a role rises. SQLite has one writer anyway.
    """
    connection.execute(select(people.c.id).where(people.c.id == person).with_for_update()).all()


def give_role(connection: Connection, person: str, scope: str, role: str, by: str) -> None:
    """Set the role of a user in a scope; an empty role removes it.

    When the role rises, all links, sessions and tokens of the user end. The sign-in key and the confirmation end,
    too, unless all vouchers of the account have the role themselves.
    """
    if role and role not in RANKS:
        raise AssayError(f"Unknown role: {role[:40]}. Choose one of: {', '.join(RANKS)}")
    lock_account(connection, person)
    before = given_roles(connection, person)
    rises = bool(role) and before is not None and not before.may(role, scope)
    connection.execute(roles.delete().where(and_(roles.c.person == person, roles.c.scope == scope)))
    if role:
        try:
            connection.execute(roles.insert().values(person=person, scope=scope, role=role, made=now()))
        except IntegrityError:
            raise AssayError("This role was changed at the same time. Reload the page.") from None
    record(connection, by, "role.give", scope or "server", to=person, role=role)
    if rises and before is not None:
        end_access(connection, person, by, key=not is_vouched(connection, before, role, scope))


def end_access(connection: Connection, person: str, by: str, *, key: bool = True) -> None:
    """End all links, sessions and tokens of a user.

    Args:
        connection: The current transaction.
        person: Id of the user.
        by: Who ends them.
        key: End the sign-in key and the confirmation of the account, too.
    """
    lock_account(connection, person)
    at = now()
    ended = 0
    for table, column in (
        (sign_in_links, sign_in_links.c.used),
        (sessions, sessions.c.ended),
        (tokens, tokens.c.ended),
    ):
        valid = and_(table.c.person == person, column.is_(None))
        ended += connection.execute(table.update().where(valid).values({column.name: at})).rowcount
    confirmed = and_(people.c.id == person, people.c.vouchers.is_not(None))
    if key:
        ended += connection.execute(people.update().where(confirmed).values(key=None, vouchers=None)).rowcount
    if ended:
        record(connection, by, "access.end", f"person:{person}", key=key)


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
