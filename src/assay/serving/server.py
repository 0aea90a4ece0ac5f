"""What every route of a server has at hand: database, blobs, pages, and who is asking.

A room adds its routes by `add_routes(app, served)`; see docs/architecture.md."""

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
from assay.serving.accounts import NOBODY, Who, by_session, by_token
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
AWAY = "5"
"""Seconds after which to ask again where the disk is full or the database away."""
SLOW = 2
"""Threads for what takes long: they share one interpreter with all pages."""
T = TypeVar("T")


@dataclass
class Server:
    folder: Path
    database: Database
    settings: Settings
    secret: Secret
    blobs: Blobs
    pages: Pages
    address: str = ""
    """What links begin with."""
    slow: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(SLOW, "slow"))
    requests: Buckets = field(init=False)
    sign_ins: Buckets = field(init=False)

    def __post_init__(self) -> None:
        self.requests = Buckets(self.settings.requests_per_minute)
        self.sign_ins = Buckets(self.settings.sign_ins_per_minute)

    async def slowly(self, make: Callable[[], T]) -> T:
        """What takes more than a moment, for routes that are `async def`: a few at a time, and whoever waits for their
        turn holds no thread, so that pages are answered meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(self.slow, make)

    def who(self, request: Request) -> Who:
        """Whoever asks: below /api/ by their token alone, else by the session of their browser. A dependency of routes;
        it counts against the limit of requests."""
        found = self._known(request)
        self.limit(self.requests, found.id or self.from_where(request))
        return found

    def signed_in(self, request: Request) -> Who:
        found = self.who(request)
        if not found.id:
            raise RefusedError("nobody is signed in; open a link to sign in, or send a token", 401)
        return found

    def _known(self, request: Request) -> Who:
        if request.url.path.startswith(API):
            kind, _, word = request.headers.get("authorization", "").partition(" ")
            if not word:
                return NOBODY
            found = None
            if kind.lower() == "bearer":
                with self.database.read() as connection:
                    found = by_token(connection, word.strip())
            if found is None:
                self.limit(self.sign_ins, self.from_where(request))
                raise RefusedError("this token opens nothing (unknown, expired or ended); make another", 401)
            return found
        cookie = request.cookies.get(SESSION)
        session = self.secret.signed(cookie, "session", self.settings.session_days * 86400) if cookie else None
        if not isinstance(session, str):
            return NOBODY
        with self.database.read() as connection:
            return by_session(connection, session) or NOBODY

    async def form(self, request: Request) -> FormData:
        """What a form of ours has sent, after a look at its token: every unsafe route outside /api/ depends on this.
        A script sends the token in the header X-CSRF."""
        if request.headers.get("content-type", "").startswith(("application/x-www-form-urlencoded", "multipart/")):
            given = await request.form(max_files=4, max_fields=400, max_part_size=self.settings.largest_body)
        else:
            given = FormData()
        who = await run_in_threadpool(self._known, request)
        if not who.id:
            raise RefusedError("nobody is signed in; open a link to sign in", 401)
        require_csrf(self.secret, request.headers.get("x-csrf") or given.get(FIELD), who.session)
        return given

    def limit(self, buckets: Buckets, who: str) -> None:
        if wait := buckets.take(who):
            seconds = max(1, round(wait + 0.5))
            raise RefusedError(f"too many requests; wait {seconds} s", 429, {"Retry-After": str(seconds)})

    def from_where(self, request: Request) -> str:
        """The address that asks; what a proxy of ours has added last, if there is one."""
        if self.settings.proxied and (passed := request.headers.get("x-forwarded-for")):
            return passed.rpartition(",")[2].strip()[:64]
        return request.client.host if request.client else "-"

    def link(self, word: str) -> str:
        return f"{self.address}/sign-in?link={word}"


def open_server(folder: Path, url: str | None = None, address: str = "") -> Server:
    """A server's folder, made if it is not there, with its database brought up to date."""
    folder.mkdir(0o700, parents=True, exist_ok=True)  # what was sent is not for other users of the machine
    settings = read_settings(folder)
    secret = Secret.of(folder)
    database = open_database(url, folder)
    pages = Pages(settings, secret)
    return Server(folder, database, settings, secret, Blobs(folder / "blobs"), pages, settings.address or address)


def base_app(server: Server, access: Access = LOCAL) -> FastAPI:
    """The app before any room has added its routes: guarded, limited, and with errors as one line or one page."""
    app = guarded_app(access, WITH_FORMS)
    app.openapi_url = "/openapi.json"
    app.setup()
    # What was added last stands first: the guard looks at a request before its body is counted.
    app.user_middleware.append(_middleware(server.settings.largest_body))

    def said(status: int | None = None) -> Callable[[Request, Any], Any]:
        async def answer(request: Request, error: Any) -> Response:
            return _error(server, request, error, status)

        return answer

    app.add_exception_handler(RefusedError, said())
    app.add_exception_handler(AssayError, said(400))
    app.add_exception_handler(HTTPException, said())
    app.add_exception_handler(RequestValidationError, said(422))
    for unstorable in (DataError, StatementError, UnicodeEncodeError):
        app.add_exception_handler(unstorable, said(400))
    app.add_exception_handler(IntegrityError, said(409))
    for away in (OperationalError, InterfaceError, NoConnectionError, OSError):
        app.add_exception_handler(away, said(503))
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
        why = "somebody else changed the same just now; look again"
    elif isinstance(error, OperationalError | InterfaceError | NoConnectionError | OSError):
        # What it was is for the log of whoever runs the server: it may name files.
        logging.getLogger("uvicorn.error").error("%s %s: %s", request.method, request.url.path, first_line(error))
        why = "the server cannot reach its disk or its database just now; try again in a while"
        headers = {"Retry-After": AWAY}
    elif isinstance(error, DataError | StatementError | UnicodeEncodeError):
        why = "a text holds what cannot be stored (a null byte or half a character); leave it out"
    else:
        why = str(getattr(error, "detail", error))
    code: int = status if status else getattr(error, "status", getattr(error, "status_code", 400))
    if request.url.path.startswith(API) or "text/html" not in request.headers.get("accept", ""):
        answer = refusal(why, code)
    else:
        answer = server.pages.answer(request, "error.html", status=code, why=why, code=code)
    answer.headers.update(headers)
    return answer
