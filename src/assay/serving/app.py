"""The web app that all servers share: access control, response headers, JSON and one-line errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.records.files import json_bytes
from assay.serving.access import COOKIE, LOCAL, Access, without_token
from assay.serving.timeouts import BodyTimeout

if TYPE_CHECKING:
    from fastapi import FastAPI, Request, Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
WITH_FORMS = {
    **HEADERS,
    "Content-Security-Policy": POLICY.replace("form-action 'none'", "form-action 'self'"),
    "Referrer-Policy": "same-origin",  # without a referrer, browsers send "Origin: null" with forms
}
"""Headers of servers whose pages have forms."""
KEPT = {"Cache-Control": "public, max-age=31536000, immutable"}
"""Headers of a file whose name changes with its content: browsers keep it."""


class RefusedError(AssayError):
    """A request that is refused, with the HTTP status of the response."""

    def __init__(self, why: str, status: int, headers: dict[str, str] | None = None) -> None:
        super().__init__(why)
        self.status = status
        self.headers = headers or {}


def guarded_app(access: Access = LOCAL, headers: Mapping[str, str] = HEADERS) -> FastAPI:
    """Return an app without routes.

    It answers the requests that `access` admits, adds `headers` to every response, and turns an AssayError into a
    JSON response with the error message.
    """
    from fastapi import FastAPI, Request, Response
    from starlette.requests import ClientDisconnect

    globals().update(Request=Request, Response=Response)  # the framework reads annotations by name
    app = FastAPI(title="assay", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(BodyTimeout)
    app.add_middleware(Guard, access=access, headers=headers)

    async def disconnected(_: Request, error: Exception) -> Response:
        return refusal("The client disconnected.", 400)

    app.add_exception_handler(ClientDisconnect, disconnected)  # not a failure of the server

    @app.exception_handler(AssayError)
    async def failed(_: Request, error: AssayError) -> Response:
        return refused(error)

    return app


class Guard:
    """Middleware that checks every request against the access rules and adds the response headers."""

    def __init__(self, app: ASGIApp, access: Access, headers: Mapping[str, str] = HEADERS) -> None:
        self.app = app
        self.access = access
        self.headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = list(message["headers"])
                names = {name.lower() for name, _ in own}
                message["headers"] = own + [each for each in self.headers if each[0] not in names]
            await send(message)

        if refused := self.access.refuse(scope):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await refusal(*refused)(scope, receive, with_headers)
            return
        if scope["type"] == "http" and scope["method"] == "HEAD":  # answered like GET; the web server drops the body
            scope = {**scope, "method": "GET"}
        kept = without_token(scope["query_string"]) if self.access.token else None
        if kept is not None:
            if scope["path"] == "/":
                await self._set_cookie()(scope, receive, with_headers)
                return
            scope = {**scope, "query_string": kept}
        await self.app(scope, receive, with_headers)

    def _set_cookie(self) -> Response:
        """Redirect to the address without the token and store the token in a cookie."""
        from fastapi import Response

        response = Response(status_code=303, headers={"Location": "/"})
        response.set_cookie(COOKIE, self.access.token, httponly=True, samesite="lax")
        return response


def json_answer(value: object, status: int = 200) -> Response:
    """Return a JSON response of a struct, a JSON value, or bytes that are JSON."""
    from fastapi import Response

    body = value if isinstance(value, bytes) else json_bytes(value)
    return Response(body, status, media_type="application/json")


def refusal(why: str, status: int = 404) -> Response:
    """Return an error response: `{"error": why}`."""
    return json_answer({"error": why}, status)


def refused(error: AssayError) -> Response:
    """Return the error response of an error, with the status of a RefusedError."""
    if not isinstance(error, RefusedError):
        return refusal(str(error))
    answer = refusal(str(error), error.status)
    answer.headers.update(error.headers)
    return answer


def add_files(app: FastAPI, files: dict[str, tuple[bytes, str]]) -> None:
    """Serve these files (content and media type by name). Call it last: its route matches every path."""
    from fastapi import Response

    @app.get("/{name:path}")
    async def file(name: str) -> Response:
        entry = files.get(name or "index.html")
        if entry is None:
            return refusal("There is no such page.")
        content, kind = entry
        return Response(content, media_type=kind)
