"""Confirmed users, and browsers that are signed in without a link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("sqlalchemy")

from sqlalchemy import Connection

from assay.serving.accounts import OPERATOR, add_person, give_role
from assay.serving.credentials import new_session
from assay.serving.server import SESSION, Server
from assay.serving.tables import people


def confirmed(connection: Connection, email: str, roles: Mapping[str, str] | None = None) -> str:
    """Return the id of a user with these roles, whose account the operator vouched for."""
    id = add_person(connection, email, OPERATOR)
    connection.execute(people.update().where(people.c.id == id).values(vouchers=""))
    for scope, role in (roles or {}).items():
        give_role(connection, id, scope, role, OPERATOR)
    return id


def session_of(server: Server, person: str) -> str:
    """Return the cookie of a new session of a user."""
    with server.database.write() as connection:
        word = new_session(connection, person, server.settings)
    return server.secret.sign(word, "session")


def sign_in(client: Any, server: Server, person: str) -> None:
    client.cookies.set(SESSION, session_of(server, person))
