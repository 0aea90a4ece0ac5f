"""The state that all routes of a server share: folder, database, blobs, pages, and authentication of requests.

A package adds its routes with `add_routes(app, server)`; see README.md of this room.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DataError, IntegrityError, InterfaceError, OperationalError, StatementError
from sqlalchemy.exc import TimeoutError as NoConnectionError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException

from assay.errors import AssayError, first_line
from assay.serving.access import LOCAL, Access
from assay.serving.accounts import VISITOR, User, by_session, by_token
from assay.serving.app import WITH_FORMS, RefusedError, guarded_app, refusal
from assay.serving.blobs import Blobs
from assay.serving.database import Database, open_database
from assay.serving.forms import FIELD, require_csrf
from assay.serving.limits import BodyLimit, Buckets
from assay.serving.pages import Pages
from assay.serving.secret import Secret
from assay.serving.settings import Settings, read_settings

SESSION = "assay-session"
API = "/api/"
RETRY_AFTER = "5"
"""Seconds after which a client should retry if the disk is full or the database is unreachable."""
SLOW = 2
"""Threads for long tasks; they share the interpreter with all pages."""
NOT_SIGNED_IN = "Not signed in. Open a sign-in link, or send a token."
T = TypeVar("T")


@dataclass
class Server:
    """A server folder, opened."""

    folder: Path
    database: Database
    settings: Settings
    secret: Secret
    blobs: Blobs
    pages: Pages
    address: str = ""
    """Address that links begin with."""
    slow: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(SLOW, "slow"))
    requests: Buckets = field(init=False)
    sign_ins: Buckets = field(init=False)

    def __post_init__(self) -> None:
        self.requests = Buckets(self.settings.requests_per_minute)
        self.sign_ins = Buckets(self.settings.sign_ins_per_minute)

    async def slowly(self, make: Callable[[], T]) -> T:
        """Run a long function for an `async def` route, a few at a time; waiting requests occupy no thread."""
        return await asyncio.get_running_loop().run_in_executor(self.slow, make)

    def who(self, request: Request) -> User:
        """Return the user of a request, as a dependency of routes; count it against the rate limit.

        Requests below /api/ are authenticated by token only, all others by the session of the browser.
        """
        user = self._known(request)
        self.limit(self.requests, user.id or self.from_where(request))
        return user

    def signed_in(self, request: Request) -> User:
        """Return the user of a request; refuse visitors who are not signed in."""
        user = self.who(request)
        if not user.id:
            raise RefusedError(NOT_SIGNED_IN, 401)
        return user

    def _known(self, request: Request) -> User:
        if request.url.path.startswith(API):
            kind, _, word = request.headers.get("authorization", "").partition(" ")
            if not word:
                return VISITOR
            user = None
            if kind.lower() == "bearer":
                with self.database.read() as connection:
                    user = by_token(connection, word.strip())
            if user is None:
                self.limit(self.sign_ins, self.from_where(request))
                raise RefusedError("The token is invalid or has expired. Create another on your account page.", 401)
            return user
        cookie = request.cookies.get(SESSION)
        session = self.secret.signed(cookie, "session", self.settings.session_days * 86400) if cookie else None
        if not isinstance(session, str):
            return VISITOR
        with self.database.read() as connection:
            return by_session(connection, session) or VISITOR

    async def form(self, request: Request) -> FormData:
        """Return the fields of a form after checking its CSRF token.

        Every POST route outside /api/ depends on this. A script sends the token in the header X-CSRF.
        """
        if request.headers.get("content-type", "").startswith(("application/x-www-form-urlencoded", "multipart/")):
            data = await request.form(max_files=4, max_fields=400, max_part_size=self.settings.largest_body)
        else:
            data = FormData()
        user = await run_in_threadpool(self._known, request)
        if not user.id:
            raise RefusedError(NOT_SIGNED_IN, 401)
        require_csrf(self.secret, request.headers.get("x-csrf") or data.get(FIELD), user.session)
        return data

    def limit(self, buckets: Buckets, who: str) -> None:
        """Refuse the request if the client exceeds a rate limit."""
        if wait := buckets.take(who):
            seconds = max(1, round(wait + 0.5))
            raise RefusedError(f"Too many requests. Retry in {seconds} s.", 429, {"Retry-After": str(seconds)})

    def from_where(self, request: Request) -> str:
        """Return the IP address of the client: the last entry of X-Forwarded-For behind a proxy."""
        if self.settings.proxied and (passed := request.headers.get("x-forwarded-for")):
            return passed.rpartition(",")[2].strip()[:64]
        return request.client.host if request.client else "-"

    def link(self, word: str) -> str:
        """Return the address of a sign-in link."""
        return f"{self.address}/sign-in?link={word}"


def open_server(folder: Path, url: str | None = None, address: str = "") -> Server:
    """Open a server folder, created if it does not exist, and migrate its database.

    Args:
        folder: The server folder.
        url: URL of the database (default: SQLite in the folder).
        address: Address that links begin with, unless the settings have one.
    """
    folder.mkdir(0o700, parents=True, exist_ok=True)  # submissions are private
    settings = read_settings(folder)
    secret = Secret.of(folder)
    database = open_database(url, folder)
    pages = Pages(settings, secret)
    return Server(folder, database, settings, secret, Blobs(folder / "blobs"), pages, settings.address or address)


def base_app(server: Server, access: Access = LOCAL) -> FastAPI:
    """Return the app without routes: with access control, limits, and errors as JSON or as a page."""
    app = guarded_app(access, WITH_FORMS)
    app.openapi_url = "/openapi.json"
    app.setup()
    # Appended middleware runs after the access check, so refused requests are not read.
    app.user_middleware.append(_middleware(server.settings.largest_body))

    def error_with(status: int | None = None) -> Callable[[Request, Any], Any]:
        async def answer(request: Request, error: Any) -> Response:
            return _error(server, request, error, status)

        return answer

    app.add_exception_handler(RefusedError, error_with())
    app.add_exception_handler(AssayError, error_with(400))
    app.add_exception_handler(HTTPException, error_with())
    app.add_exception_handler(RequestValidationError, error_with(422))
    for unstorable in (DataError, StatementError, UnicodeEncodeError):
        app.add_exception_handler(unstorable, error_with(400))
    app.add_exception_handler(IntegrityError, error_with(409))
    for unavailable in (OperationalError, InterfaceError, NoConnectionError, OSError):
        app.add_exception_handler(unavailable, error_with(503))
    return app


def _middleware(largest: int) -> Any:
    from starlette.middleware import Middleware

    return Middleware(BodyLimit, largest=largest)


def _error(server: Server, request: Request, error: Any, status: int | None) -> Response:
    headers: dict[str, str] = getattr(error, "headers", None) or {}
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        why = f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    elif isinstance(error, IntegrityError):
        why = "The same entry was changed at the same time. Reload and try again."
    elif isinstance(error, OperationalError | InterfaceError | NoConnectionError | OSError):
        # Details go to the log only: they may name files of the server.
        logging.getLogger("uvicorn.error").error("%s %s: %s", request.method, request.url.path, first_line(error))
        why = "The disk or the database of the server is unavailable. Try again later."
        headers = {"Retry-After": RETRY_AFTER}
    elif isinstance(error, DataError | StatementError | UnicodeEncodeError):
        why = "The text contains a null byte or an incomplete character. Remove it."
    else:
        why = str(getattr(error, "detail", error))
    code: int = status if status else getattr(error, "status", getattr(error, "status_code", 400))
    if request.url.path.startswith(API) or "text/html" not in request.headers.get("accept", ""):
        answer = refusal(why, code)
    else:
        answer = server.pages.answer(request, "error.html", status=code, why=why, code=code)
    answer.headers.update(headers)
    return answer
