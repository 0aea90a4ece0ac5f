"""Everything that the description of the API allows, asked by everybody: no answer says that the server broke."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from assay.serving.tables import metadata
from benchmarks.postgres import fresh_database
from tests.support.made_service import MadeService, csrf, made_service

schemathesis = pytest.importorskip("schemathesis")

ROLES = ("nobody", "reader", "author", "organiser", "owner")
HOSTILE = [
    "<script>alert(1)</script>",
    "'; DROP TABLE people; --",
    "a\0b",
    "../../etc/passwd",
    "%00",
    "\u202e",
    "x" * 3000,
    "",
]


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_no_answer_is_a_failure_of_the_server(service: MadeService, role: str) -> None:
    schema = schemathesis.openapi.from_asgi("/openapi.json", service.app, headers={"Host": "127.0.0.1"})
    headers = {} if role == "nobody" else {"Authorization": f"Bearer {service.tokens[role]}"}
    headers["Host"] = "127.0.0.1"
    known = {"name": "tides", "version": "1", "task": "tides_test", "id": hidden_id(service)}
    asked = 0
    how = settings(
        max_examples=8, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )  # fmt: skip
    for operation in (each.ok() for each in schema.get_all_operations()):

        @how
        @given(case=operation.as_strategy(), real=st.booleans())
        def ask(case: Any, real: bool) -> None:
            nonlocal asked
            if real:  # beyond the door, too: names that there are
                synthetic = case.path_parameters or {}
                case.path_parameters = {key: known.get(key, value) for key, value in synthetic.items()}
            answer = case.call(headers={**(case.headers or {}), **headers}, timeout=60)
            asked += 1
            assert answer.status_code < 500, (case.as_curl_command(), answer.text[:300])

        ask()
    assert asked > 100


def hidden_id(service: MadeService) -> str:
    return str(service.program("author").get("/api/queue").json()["submissions"][0]["id"])


def test_what_postgresql_cannot_store_is_refused(postgres: str, tmp_path: Path) -> None:
    service = made_service(tmp_path, fresh_database(postgres, "hostile"))
    for text in ("a\0b", HOSTILE[1]):
        hostile_words(service, text)
    service.server.database.close()


def test_hostile_words_in_every_field(service: MadeService) -> None:
    for text in HOSTILE:
        hostile_words(service, text)


def hostile_words(service: MadeService, text: str) -> None:
    """Of forms, of paths and of queries; whatever is shown again is escaped, and the tables stay."""
    client = service.client("owner")
    mark = csrf(client)
    submission = {"submission_name": text, "tasks": {text: {"values": [text], "keys": [text]}}}
    answers = [
        client.post("/me/tokens", data={"csrf": mark, "name": text}),
        client.post("/people", data={"csrf": mark, "email": text, "scope": "", "role": "reader"}),
        client.post("/people", data={"csrf": mark, "email": "a@b.org", "scope": text, "role": "reader"}),
        client.post("/people", data={"csrf": mark, "email": "a@b.org", "scope": "", "role": text}),
        client.post("/people/x/remove", data={"csrf": mark, "scope": text}),
        client.post("/sign-in", data={"link": text}),
        client.get("/sign-in", params={"link": text}),
        client.get("/audit", params={"before": text}),
        client.post("/b/tides/1/submit", data={"csrf": mark, "text": text}),
        client.post("/b/tides/1/submit", data={"csrf": mark, "text": json.dumps(submission)}),
        client.post("/b/tides/1/open", data={"csrf": mark, "open": text}),
        client.post("/b/tides/public", data={"csrf": mark, "public": text}),
        client.post("/me/tokens", data={"csrf": text, "name": "x"}),
        service.bare(Authorization=f"Bearer {text.encode('ascii', 'ignore').decode()}x").get("/api/me"),
    ]  # fmt: skip
    escaped = text.replace("%", "%25").replace("/", "%2F").replace("\0", "%00").replace("<", "%3C").replace(" ", "%20")
    for path in (
        "/b/{}",
        "/b/tides/{}",
        "/b/tides/1/cards/{}",
        "/submissions/{}",
        "/language/{}",
        "/b/tides/1/explore/{}",
    ):
        answers.append(client.get(path.format(escaped)))
    for answer in answers:
        assert answer.status_code < 500, (answer.request.url, answer.text[:200])
        assert "<script>alert" not in answer.text or "json" in answer.headers["content-type"], answer.request.url
    for path in ("/me", "/people", "/audit", "/queue", "/"):
        page = client.get(path)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
    with service.server.database.read() as connection:
        assert all(connection.execute(table.select().limit(1)) for table in metadata.tables.values())


def test_the_description_names_every_route_of_the_api(service: MadeService) -> None:
    described = service.bare().get("/openapi.json").json()["paths"]
    there = {str(getattr(route, "path", "")) for route in service.app.routes}
    assert set(described) == {path for path in there if path.startswith("/api/")}
    assert "submission_name" in json.dumps(described["/api/benchmarks/{name}/versions/{version}/submissions"])
