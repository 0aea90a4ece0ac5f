"""Signing in by link, sessions, tokens, roles, forms and limits, over the routes that every server has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text
from starlette.testclient import TestClient

from assay.serving.account_routes import add_account_routes
from assay.serving.accounts import close_person, give_role
from assay.serving.audit import entries
from assay.serving.credentials import by_token, end_token, new_link, new_token
from assay.serving.limits import Buckets
from assay.serving.role_routes import add_role_routes
from assay.serving.secret import Secret
from assay.serving.server import Server, base_app, open_server
from assay.serving.tables import metadata, submissions
from tests.support.empty_server import server
from tests.support.real_browser import run_async
from tests.support.signed_in import confirmed, sign_in

__all__ = ["server"]

HOSTILE = "<script>alert(1)</script>'; DROP TABLE people; --"
FORGED = "forged-and-forged-and-forged-and-forged-abc"


@pytest.fixture
def app(server: Server) -> Any:
    app = base_app(server)
    add_account_routes(app, server)
    add_role_routes(app, server, lambda _: ["benchmark:tides", "benchmark:winds"])

    return app


def client(app: Any) -> TestClient:
    return TestClient(app, base_url="http://127.0.0.1", follow_redirects=False, headers={"Accept": "text/html"})


def person(server: Server, email: str, **roles: str) -> str:
    given = {"" if scope == "everywhere" else f"benchmark:{scope}": role for scope, role in roles.items()}
    with server.database.write() as connection:
        return confirmed(connection, email, given)


def link(server: Server, id: str) -> str:
    with server.database.write() as connection:
        return new_link(connection, id, "", server.settings)


def signed_in(app: Any, server: Server, email: str, **roles: str) -> TestClient:
    own = client(app)
    sign_in(own, server, person(server, email, **roles))
    return own


def opened(app: Any, word: str) -> tuple[TestClient, str]:
    """Use a link of somebody else and set the sign-in key, as its addressee or its maker would."""
    own = client(app)
    answer = own.post("/sign-in", data={"link": word})
    assert (answer.status_code, answer.headers["location"]) == (303, "/me/key")
    page = own.post("/me/key", data={"csrf": csrf(own, "/me/key")})
    found = re.search(r'<code id="key">([^<]+)<', page.text)
    assert found
    return own, found[1]


def csrf(own: TestClient, page: str = "/me") -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', own.get(page).text)
    assert found
    return found[1]


def test_a_link_signs_in_once(app: Any, server: Server) -> None:
    word = link(server, person(server, "ada@example.org"))
    own = client(app)
    for _ in range(2):  # looking at it uses nothing up
        assert "ada@example.org" in own.get(f"/sign-in?link={word}").text
    answer = own.post("/sign-in", data={"link": word})
    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert own.get("/me").headers["location"] == "/me/key"
    again = client(app)
    assert again.post("/sign-in", data={"link": word}).status_code == 403
    assert again.get("/me").status_code == 401


@pytest.mark.parametrize("word", [FORGED, "", HOSTILE, "a" * 5000])
def test_forged_links(app: Any, server: Server, word: str) -> None:
    own = client(app)
    assert own.post("/sign-in", data={"link": word}).status_code == 403
    page = own.get("/sign-in", params={"link": word})
    assert page.status_code == 200
    assert "<script>" not in page.text
    assert own.get("/me").status_code == 401


@pytest.mark.parametrize("table", ["sign_in_links", "sessions", "tokens"])
def test_what_has_expired_opens_nothing(app: Any, server: Server, table: str) -> None:
    id = person(server, "ada@example.org")
    word = link(server, id)
    own = client(app)
    if table != "sign_in_links":
        sign_in(own, server, id)
        assert own.get("/me").status_code == 200
    with server.database.write() as connection:
        token = new_token(connection, id, "t", server.settings)
        connection.execute(text(f"UPDATE {table} SET expires = '2020-01-01'"))
    if table == "sign_in_links":
        assert own.post("/sign-in", data={"link": word}).status_code == 403
    elif table == "sessions":
        assert own.get("/me").status_code == 401
    else:
        with server.database.read() as connection:
            assert by_token(connection, token) is None


def test_tokens_open_until_they_are_ended(server: Server) -> None:
    id, other = person(server, "ada@example.org"), person(server, "eve@example.org")
    with server.database.write() as connection:
        word = new_token(connection, id, "laptop", server.settings)
        found = by_token(connection, word)
        assert found is not None
        assert (found.id, found.by) == (id, "token")
        held = str(connection.execute(select(metadata.tables["tokens"].c.id)).scalar())
        assert not end_token(connection, other, held)
        assert by_token(connection, word)
        assert end_token(connection, id, held)
        assert by_token(connection, word) is None


def test_a_closed_person_comes_in_no_more(app: Any, server: Server) -> None:
    own = signed_in(app, server, "ada@example.org")
    id = person(server, "ada@example.org")
    with server.database.write() as connection:
        word = new_token(connection, id, "t", server.settings)
        close_person(connection, id, "")
        assert by_token(connection, word) is None
    assert own.get("/me").status_code == 401
    assert own.post("/sign-in", data={"link": link(server, id)}).status_code == 403


def test_signing_out_ends_the_session_for_a_copied_cookie_too(app: Any, server: Server) -> None:
    own = signed_in(app, server, "ada@example.org")
    copied = client(app)
    copied.cookies = own.cookies
    assert copied.get("/me").status_code == 200
    assert own.post("/sign-out", data={"csrf": csrf(own)}).status_code == 303
    assert copied.get("/me").status_code == 401


@pytest.mark.parametrize("damage", ["x", "other secret", "other use"])
def test_forged_cookies(app: Any, server: Server, damage: str, tmp_path: Path) -> None:
    own = signed_in(app, server, "ada@example.org")
    cookie = own.cookies["assay-session"]
    session = server.secret.signed(cookie, "session", 100)
    forged = {
        "x": cookie + "x",
        "other secret": Secret("k" * 40).sign(session, "session"),
        "other use": server.secret.sign(session, "invitation"),
    }[damage]
    thief = client(app)
    thief.cookies.set("assay-session", forged)
    assert thief.get("/me").status_code == 401


@pytest.mark.parametrize("mark", [None, "", "forged", "of another"])
def test_forms_of_others_are_refused(app: Any, server: Server, mark: str | None) -> None:
    own = signed_in(app, server, "ada@example.org", everywhere="owner")
    if mark == "of another":
        mark = csrf(signed_in(app, server, "eve@example.org"))
    data = {"name": "t"} if mark is None else {"name": "t", "csrf": mark}
    for place in ("/me/tokens", "/me/tokens/x/end", "/people", "/people/x/remove", "/sign-out"):
        assert own.post(place, data=data).status_code == 403
    assert own.get("/me").status_code == 200
    elsewhere = own.post("/me/tokens", data={"name": "t", "csrf": csrf(own)}, headers={"Origin": "http://evil.org"})
    assert elsewhere.status_code == 403


def test_every_unsafe_page_asks_for_its_forms_token(app: Any, server: Server) -> None:
    pages = [route for route in app.routes if getattr(route, "methods", None) and not route.path.startswith("/api/")]
    unsafe = [route for route in pages if route.methods & {"POST", "PUT", "PATCH", "DELETE"}]
    assert len(unsafe) > 4
    for route in unsafe:
        asked = [each.call for each in route.dependant.dependencies]
        assert server.form in asked or route.path == "/sign-in", route.path


def test_inviting(app: Any, server: Server) -> None:
    own = signed_in(app, server, "olga@example.org", tides="organiser")
    data = {"csrf": csrf(own), "email": "new@example.org", "scope": "benchmark:tides", "role": "submitter"}
    page = own.post("/people", data=data)
    found = re.search(r'id="link">([^<]+)<', page.text)
    assert found
    assert "not confirmed" in page.text
    guest, _ = opened(app, found[1].partition("link=")[2])
    assert "submitter" in guest.get("/me").text
    assert "not confirmed" not in own.get("/people").text
    assert guest.get("/people").status_code == 403
    assert guest.get("/audit").status_code == 403
    refused = [
        ({"scope": "benchmark:winds"}, 403),
        ({"scope": ""}, 403),
        ({"role": "owner"}, 403),
        ({"role": "x"}, 400),
    ]
    for change, status in (*refused, ({"email": "no address"}, 400), ({"email": HOSTILE}, 400)):
        assert own.post("/people", data=data | change).status_code == status, change


def test_nobody_gains_a_role_by_signing_another_in(app: Any, server: Server) -> None:
    """A link acts as its person: an organiser may make none for an owner, or for who has a role elsewhere."""
    person(server, "owner@example.org", everywhere="owner")
    person(server, "other@example.org", winds="submitter")
    own = signed_in(app, server, "olga@example.org", tides="organiser")
    for email in ("owner@example.org", "OWNER@example.org ", "other@example.org"):
        data = {"csrf": csrf(own), "email": email, "scope": "benchmark:tides", "role": "reader"}
        page = own.post("/people", data=data)
        assert page.status_code == 200
        assert 'id="link"' not in page.text
        assert own.get("/me").status_code == 200


def test_what_was_sent_elsewhere_is_not_read_by_signing_its_author_in(app: Any, server: Server) -> None:
    """Somebody whose role was taken away still reads what they have sent; so nobody else may act as them."""
    author = person(server, "author@example.org")
    with server.database.write() as connection:
        texts = {column.name: "" for column in submissions.columns if not column.nullable}
        row = texts | {"id": "s", "benchmark": "winds", "person": author, "anonymous": True}
        connection.execute(submissions.insert().values(row | {key: [] for key in ("tasks", "findings", "scores")}))
    own = signed_in(app, server, "olga@example.org", tides="organiser")
    data = {"csrf": csrf(own), "email": "author@example.org", "scope": "benchmark:tides", "role": "reader"}
    assert 'id="link"' not in own.post("/people", data=data).text
    boss = signed_in(app, server, "boss@example.org", everywhere="owner")
    assert 'id="link"' in boss.post("/people", data=data | {"csrf": csrf(boss)}).text


def test_a_link_that_was_kept_gains_nothing(app: Any, server: Server) -> None:
    """An organiser keeps the link of a guest, who is made an owner later: what opens is the owner's link alone."""
    guest = person(server, "guest@example.org", tides="reader")
    kept = link(server, guest)
    with server.database.write() as connection:
        give_role(connection, guest, "", "owner", "")
    new = link(server, guest)
    assert client(app).post("/sign-in", data={"link": kept}).status_code == 403
    assert client(app).post("/sign-in", data={"link": new}).status_code == 303


def test_a_browser_that_leaves_while_it_sends(app: Any, server: Server) -> None:
    """No failure of the server, so nothing for its log."""
    own = signed_in(app, server, "ada@example.org", tides="reader")
    cookie = f"assay-session={own.cookies['assay-session']}".encode()
    form = b"multipart/form-data; boundary=x"
    for headers in ([(b"cookie", cookie), (b"content-type", form)], [(b"content-type", form)]):
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.disconnect"}

        async def send(message: Any, sent: list[Any] = sent) -> None:
            sent.append(message)

        path = "/me/tokens" if len(headers) > 1 else "/sign-in"
        scope = {
            "type": "http", "method": "POST", "path": path, "raw_path": b"", "query_string": b"", "root_path": "",
            "headers": [(b"host", b"127.0.0.1"), *headers], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
            "scheme": "http", "http_version": "1.1",
        }  # fmt: skip
        run_async(app(scope, receive, send))
        assert sent[0]["status"] == 400


def test_lengths_that_are_no_numbers(app: Any) -> None:
    for length in ("9" * 5000, "-1", "x"):
        assert client(app).post("/sign-in", headers={"Content-Length": length}).status_code in (400, 413)


def test_taking_roles_away(app: Any, server: Server) -> None:
    boss = person(server, "owner@example.org", everywhere="owner")
    guest = person(server, "guest@example.org", tides="submitter")
    own = signed_in(app, server, "olga@example.org", tides="organiser")
    mark = csrf(own)
    assert own.post(f"/people/{boss}/remove", data={"csrf": mark, "scope": ""}).status_code == 403
    assert own.post(f"/people/{guest}/remove", data={"csrf": mark, "scope": "benchmark:winds"}).status_code == 403
    assert own.post(f"/people/{guest}/remove", data={"csrf": mark, "scope": "benchmark:tides"}).status_code == 303
    assert own.post(f"/people/{guest}/remove", data={"csrf": mark, "scope": "benchmark:tides"}).status_code == 404


def test_the_log_tells_and_keeps_secrets(app: Any, server: Server) -> None:
    own = signed_in(app, server, "ada@example.org", everywhere="owner")
    page = own.post("/me/tokens", data={"name": HOSTILE, "csrf": csrf(own)})
    token = re.search(r'id="token">([^<]+)<', page.text)
    assert token
    with server.database.read() as connection:
        rows = entries(connection)
        everything = " ".join(str(connection.execute(select(table)).all()) for table in metadata.tables.values())
    assert [row["action"] for row in rows] == ["token.make", "sign-in", "role.give", "person.add"]
    assert token[1] not in everything
    assert own.cookies["assay-session"] not in everything
    log = own.get("/audit")
    assert "token.make" in log.text
    assert "<script>" not in own.get("/me").text


def test_an_organiser_reads_what_is_theirs(app: Any, server: Server) -> None:
    own = signed_in(app, server, "olga@example.org", tides="organiser")
    person(server, "other@example.org", winds="submitter")
    page = own.get("/audit").text
    assert "benchmark:tides" in page
    assert "benchmark:winds" not in page


def test_bodies_that_are_too_long(app: Any, server: Server, tmp_path: Path) -> None:
    own = client(app)
    long = b"x" * (server.settings.largest_body + 1)
    assert own.post("/sign-in", content=long).status_code == 413

    def pieces() -> Iterator[bytes]:
        for _ in range(server.settings.largest_body // 1_000_000 + 2):
            yield b"x=" + b"y" * 1_000_000

    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert own.post("/sign-in", content=pieces(), headers=headers).status_code == 413


def test_too_many_requests(app: Any, server: Server) -> None:
    server.sign_ins = Buckets(6)
    own = client(app)
    answers = [own.post("/sign-in", data={"link": FORGED}) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [403, 403, 429, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 11


def test_buckets_fill_again() -> None:
    clock = iter([0.0, 0.0, 0.0, 0.0, 10.0, 10.0])
    buckets = Buckets(6, lambda: next(clock))
    assert [buckets.take("a"), buckets.take("a")] == [0, 0]
    assert buckets.take("a") == pytest.approx(10)
    assert buckets.take("b") == 0
    assert buckets.take("a") == 0
    assert buckets.take("a") == pytest.approx(10)


def test_a_new_folder_is_private(tmp_path: Path) -> None:
    open_server(tmp_path / "new" / "server").database.close()
    assert (tmp_path / "new" / "server").stat().st_mode & 0o77 == 0


def test_an_existing_folder_becomes_private(tmp_path: Path) -> None:
    folder = tmp_path / "server"
    folder.mkdir(0o755)
    (folder / "assay.sqlite").touch(0o644)
    open_server(folder).database.close()
    assert folder.stat().st_mode & 0o77 == 0
    assert (folder / "assay.sqlite").stat().st_mode & 0o77 == 0


def test_secrets_are_private_and_stay(tmp_path: Path) -> None:
    first = Secret.of(tmp_path)
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    assert first.mark("a", "csrf") == Secret.of(tmp_path).mark("a", "csrf") != first.mark("a", "other")
    assert first.signed(first.sign("x", "session"), "session", 10) == "x"
    assert first.signed(first.sign("x", "session"), "session", -1) is None


def test_a_killed_start_leaves_no_second_secret(tmp_path: Path) -> None:
    (tmp_path / ".secret.0a1b2c3d").write_text("x" * 64)
    with ThreadPoolExecutor(8) as pool:
        marks = list(pool.map(lambda _: Secret.of(tmp_path).mark("a", "csrf"), range(40)))
    assert len(set(marks)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


def test_languages(app: Any, server: Server) -> None:
    own = client(app)
    assert "Anmelden" in own.get("/sign-in", headers={"Accept-Language": "de-DE,en"}).text
    own.get("/language/de")
    assert "Anmelden" in own.get("/sign-in").text
    assert own.get("/language/xx").status_code == 303
    for page, back in (("/b/x", "/b/x"), ("", "/"), ("//evil.org/x", "/evil.org/x"), ("/\\evil.org", "/evil.org")):
        answer = own.get("/language/en", headers={"Referer": f"http://127.0.0.1{page}"})
        assert answer.headers["location"] == back


def test_errors_are_pages_for_people_and_json_for_programs(app: Any, server: Server) -> None:
    own = client(app)
    assert "<h1>" in own.get("/nothing").text
    assert own.get("/nothing", headers={"Accept": "application/json"}).json() == {"error": "Not Found"}
    forged = own.get("/api/who", headers={"Authorization": f"Bearer {FORGED}"})
    assert forged.json() == {"error": "Not Found"}
