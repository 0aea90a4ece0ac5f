"""What is read of a request before it is known who sends it: nothing; and of what a signed-in user sends, little."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.routing import Route

from assay.server.app import build_app
from assay.serving.access import Access
from assay.serving.account_routes import LARGEST_SIGN_IN
from assay.serving.credentials import new_token
from assay.serving.server import Server
from tests.serving.test_accounts import person
from tests.support.empty_server import server

__all__ = ["server"]

PIECE, PIECES = 20_000, 50
WIDE = b"[" + b"{}," * (PIECE // 3)
"""The beginning of a list whose parsed form takes a hundred times its size."""


def requests_of(app: Any) -> list[tuple[str, str]]:
    """Every address of the server with every method that sends a body."""
    found = []
    for route in app.routes:
        if isinstance(route, Route):
            for method in sorted((route.methods or set()) - {"GET", "HEAD"}):
                found.append((method, route.path.replace("{number}", "1").replace("{", "").replace("}", "")))
    return found


def send(app: Any, method: str, path: str, kind: str, headers: dict[str, str] | None = None) -> tuple[int, int]:
    """Send a large body; return the status of the answer and the number of pieces that were taken."""
    taken = status = 0

    async def receive() -> dict[str, Any]:
        nonlocal taken
        if taken == PIECES:
            return {"type": "http.disconnect"}
        taken += 1
        return {"type": "http.request", "body": WIDE, "more_body": taken < PIECES}

    async def answered(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    sent = {"host": "127.0.0.1", "content-type": kind, **(headers or {})}
    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
        "root_path": "", "scheme": "http", "http_version": "1.1", "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80), "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
    }  # fmt: skip
    with ThreadPoolExecutor(1) as thread:  # this one may have a loop, left by a browser
        thread.submit(asyncio.run, app(scope, receive, answered)).result()
    return status, taken


@pytest.fixture
def app(server: Server) -> Any:
    return build_app(server, Access(sign_in=True))


@pytest.mark.parametrize("kind", ["application/json", "application/octet-stream", "application/x-www-form-urlencoded"])
def test_nothing_is_read_of_what_visitors_send(app: Any, kind: str) -> None:
    requests = requests_of(app)
    assert len(requests) > 40
    for method, path in requests:
        status, taken = send(app, method, path, kind)
        most = LARGEST_SIGN_IN // PIECE + 1 if path == "/sign-in" else 0
        assert taken <= most, (method, path, taken)
        assert status in ((403, 413) if path == "/sign-in" else (401, 404)), (method, path, status)


def test_json_that_changes_a_setting_is_small(app: Any, server: Server) -> None:
    owner = person(server, "owner@example.org", everywhere="owner")
    with server.database.write() as connection:
        token = new_token(connection, owner, "t", server.settings)
    for path in ("/api/benchmarks/tides", "/api/benchmarks/tides/versions/1"):
        status, taken = send(app, "PATCH", path, "application/json", {"authorization": f"Bearer {token}"})
        assert (status, taken) == (413, 1), path
