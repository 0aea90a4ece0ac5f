"""Every route for every role: what is answered, and that nobody reads or changes the hidden work of another."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from assay.serving.tables import metadata
from assay.show.sheet import font_name
from tests.support.made_service import HIDDEN, ROLES, MadeService, csrf, sent

WATCHED = ("submissions", "benchmarks", "versions", "publications", "roles", "people", "tokens", "jobs", "card_drafts")
"""Tables in which a refused request changes nothing."""


@dataclass
class Case:
    """A request, and the status for each role in the order of ROLES."""

    method: str
    path: str
    statuses: str
    data: dict[str, str] = field(default_factory=dict)
    json: Any = None
    content: bytes | None = None


# Who asks:                                nobody stranger reader other elsewhere author organiser owner
OPEN = "200 200 200 200 200 200 200 200"
SIGNED = "401 200 200 200 200 200 200 200"
MEMBERS = "404 404 200 200 404 200 200 200"
PUBLISHED = MEMBERS
SENDERS = "401 404 403 200 404 200 200 200"
OWN = "401 404 404 404 404 200 200 200"
ORGANISERS = "401 403 403 403 200 403 200 200"
"""Of whatever benchmark: they see what is theirs."""
CHANGES = "401 404 404 404 404 303 303 303"
ALONE, WRITES = "401 404 404 404 404 200 404 404", "401 404 404 404 404 303 404 404"
"""Cards are their author's alone."""
V, W = "/b/tides/1", "/api/benchmarks/tides/versions/1"
CASES = [
    Case("GET", "/", OPEN),
    Case("GET", "/static/service.css", OPEN),
    Case("GET", "/static/queue.js", OPEN),
    Case("GET", "/static/tabs.js", OPEN),
    Case("GET", f"/static/{font_name()}", OPEN),
    Case("GET", "/static/study/{name}", OPEN),
    Case("GET", "/healthz", OPEN),
    Case("GET", "/openapi.json", OPEN),
    Case("GET", "/language/{code}", "303 303 303 303 303 303 303 303"),
    Case("GET", "/sign-in", OPEN),
    Case("POST", "/sign-in", "403 403 403 403 403 403 403 403", {"link": "forged"}),
    Case("POST", "/sign-out", "401 303 303 303 303 303 303 303"),
    Case("GET", "/me", SIGNED),
    Case("GET", "/me/key", SIGNED),
    Case("POST", "/me/key", SIGNED),
    Case("POST", "/me/tokens", SIGNED, {"name": "new"}),
    Case("POST", "/me/tokens/{token}/end", "401 404 404 404 404 303 404 404"),
    Case("GET", "/people", ORGANISERS),
    Case(
        "POST", "/people", "401 403 403 403 403 403 200 200",
        {"email": "guest@example.org", "scope": "benchmark:tides", "role": "reader"},
    ),
    Case("POST", "/people/{other}/remove", "401 403 403 403 403 403 303 404", {"scope": "benchmark:tides"}),
    Case("POST", "/people/{other}/accept", "401 403 403 403 403 403 303 303"),
    Case("GET", "/audit", ORGANISERS),
    Case("GET", "/b/{name}", MEMBERS),
    Case("POST", "/b/{name}/public", "401 404 403 403 404 403 303 303", {"public": "yes"}),
    Case("GET", "/b/{name}/{version}", MEMBERS),
    Case("POST", "/b/{name}/{version}/open", "401 404 403 403 404 403 303 303", {"open": "no"}),
    Case("GET", "/b/{name}/{version}/cards/{task}", MEMBERS),
    Case("GET", "/b/{name}/{version}/bundle.zip", PUBLISHED),
    Case("GET", "/b/{name}/{version}/explore/{path:path}", PUBLISHED),
    Case("GET", "/b/{name}/{version}/submit", SENDERS),
    Case("POST", "/b/{name}/{version}/submit", "401 404 403 303 404 303 303 303", {"text": "SENT"}),
    Case("GET", "/queue", SIGNED),
    Case("GET", "/queue/rows", SIGNED),
    Case("GET", "/submissions/{id}", OWN),
    Case("GET", "/submissions/{id}/sent", OWN),
    Case("GET", "/submissions/{id}/results.zip", OWN),
    Case("GET", "/submissions/{id}/explore/{path:path}", OWN),
    Case("POST", "/submissions/{id}/withdraw", CHANGES),
    Case("POST", "/submissions/{id}/retry", "401 404 404 404 404 403 409 409"),
    Case("GET", "/api/me", SIGNED),
    Case("GET", "/api/benchmarks", OPEN),
    Case("GET", "/api/benchmarks/{name}", MEMBERS),
    Case("PATCH", "/api/benchmarks/{name}", "401 404 403 403 404 403 200 200", json={"public": True}),
    Case("GET", "/api/benchmarks/{name}/versions/{version}", MEMBERS),
    Case("PATCH", "/api/benchmarks/{name}/versions/{version}", "401 404 403 403 404 403 200 200", json={"open": False}),
    Case("GET", "/api/benchmarks/{name}/versions/{version}/cards/{task}", MEMBERS),
    Case("GET", "/api/benchmarks/{name}/versions/{version}/results", MEMBERS),
    Case("GET", "/api/benchmarks/{name}/versions/{version}/bundle.zip", PUBLISHED),
    Case("POST", "/api/benchmarks/{name}/versions/{version}/validate", SENDERS, content=sent()),
    Case(
        "POST", "/api/benchmarks/{name}/versions/{version}/submissions", "401 404 403 201 404 201 201 201",
        content=sent(),
    ),
    Case("GET", "/api/queue", SIGNED),
    Case("GET", "/api/submissions/{id}", OWN),
    Case("GET", "/api/submissions/{id}/sent", OWN),
    Case("GET", "/api/submissions/{id}/results.zip", OWN),
    Case("POST", "/api/submissions/{id}/withdraw", "401 404 404 404 404 200 200 200"),
    Case("POST", "/api/submissions/{id}/retry", "401 404 404 404 404 403 409 409"),
    Case("GET", "/api/audit", ORGANISERS),
    Case("GET", "/static/card.js", OPEN),
    Case("GET", "/static/card.css", OPEN),
    Case("GET", "/cards", SIGNED),
    Case("POST", "/cards", "401 303 303 303 303 303 303 303", {"template": "model", "title": "new"}),
    Case("GET", "/cards/{id}", ALONE),
    Case("GET", "/cards/{id}/preview", ALONE),
    Case("GET", "/cards/{id}/card.md", ALONE),
    Case("POST", "/cards/{id}", WRITES, {"version": "1"}),
    Case("POST", "/cards/{id}/autosave", ALONE, {"version": "1"}),
    Case("POST", "/cards/{id}/prefill", WRITES, {"version": "1"}),
    Case("POST", "/cards/{id}/delete", WRITES, {"sure": "yes"}),
]  # fmt: skip
SAFE = [case for case in CASES if case.method == "GET"]
UNSAFE = [case for case in CASES if case.method != "GET"]
STRANGERS = ("nobody", "stranger", "reader", "other", "elsewhere")
"""To whom the hidden submission has no name, no author and no id."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MadeService]:
    from tests.support.made_service import made_service

    made = made_service(tmp_path_factory.mktemp("service"))
    yield made
    made.server.database.close()


def row_of(service: MadeService) -> dict[str, Any]:
    with service.server.database.read() as connection:
        return dict(connection.execute(select(metadata.tables["submissions"])).mappings().one())


def place(service: MadeService, path: str) -> str:
    with service.server.database.read() as connection:
        tokens = metadata.tables["tokens"]
        cards = metadata.tables["card_drafts"]
        card = connection.execute(select(cards.c.id).where(cards.c.person == service.people["author"])).scalar()
        token = connection.execute(select(tokens.c.id).where(tokens.c.person == service.people["author"])).scalar()
    given = {
        "name": "study.css" if path.startswith("/static") else "tides",
        "version": "1",
        "task": "tides_test",
        "id": str(card) if path.startswith("/cards") else row_of(service)["id"],
        "path:path": "api/overview",
    }
    given |= {"code": "de", "token": str(token), "other": service.people["reader"]}
    for key, value in given.items():
        path = path.replace("{" + key + "}", value)
    assert "{" not in path
    return path


def ask(service: MadeService, case: Case, role: str, path: str) -> Any:
    if case.path.startswith("/api/"):
        return service.program(role).request(case.method, path, json=case.json, content=case.content)
    client: TestClient = service.client(role)
    if case.method == "GET":
        return client.get(path)
    text = sent(submission_name=role).decode()
    data = {key: text if value == "SENT" else value for key, value in case.data.items()}
    return client.request(case.method, path, data={**data, "csrf": csrf(client)})


def state(service: MadeService) -> dict[str, list[Any]]:
    with service.server.database.read() as connection:
        return {
            name: list(connection.execute(select(metadata.tables[name]).order_by(*metadata.tables[name].primary_key)))
            for name in WATCHED
        }


def words_in(answer: Any) -> str:
    if answer.headers.get("content-type") != "application/zip":
        return str(answer.text)
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return "".join(name + archive.read(name).decode("utf-8", "replace") for name in archive.namelist())


STUDIES = ("/studies", "/running", "/api/studies")
"""Of another room, with tests of its own."""


def test_every_route_has_a_row(shared: MadeService) -> None:
    there = {
        (method, str(getattr(route, "path", "")))
        for route in shared.app.routes
        for method in getattr(route, "methods", None) or ()
        if method != "HEAD" and not str(getattr(route, "path", "")).startswith(STUDIES)
    }
    assert there == {(case.method, case.path) for case in CASES}
    assert all(len(case.statuses.split()) == len(ROLES) for case in CASES)


@pytest.mark.parametrize("case", SAFE, ids=lambda case: case.path)
def test_reading(shared: MadeService, case: Case) -> None:
    path, row = place(shared, case.path), row_of(shared)
    for role, status in zip(ROLES, case.statuses.split(), strict=True):
        answer = ask(shared, case, role, path)
        assert answer.status_code == int(status), (role, answer.text[:300])
        said = words_in(answer)
        if role in STRANGERS:
            for secret in (HIDDEN, "by the heron", "author@", row["id"], shared.people["author"]):
                assert secret not in said, (role, secret)
        if role not in ("organiser", "owner"):
            assert "rouge" not in said, role


@pytest.mark.parametrize("case", UNSAFE, ids=lambda case: f"{case.method} {case.path}")
def test_changing(service: MadeService, case: Case) -> None:
    path = place(service, case.path)
    for role, status in zip(ROLES, case.statuses.split(), strict=True):
        if case.path.startswith("/api/"):
            before = state(service)
            answer = ask(service, case, role, path)
        else:
            client = service.client(role)
            mark, before = csrf(client), state(service)
            data = {k: sent(submission_name=role).decode() if v == "SENT" else v for k, v in case.data.items()}
            answer = client.request(case.method, path, data={**data, "csrf": mark})
        assert answer.status_code == int(status), (role, answer.text[:300])
        if answer.status_code >= 400:
            assert state(service) == before, role
            assert HIDDEN not in answer.text or role not in STRANGERS


def test_a_public_benchmark_is_read_by_all_and_names_nobody(service: MadeService) -> None:
    assert service.program("organiser").patch("/api/benchmarks/tides", json={"public": True}).status_code == 200
    for path in ("/b/tides", V, f"{V}/bundle.zip", f"{V}/explore/api/overview", f"{V}/explore/", f"{W}/results"):
        answer = service.client().get(path)
        assert answer.status_code == 200, path
        said = words_in(answer)
        assert HIDDEN not in said
        assert "rouge" not in said
    (result,) = service.program().get(f"{W}/results").json()["results"]
    assert result["system"] == "anonymous-1"
    assert set(result["scores"]["tides_test"]["shown"]) == {"bleu", "chrf"}
    assert service.client().get(f"{V}/submit").status_code == 401


def test_held_back_numbers_are_for_organisers(service: MadeService) -> None:
    path = f"/api/submissions/{row_of(service)['id']}"
    assert service.program("author").get(path).json()["held_back"] is None
    assert "rouge1" in service.program("organiser").get(path).json()["held_back"]["tides_test"]["scores"]
    assert "rouge1" in service.client("organiser").get(path.removeprefix("/api")).text


def test_cookies_open_nothing_of_the_api_and_tokens_no_page(service: MadeService) -> None:
    client = service.client("owner")
    assert client.get("/api/me").status_code == 401
    assert client.post(f"/api/submissions/{row_of(service)['id']}/withdraw").status_code == 401
    assert service.program("owner").get("/me").status_code == 401
