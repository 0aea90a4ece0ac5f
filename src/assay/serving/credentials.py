"""Credentials of users: sign-in links, sign-in keys, browser sessions and API tokens. Only their digests are stored.

A link that another user made opens a limited session, which can only set a new sign-in key. Setting it confirms the
account; before that its roles are not in force.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, and_, select

from assay.serving.accounts import OPERATOR, User, end_access, find_user, given_roles, lock_account
from assay.serving.app import RefusedError
from assay.serving.audit import record
from assay.serving.database import later, new_id, now
from assay.serving.secret import digest, new_word
from assay.serving.settings import Settings
from assay.serving.tables import people, sessions, sign_in_links, tokens

ENDED = "Your session has ended. Sign in again."


def new_link(connection: Connection, person: str, by: str, settings: Settings) -> str:
    """Return the secret of a new link that signs a user in once.

    A link by another user ends every other credential of the account, so that its owner notices. Earlier links become
    invalid in any case.
    """
    if by == person:
        unused = and_(sign_in_links.c.person == person, sign_in_links.c.used.is_(None))
        connection.execute(sign_in_links.update().where(unused).values(used=now()))
    else:
        end_access(connection, person, by)
    word = new_word()
    expires = later(hours=settings.link_hours)
    row = {"digest": digest(word), "person": person, "made": now(), "expires": expires}
    connection.execute(sign_in_links.insert().values(**row, vouchers=_vouchers(connection, person, by)))
    record(connection, by, "link.make", f"person:{person}", expires=expires)
    return word


def _vouchers(connection: Connection, person: str, by: str) -> str | None:
    """Return who can hold the credentials that a link opens, besides the user; None if the user made the link."""
    if by == person:
        return None
    maker = given_roles(connection, by) if by != OPERATOR else None
    known = [by, *(maker.vouchers or "").split()] if maker else []
    return " ".join(each for each in dict.fromkeys(known) if each != person)


def user_of_link(connection: Connection, word: str) -> User | None:
    """Return the user whom a link would sign in, without using the link."""
    link = _valid(connection, sign_in_links, sign_in_links.c.used, word)
    return find_user(connection, link["person"]) if link else None


def use_link(connection: Connection, word: str, settings: Settings) -> str | None:
    """Use a valid link: return the secret of a new session. None if the link is invalid or has expired."""
    link = _valid(connection, sign_in_links, sign_in_links.c.used, word)
    if link is not None:
        lock_account(connection, link["person"])
    unused = and_(sign_in_links.c.digest == digest(word), sign_in_links.c.used.is_(None))
    if link is None or connection.execute(sign_in_links.update().where(unused).values(used=now())).rowcount != 1:
        return None
    return new_session(connection, link["person"], settings, link["vouchers"])


def use_key(connection: Connection, word: str, settings: Settings) -> str | None:
    """Return the secret of a new session of the user with this sign-in key; None if there is none."""
    own = select(people.c.id).where(people.c.key == digest(word))
    person = connection.execute(own).scalar()
    if person is None:
        return None
    lock_account(connection, person)  # the key may have ended in the meantime
    return new_session(connection, person, settings) if connection.execute(own).scalar() == person else None


def new_session(connection: Connection, person: str, settings: Settings, vouchers: str | None = None) -> str | None:
    """Return the secret of a new session; limited if `vouchers` are given. None if the account is closed."""
    if given_roles(connection, person) is None:
        return None
    word = new_word()
    expires = later(days=settings.session_days)
    row = {"digest": digest(word), "person": person, "made": now(), "expires": expires, "vouchers": vouchers}
    connection.execute(sessions.insert().values(row))
    record(connection, person, "sign-in", f"person:{person}")
    return word


def set_key(connection: Connection, user: User, settings: Settings) -> tuple[str, str]:
    """Set a new sign-in key for the user of a session; return the key and the secret of a new session.

    All other credentials end. A limited session confirms the account; its vouchers are those of its link.
    """
    user, vouchers = _holder(connection, user)
    if vouchers is None:
        vouchers = user.vouchers or ""
    end_access(connection, user.id, user.id)
    key = new_word()
    connection.execute(people.update().where(people.c.id == user.id).values(key=digest(key), vouchers=vouchers))
    record(connection, user.id, "key.set", f"person:{user.id}")
    session = new_session(connection, user.id, settings)
    assert session is not None
    return key, session


def require_session(connection: Connection, user: User) -> User:
    """Return the user of a session as of this moment, and lock the account until the end of the transaction.

    The request was authenticated before the transaction: meanwhile a role may have risen, which ended the session.

    Raises:
        RefusedError: The session has ended, or may only set the sign-in key.
    """
    user, vouchers = _holder(connection, user)
    if vouchers is not None:
        raise RefusedError(ENDED, 401)
    return user


def _holder(connection: Connection, user: User) -> tuple[User, str | None]:
    """Return the user of a session, and the vouchers of the session; refuse one that has ended."""
    lock_account(connection, user.id)
    row = _valid(connection, sessions, sessions.c.ended, user.session)
    holder = by_session(connection, user.session)
    if row is None or holder is None or holder.id != user.id:
        raise RefusedError(ENDED, 401)
    return holder, row["vouchers"]


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
    """Return the user of a browser session, without roles if it is limited; None if it has ended or expired."""
    row = _valid(connection, sessions, sessions.c.ended, word)
    if row is None:
        return None
    limited = row["vouchers"] is not None
    user = find_user(connection, row["person"], by="session", session=word, limited=limited)
    if user is not None and limited:
        user.roles.clear()
    return user


def by_token(connection: Connection, word: str) -> User | None:
    """Return the user of an API token; None if the token is invalid or has expired."""
    row = _valid(connection, tokens, tokens.c.ended, word)
    return find_user(connection, row["person"], by="token") if row else None


def _valid(connection: Connection, table: Any, ended: Any, word: str) -> dict[str, Any] | None:
    query = select(table).where(table.c.digest == digest(word), ended.is_(None), table.c.expires > now())
    row = connection.execute(query).mappings().first()
    return dict(row) if row else None
