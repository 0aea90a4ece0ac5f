"""The explorer's server. It answers names, never paths: nothing outside what was opened can be asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import AssayError
from assay.explorer.export import EXPORTS
from assay.explorer.queries import Shelf
from assay.explorer.static_files import POLICY, static_files

if TYPE_CHECKING:
    from fastapi import FastAPI, Request, Response

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def app_of(shelf: Shelf, hosts: frozenset[str] = LOOPBACK) -> FastAPI:
    """The pages and what they ask for. `hosts` are the names the server answers to, so that no other site's name
    can be pointed at it; empty means any."""
    from fastapi import FastAPI, Request, Response

    globals().update(Request=Request, Response=Response)  # the framework reads annotations by name
    app = FastAPI(title="assay", docs_url=None, redoc_url=None, openapi_url=None)
    files = static_files()

    @app.middleware("http")
    async def guard(request: Request, call_next: Callable[[Request], Any]) -> Response:
        host = request.url.hostname or ""
        if hosts and host not in hosts:
            return _json({"error": f"this server does not answer to the name {host}"}, 421)
        try:
            response: Response = await call_next(request)
        except AssayError as error:
            response = _json({"error": str(error)}, 404)
        response.headers.update(HEADERS)
        return response

    def _json(value: Any, status: int = 200) -> Response:
        body = value if isinstance(value, bytes) else msgspec.json.encode(value)
        return Response(body, status, media_type="application/json")

    @app.get("/api/board")
    def board() -> Response:
        return _json(shelf.board_json)

    @app.get("/api/compare")
    def compare(dataset: str, a: str, b: str) -> Response:
        return _json(shelf.comparison(dataset, a, b))

    @app.get("/api/examples")
    def examples(request: Request, dataset: str) -> Response:
        return _json(shelf.examples(dataset, request.query_params.multi_items()))

    @app.get("/api/people")
    def people(dataset: str, criterion: str = "") -> Response:
        return _json(shelf.people(dataset, criterion))

    @app.get("/api/cards")
    def cards() -> Response:
        return _json(shelf.cards)

    @app.get("/api/export.{form}")
    def export(form: str) -> Response:
        if f".{form}" not in EXPORTS:
            return _json({"error": f"no form called {form}; there are {', '.join(EXPORTS)}"}, 404)
        kind, write = EXPORTS[f".{form}"]
        attached = {"Content-Disposition": f'attachment; filename="results.{form}"'}
        return Response(write(shelf.board), media_type=kind, headers=attached)

    @app.get("/{name:path}")
    def file(name: str) -> Response:
        found = files.get(name or "index.html")
        if found is None:
            return _json({"error": "there is no such page"}, 404)
        content, kind = found
        return Response(content, media_type=kind)

    return app
