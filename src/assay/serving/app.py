"""What every web server of ours shares: an app that guards its answers, JSON, and errors in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import AssayError
from assay.serving.listen import LOOPBACK

if TYPE_CHECKING:
    from fastapi import FastAPI, Request, Response

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def guarded_app(hosts: frozenset[str] = LOOPBACK) -> FastAPI:
    """An app without pages of its own. `hosts` are the names it answers to, so that no other site's name can be
    pointed at it; empty means any. An `AssayError` becomes an answer that says it; every answer has our headers."""
    from fastapi import FastAPI, Request, Response

    globals().update(Request=Request, Response=Response)  # the framework reads annotations by name
    app = FastAPI(title="assay", docs_url=None, redoc_url=None, openapi_url=None)

    @app.middleware("http")
    async def guard(request: Request, call_next: Callable[[Request], Any]) -> Response:
        host = request.url.hostname or ""
        if hosts and host not in hosts:
            return refusal(f"this server does not answer to the name {host}", 421)
        try:
            response: Response = await call_next(request)
        except AssayError as error:
            response = refusal(str(error))
        response.headers.update(HEADERS)
        return response

    return app


def json_answer(value: object, status: int = 200) -> Response:
    """A struct, anything JSON can hold, or bytes that are JSON already."""
    from fastapi import Response

    body = value if isinstance(value, bytes) else msgspec.json.encode(value)
    return Response(body, status, media_type="application/json")


def refusal(why: str, status: int = 404) -> Response:
    """What cannot be answered, with the reason in one line."""
    return json_answer({"error": why}, status)


def add_files(app: FastAPI, files: dict[str, tuple[bytes, str]]) -> None:
    """Serve these files by name, and nothing else: content and kind of each. Call it last: it takes every name."""
    from fastapi import Response

    @app.get("/{name:path}")
    def file(name: str) -> Response:
        found = files.get(name or "index.html")
        if found is None:
            return refusal("there is no such page")
        content, kind = found
        return Response(content, media_type=kind)
