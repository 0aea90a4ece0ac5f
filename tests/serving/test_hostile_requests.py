"""Requests that an application-security engineer would send: races, forged addresses, digits, control characters."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from starlette.requests import Request
from starlette.testclient import TestClient

from assay.server.app import build_app
from assay.serving import server as serving
from assay.serving.access import Access
from assay.serving.accounts import find_user, has_owner
from assay.serving.app import RefusedError
from assay.serving.backup import dump_table
from assay.serving.database import Database
from assay.serving.invitations import invite_user, remove_role
from assay.serving.server import Server, open_server
from assay.serving.settings import Settings
from assay.serving.tables import metadata
from tests.serving.test_accounts import app, client, csrf, person, signed_in
from tests.support.empty_server import server
from tests.support.signed_in import confirmed, sign_in

__all__ = ["app", "server"]

Opened = Callable[[], Database]


def owners(database: Database) -> list[Any]:
    """Two owners, each authenticated by a request that has not begun its transaction."""
    with database.write() as connection:
        ids = [confirmed(connection, f"{name}@example.org", {"": "owner"}) for name in ("ada", "bob")]
    with database.read() as connection:
        return [find_user(connection, id) for id in ids]


@pytest.mark.parametrize("at_once", [False, True], ids=["one after the other", "at once"])
def test_two_owners_who_remove_each_other_leave_one(opened: Opened, at_once: bool) -> None:
    database, other = opened(), opened()
    ada, bob = owners(database)
    refused: list[str] = []
    start = threading.Barrier(2 if at_once else 1)

    def remove(where: Database, by: Any, whom: Any) -> None:
        start.wait()
        try:
            with where.write() as connection:
                remove_role(connection, by, whom.id, "")
        except RefusedError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=remove, args=each) for each in ((database, ada, bob), (other, bob, ada))]
    for thread in threads:
        thread.start()
        if not at_once:
            thread.join()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    with database.read() as connection:
        assert has_owner(connection)


def test_an_owner_who_was_just_removed_invites_nobody(opened: Opened) -> None:
    database = opened()
    ada, bob = owners(database)
    with database.write() as connection:
        remove_role(connection, ada, bob.id, "")
    with pytest.raises(RefusedError, match="Requires the organiser role"), database.write() as connection:
        invite_user(connection, bob, "friend@example.org", "", "owner", Settings())


def asked(host: str, *forwarded: str) -> Request:
    headers = [(b"x-forwarded-for", line.encode()) for line in forwarded]
    return Request({"type": "http", "headers": headers, "client": (host, 1)})


def test_a_client_cannot_choose_the_address_that_is_counted(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_text("proxied = true\n")
    behind = open_server(tmp_path)
    seen = {behind.from_where(asked("10.0.0.1", f"1.2.3.{i}", "203.0.113.9")) for i in range(5)}
    seen |= {behind.from_where(asked("10.0.0.1", f"1.2.3.{i}, 203.0.113.9")) for i in range(5)}
    assert seen == {"203.0.113.9"}
    behind.database.close()


def test_addresses_of_one_network_are_one_client(server: Server) -> None:
    seen = {server.from_where(asked(f"2001:db8:0:1::{i:x}")) for i in range(50)}
    assert seen == {"2001:db8:0:1::/64"}
    assert server.from_where(asked("2001:db8:0:2::1")) != seen.pop()
    assert server.from_where(asked("::ffff:192.0.2.7")) == server.from_where(asked("192.0.2.7")) == "192.0.2.7"


def test_a_path_writes_no_line_and_no_escape_to_the_log(
    app: Any, server: Server, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(*_: object) -> None:
        raise OperationalError("SELECT", {"secret": "word"}, Exception("disk I/O error"))

    monkeypatch.setattr(serving, "by_session", unavailable)
    own = client(app)
    own.cookies.set(serving.SESSION, server.secret.sign("x", "session"))
    with caplog.at_level(logging.ERROR, logger="uvicorn.error"):
        answer = own.get("/me%1b%5b31m%0aINFO:%20signed%20in%e2%80%a8%85")
        assert own.get("/language/%1b%5b2J%0aroot").status_code == 503
    assert answer.status_code in (404, 503)
    assert caplog.messages
    assert all(message.isprintable() for message in caplog.messages)
    assert not any("word" in message for message in caplog.messages)


def test_no_route_of_the_whole_server_changes_anything_without_its_token(server: Server) -> None:
    """Cross-site forms: the cookie of an owner alone, for every method of every room."""
    whole = build_app(server)
    own = signed_in(whole, server, "ada@example.org", everywhere="owner")
    with server.database.read() as connection:
        before = {table.name: dump_table(connection, table) for table in metadata.sorted_tables}
    tried = 0
    for route in whole.routes:
        for method in sorted(getattr(route, "methods", None) or set()):
            if method in {"GET", "HEAD", "OPTIONS"}:
                continue
            path = re.sub(
                r"{(\w+)(?::\w+)?}",
                lambda found: "1" if found[1] == "number" else "tides",
                str(getattr(route, "path", "")),
            )
            answer = own.request(method, path, data={"name": "x", "link": "x", "agree": "yes"})
            annotator = path.startswith("/studies/")  # has a cookie of its own
            program = path.startswith("/api/")  # reads no cookie
            expected = {401} if annotator or program else {403}
            assert answer.status_code in expected, f"{method} {path}: {answer.status_code}"
            tried += 1
    assert tried > 30
    with server.database.read() as connection:
        assert {table.name: dump_table(connection, table) for table in metadata.sorted_tables} == before


def test_a_percent_encoded_form_is_small(app: Any, server: Server) -> None:
    """31 MB of a reader held up all pages for 52 s and took 3.7 GB."""
    own = signed_in(app, server, "ada@example.org", everywhere="reader")
    encoded = {"Content-Type": "application/x-www-form-urlencoded", "X-CSRF": csrf(own)}
    started = time.process_time()
    answer = own.post("/me/tokens", content=b"name=" + b"%e4%b8%ad" * 500_000, headers=encoded)
    assert answer.status_code == 413
    assert time.process_time() - started < 2
    assert own.post("/me/tokens", content=b"a&" * 500, headers=encoded).status_code == 400
    assert own.post("/me/tokens", content=b"name=%c3%a4", headers=encoded).status_code == 200
    assert client(app).post("/sign-in", content=b"link=" + b"%41" * 5_000, headers=encoded).status_code == 413


def test_private_pages_are_not_stored_by_browsers_and_proxies(app: Any, server: Server) -> None:
    own = signed_in(app, server, "ada@example.org", everywhere="owner")
    for path in ("/me", "/me/key", "/people", "/audit", "/sign-in?link=x", "/nowhere"):
        headers = own.get(path).headers
        assert headers["cache-control"] == "no-store", path
        assert headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]


@pytest.mark.parametrize(
    "back", ["//evil.org/x", "https://evil.org/x", "/\\evil.org", "/%0d%0aSet-Cookie:a=b", "javascript:x"]
)
def test_no_redirect_leads_to_another_site(app: Any, back: str) -> None:
    answer = client(app).get("/language/de", headers={"Referer": back})
    target = answer.headers["location"]
    assert target.startswith("/")
    assert not target.startswith(("//", "/\\"))
    assert "\n" not in target


def test_links_begin_with_the_address_of_the_server(server: Server) -> None:
    """Not with the host name that a request claims; unknown names are refused anyway."""
    server.address = "https://bench.example.org"
    access = Access(frozenset({"other.example.org"}), any_port=False, sign_in=True)
    own = TestClient(build_app(server, access), base_url="http://other.example.org", headers={"Accept": "text/html"})
    sign_in(own, server, person(server, "ada@example.org", everywhere="owner"))
    data = {"csrf": csrf(own), "email": "new@example.org", "scope": "", "role": "reader"}
    page = own.post("/people", data=data).text
    assert "https://bench.example.org/sign-in?link=" in page
    assert "other.example.org" not in page
    assert own.get("/me", headers={"Host": "evil.example.org"}).status_code == 421
