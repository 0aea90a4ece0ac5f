"""People who write cards: the server with the editor, and somebody with a browser that has no script."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("sqlalchemy")

from starlette.testclient import TestClient

from assay.benchmark.cards.editor.routes import add_routes
from assay.serving.account_routes import add_account_routes
from assay.serving.server import SESSION, Server, base_app
from tests.support.empty_server import server
from tests.support.signed_in import confirmed, session_of

__all__ = ["Writer", "app", "server", "session"]


@pytest.fixture
def app(server: Server) -> Any:
    app = base_app(server)
    add_account_routes(app, server)
    add_routes(app, server)
    return app


def session(server: Server, email: str) -> str:
    """Return the cookie of a session of this user."""
    with server.database.write() as connection:
        person = confirmed(connection, email)
    return session_of(server, person)


class Writer:
    """Somebody with a browser that has no script."""

    def __init__(self, app: Any, server: Server, email: str = "ada@example.org") -> None:
        self.http = TestClient(
            app, base_url="http://127.0.0.1", follow_redirects=False, headers={"Accept": "text/html"}
        )  # fmt: skip
        self.http.cookies.set(SESSION, session(server, email))
        self.csrf = self.hidden("/cards", "csrf")

    def hidden(self, address: str, name: str) -> str:
        found = re.search(rf'name="{name}" value="([^"]*)"', self.http.get(address).text)
        assert found
        return found[1]

    def begin(self, form: str = "gem", title: str = "Harbours", **more: str) -> str:
        answer = self.http.post("/cards", data={"csrf": self.csrf, "template": form, "title": title, **more})
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])

    def post(self, address: str, version: int, files: Any = None, **given: str) -> Any:
        return self.http.post(address, data={"csrf": self.csrf, "version": str(version), **given}, files=files)

    def text(self, address: str) -> str:
        return self.http.get(f"{address}/card.md").text
