"""Invitations: who may give which role, make a sign-in link for another user, and vouch for an account."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, select

from assay.serving.accounts import RANKS, User, add_person, find_user, give_role, given_roles, is_vouched
from assay.serving.app import RefusedError
from assay.serving.audit import record
from assay.serving.credentials import ENDED, by_session, new_link
from assay.serving.settings import Settings
from assay.serving.tables import card_drafts, people, roles, submissions


class Invitation(NamedTuple):
    """What an invitation did."""

    person: str
    link: str
    """Secret of a sign-in link; empty if the inviting user may not make one."""


def invite_user(
    connection: Connection, by: User, email: str, scope: str, role: str, settings: Settings
) -> Invitation:  # fmt: skip
    """Give a user at least this role, and make a sign-in link if the inviting user may.

    An account that the inviting user may not sign in to must be confirmed, and its vouchers must have the role:
    otherwise anyone with its credentials would gain the role.
    """
    require_organiser(by, scope, role)
    person = add_person(connection, email, by.id)
    by = current(connection, by, person)
    require_organiser(by, scope, role)
    other = given_roles(connection, person)
    if other is None:
        raise RefusedError("This account is closed. Contact the owner of the server.", 403)
    signs_in = may_sign_in(connection, by, other)
    if not other.may(role, scope):
        if not signs_in and not is_vouched(connection, other, role, scope):
            raise RefusedError(
                "The account is not confirmed by someone with this role. An owner can accept it on the page of users, "
                "or make a link: assay server invite.", 403,
            )  # fmt: skip
        give_role(connection, person, scope, role, by.id)
    return Invitation(person, new_link(connection, person, by.id, settings) if signs_in else "")


def remove_role(connection: Connection, by: User, other: str, scope: str) -> None:
    """Take the role of a user in a scope away."""
    by = current(connection, by, other)
    role = connection.execute(select(roles.c.role).where(roles.c.person == other, roles.c.scope == scope)).scalar()
    require_organiser(by, scope, str(role or "reader"))
    if role is None:
        raise RefusedError("The user does not have this role.", 404)
    if other == by.id and role == "owner":
        raise RefusedError("Owners cannot remove their own role. Another owner can.", 400)
    give_role(connection, other, scope, "", by.id)


def accept_account(connection: Connection, by: User, other: str) -> None:
    """Vouch for a confirmed account: its roles come into force again after an earlier voucher lost them.

    The accepting user states that the account is in the hands of its owner, and must have all of its roles.
    """
    by = current(connection, by, other)
    user = given_roles(connection, other)
    if user is None or not covers(by, user.roles):
        raise RefusedError("Requires the organiser role for all roles of the user.", 403)
    if user.vouchers is None:
        raise RefusedError("The account is not confirmed. Make a sign-in link for the user.", 409)
    vouchers = [each for each in dict.fromkeys([by.id, *(by.vouchers or "").split()]) if each != other]
    connection.execute(people.update().where(people.c.id == other).values(vouchers=" ".join(vouchers)))
    record(connection, by.id, "person.accept", f"person:{other}")


def current(connection: Connection, by: User, other: str) -> User:
    """Return a user with the roles of this moment, and lock both accounts until the end of the transaction.

    The request was authenticated before the transaction: two owners who remove each other would both succeed, and a
    session could have ended.
    """
    both = select(people.c.id).where(people.c.id.in_([by.id, other])).order_by(people.c.id)
    connection.execute(both.with_for_update()).all()
    user = find_user(connection, by.id, by=by.by, session=by.session)
    if user is None:
        raise RefusedError("Your account is closed. Contact the owner of the server.", 403)
    if by.session and by_session(connection, by.session) is None:
        raise RefusedError(ENDED, 401)
    return user


def require_organiser(by: User, scope: str, role: str) -> None:
    """Refuse users who do not organise the scope, or lack the role that they give or take."""
    if not covers(by, {scope: role}):
        raise RefusedError("Requires the organiser role for the same benchmark, study or server.", 403)


def covers(by: User, required: dict[str, str]) -> bool:
    """Return whether a user organises each scope and has the role in it."""
    return all(by.may("organiser", scope) and by.may(role, scope) for scope, role in required.items() if role in RANKS)


def may_sign_in(connection: Connection, by: User, other: User) -> bool:
    """Return whether a user may create a sign-in link for another.

    The link acts as the other user. It must not give roles that its creator lacks, nor access to drafts of cards, nor
    to submissions of the other user to benchmarks that its creator does not organise.
    """
    if by.id == other.id:
        return True
    if connection.execute(select(card_drafts.c.id).where(card_drafts.c.person == other.id)).first() is not None:
        return False
    sent = select(submissions.c.benchmark).where(submissions.c.person == other.id).distinct()
    required = {f"benchmark:{name}": "reader" for name in connection.execute(sent).scalars()} | other.roles
    return covers(by, required)
