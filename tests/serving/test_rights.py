"""Nobody gains a right through the account of another, over the pages; `test_rights_machine.py` checks the model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from assay.benchmark.cards.editor.drafts import create_draft
from assay.serving.accounts import OPERATOR, User, add_person, give_role, given_roles
from assay.serving.app import RefusedError
from assay.serving.credentials import by_session, by_token, new_link, require_session, set_key, use_link
from assay.serving.database import open_database
from assay.serving.migrate import migrate_database
from assay.serving.server import Server
from tests.serving.test_accounts import app, client, csrf, link, opened, person, signed_in
from tests.support.empty_server import server

__all__ = ["app", "server"]

TIDES = "benchmark:tides"


def invited(own: Any, email: str, role: str, scope: str = TIDES) -> str:
    """Invite over the page; the secret of the link, or nothing."""
    page = own.post("/people", data={"csrf": csrf(own), "email": email, "scope": scope, "role": role})
    assert page.status_code == 200, page.text
    found = re.search(r'id="link">[^<]+link=([^<]+)<', page.text)
    return found[1] if found else ""


def token_of(own: Any) -> str:
    found = re.search(r'id="token">([^<]+)<', own.post("/me/tokens", data={"name": "t", "csrf": csrf(own)}).text)
    assert found
    return found[1]


@pytest.mark.parametrize("raised", ["by invitation", "by command"])
def test_an_organiser_does_not_become_owner_through_a_guest(app: Any, server: Server, raised: str) -> None:
    boss = signed_in(app, server, "boss@example.org", everywhere="owner")
    organiser = signed_in(app, server, "olga@example.org", tides="organiser")
    taken, key = opened(app, invited(organiser, "guest@example.org", "reader"))
    token = token_of(taken)
    kept = invited(organiser, "guest@example.org", "reader")
    taken, key = opened(app, kept)
    token = token_of(taken)
    if raised == "by invitation":
        word = invited(boss, "guest@example.org", "owner", "")
    else:
        from assay.server.manage import invite

        word = invite(server, "guest@example.org", "owner").link.partition("link=")[2]
    assert taken.get("/me").status_code == 401
    assert taken.get("/people").status_code == 401
    assert client(app).post("/sign-in", data={"key": key}).status_code == 403
    assert client(app).post("/sign-in", data={"link": kept}).status_code == 403
    with server.database.read() as connection:
        assert by_token(connection, token) is None
    assert invited(organiser, "guest@example.org", "reader") == ""
    guest, own_key = opened(app, word)
    assert "owner" in guest.get("/me").text
    again = client(app)
    assert again.post("/sign-in", data={"key": own_key}).status_code == 303
    assert again.get("/people").status_code == 200


def test_a_limited_session_only_sets_its_key(app: Any, server: Server) -> None:
    boss = signed_in(app, server, "boss@example.org", everywhere="owner")
    own = client(app)
    assert own.post("/sign-in", data={"link": invited(boss, "guest@example.org", "owner", "")}).status_code == 303
    mark = csrf(own, "/me/key")
    for path in ("/me", "/people", "/audit"):
        assert own.get(path).status_code == 303, path
    for path in ("/me/tokens", "/people", "/people/x/remove", "/people/x/accept"):
        assert own.post(path, data={"csrf": mark, "name": "t"}).status_code == 303, path
    with server.database.read() as connection:
        assert connection.execute(text("SELECT count(*) FROM tokens")).scalar() == 0
    assert own.post("/me/key").status_code == 403  # no form of another site
    assert own.post("/sign-out", data={"csrf": mark}).status_code == 303


def test_a_link_by_another_ends_everything_of_the_account(app: Any, server: Server) -> None:
    boss = signed_in(app, server, "boss@example.org", everywhere="owner")
    guest, key = opened(app, invited(boss, "guest@example.org", "submitter"))
    token = token_of(guest)
    invited(boss, "guest@example.org", "submitter")
    assert guest.get("/me").status_code == 401
    assert client(app).post("/sign-in", data={"key": key}).status_code == 403
    with server.database.read() as connection:
        assert by_token(connection, token) is None


def test_a_new_key_replaces_the_old_one(app: Any, server: Server) -> None:
    own, key = opened(app, link(server, person(server, "ada@example.org")))
    other = client(app)
    assert other.post("/sign-in", data={"key": key}).headers["location"] == "/"
    page = own.post("/me/key", data={"csrf": csrf(own)})
    assert 'id="key"' in page.text
    assert own.get("/me").status_code == 200
    assert other.get("/me").status_code == 401
    assert client(app).post("/sign-in", data={"key": key}).status_code == 403


def test_an_invitation_cannot_lock_out_a_user_of_higher_rank(app: Any, server: Server) -> None:
    boss = signed_in(app, server, "boss@example.org", everywhere="owner")
    organiser = signed_in(app, server, "olga@example.org", tides="organiser")
    assert invited(organiser, "boss@example.org", "reader") == ""
    assert boss.get("/people").status_code == 200


def test_roles_rest_while_a_voucher_lacks_them(app: Any, server: Server) -> None:
    """Who set up an account may hold it: without the organiser's role, its roles rest until somebody accepts it."""
    boss = signed_in(app, server, "boss@example.org", everywhere="owner")
    organiser = signed_in(app, server, "olga@example.org", tides="organiser")
    guest, _ = opened(app, invited(organiser, "guest@example.org", "submitter"))
    assert "submitter" in guest.get("/me").text
    olga = person(server, "olga@example.org")
    id = server.database.engine.connect().execute(text("SELECT id FROM people WHERE email LIKE 'guest%'")).scalar()
    assert boss.post(f"/people/{olga}/remove", data={"csrf": csrf(boss), "scope": TIDES}).status_code == 303
    assert "submitter" not in guest.get("/me").text
    assert "Accept account" in boss.get("/people").text
    assert organiser.post(f"/people/{id}/accept", data={"csrf": csrf(organiser)}).status_code == 403
    assert boss.post(f"/people/{id}/accept", data={"csrf": csrf(boss)}).status_code == 303
    assert "submitter" in guest.get("/me").text


def test_only_confirmed_accounts_get_roles_without_a_link(app: Any, server: Server) -> None:
    """An organiser may not sign in to an account with a role elsewhere; it must be confirmed to get another role."""
    boss = signed_in(app, server, "boss@example.org", everywhere="owner")
    organiser = signed_in(app, server, "olga@example.org", tides="organiser")
    word = invited(boss, "guest@example.org", "submitter", "benchmark:winds")
    data = {"csrf": csrf(organiser), "email": "guest@example.org", "scope": TIDES, "role": "reader"}
    refused = organiser.post("/people", data=data)
    assert refused.status_code == 403
    assert "not confirmed" in refused.text
    opened(app, word)
    assert organiser.post("/people", data=data).status_code == 200


def test_drafts_are_not_read_through_a_link(app: Any, server: Server) -> None:
    from assay.benchmark.cards.card import new_card
    from assay.benchmark.cards.template import template

    guest = person(server, "guest@example.org", tides="reader")
    with server.database.write() as connection:
        create_draft(connection, User(guest), new_card(template("model"), "mine"), template("model"))
    for email, roles in (("olga@example.org", {"tides": "organiser"}), ("boss@example.org", {"everywhere": "owner"})):
        assert invited(signed_in(app, server, email, **roles), "guest@example.org", "reader") == "", email


def test_accounts_of_an_older_database_get_vouchers(tmp_path: Path) -> None:
    old = open_database(None, tmp_path, migrate=False)
    migrate_database(old, "0003")
    with old.write() as connection:
        for id in ("boss", "olga", "guest", "unused"):
            row = {"id": id, "email": f"{id}@example.org"}
            connection.execute(text("INSERT INTO people (id, email, name, made) VALUES (:id, :email, '', '')"), row)
        log = [
            ("", "boss"),
            ("boss", "boss"),
            ("boss", "olga"),
            ("olga", "olga"),
            ("olga", "guest"),
            ("guest", "guest"),
        ]
        for i, (by, about) in enumerate([*log, ("guest", "guest"), ("olga", "unused")]):
            row = {
                "id": f"{i}",
                "by": by,
                "action": "sign-in" if by == about else "link.make",
                "what": f"person:{about}",
            }
            statement = (
                "INSERT INTO audit (id, at, person, action, object, detail) VALUES (:id, '', :by, :action, :what, '{}')"
            )
            connection.execute(text(statement), row)
        connection.execute(
            text("INSERT INTO sign_in_links (digest, person, made, expires) VALUES ('d', 'unused', '', '9')")
        )
    migrate_database(old)
    with old.read() as connection:
        found = {row.id: row.vouchers for row in connection.execute(text("SELECT id, vouchers FROM people"))}
        assert found == {"boss": "", "olga": "boss", "guest": "olga boss", "unused": None}
        assert connection.execute(text("SELECT count(*) FROM sign_in_links WHERE used IS NULL")).scalar() == 0
    old.close()


@pytest.mark.parametrize("limited", [True, False], ids=["of a link", "with a key"])
def test_a_request_of_a_session_that_ended_makes_no_credential(server: Server, limited: bool) -> None:
    """It was authenticated, and waited for the transaction in which the role of its user rose."""
    with server.database.write() as connection:
        guest = add_person(connection, "guest@example.org", OPERATOR)
        word = use_link(connection, new_link(connection, guest, OPERATOR, server.settings), server.settings)
        user = by_session(connection, str(word))
        assert user is not None
        if not limited:
            _, word = set_key(connection, user, server.settings)
            user = by_session(connection, word)
            assert user is not None
    with server.database.write() as connection:
        give_role(connection, guest, "", "owner", OPERATOR)
        new_link(connection, guest, OPERATOR, server.settings)
    for make in (lambda tx: set_key(tx, user, server.settings), lambda tx: require_session(tx, user)):
        with pytest.raises(RefusedError), server.database.write() as connection:
            make(connection)
    with server.database.read() as connection:
        assert given_roles(connection, guest).vouchers is None  # type: ignore[union-attr]
