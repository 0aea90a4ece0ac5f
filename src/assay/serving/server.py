"""The state that all routes of a server share: folder, database, blobs, pages, and authentication of requests.

A package adds its routes with `add_routes(app, server)`; see README.md of this room.
"""

import asyncio
import ipaddress
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeVar

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DatabaseError, DataError, IntegrityError, InterfaceError, StatementError
from sqlalchemy.exc import TimeoutError as NoConnectionError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException

from assay.errors import AssayError, first_line
from assay.serving.access import LOCAL, Access
from assay.serving.accounts import VISITOR, User
from assay.serving.app import WITH_FORMS, RefusedError, guarded_app, refusal
from assay.serving.blobs import Blobs
from assay.serving.credentials import by_session, by_token
from assay.serving.database import FILE as DATABASE_FILE
from assay.serving.database import Database, open_database
from assay.serving.forms import FIELD, read_urlencoded, require_csrf
from assay.serving.limits import BodyLimit, Buckets
from assay.serving.pages import Pages
from assay.serving.restore import require_no_restore
from assay.serving.secret import FILE as SECRET_FILE
from assay.serving.secret import Secret
from assay.serving.settings import Settings, read_settings
from assay.show import escape

SESSION = "assay-session"
API = "/api/"
RETRY_AFTER = "5"
"""Seconds after which a client should retry if the disk is full or the database is unreachable."""
SLOW = 2
"""Threads for long tasks; they share the interpreter with all pages."""
NOT_SIGNED_IN = "Not signed in. Open a sign-in link, or send a token."
FIELDS, LARGEST_FORM = 400, 1_000_000
"""Maximum number of fields of a form, and of bytes of a percent-encoded one."""
UPLOADS = "uploads"
"""Folder with uploads while they are read; emptied at the start of the server."""
UNSTORABLE = "The text contains a null byte or an incomplete character. Remove it."
KEY_PAGE = "/me/key"
"""Page on which a limited session sets its sign-in key."""
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
        return VISITOR if user.limited else user

    def signed_in(self, request: Request) -> User:
        """Return the user of a request; refuse visitors, and send limited sessions to set their sign-in key."""
        user = self.holder(request)
        if user.limited:
            raise RefusedError("Set your sign-in key first.", 303, {"Location": KEY_PAGE})
        return user

    def holder(self, request: Request) -> User:
        """Return the user of a request, also of a limited session; refuse visitors who are not signed in."""
        user = self._known(request)
        self.limit(self.requests, user.id or self.from_where(request))
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

        Every POST route outside /api/ depends on this. A script sends the token in the header X-CSRF. Percent-encoded
        forms are small, because decoding takes time and many times their memory; long texts are sent as multipart.
        """
        kind = request.headers.get("content-type", "")
        data = FormData()
        if kind.startswith("multipart/"):
            data = await request.form(max_files=4, max_fields=FIELDS, max_part_size=self.settings.largest_body)
        elif kind.startswith("application/x-www-form-urlencoded"):
            fields = await read_urlencoded(request, LARGEST_FORM, FIELDS)
            data = FormData([(name, value) for name, values in fields.items() for value in values])
        user = await run_in_threadpool(self._known, request)
        if not user.id:
            raise RefusedError(NOT_SIGNED_IN, 401)
        require_csrf(self.secret, request.headers.get("x-csrf") or data.get(FIELD), user.session)
        return data

    async def body_file(self, request: Request) -> AsyncIterator[Path]:
        """Yield a file with the body of a request, as a dependency of routes; it is deleted after the response."""
        with self.upload() as file:
            async for chunk in request.stream():
                file.write(chunk)
            file.flush()
            yield Path(file.name)

    def upload(self) -> Any:
        """Open a new private file for an upload, deleted when it is closed."""
        folder = self.folder / UPLOADS
        folder.mkdir(0o700, exist_ok=True)
        return NamedTemporaryFile(dir=folder, prefix="upload-")

    def limit(self, buckets: Buckets, who: str) -> None:
        """Refuse the request if the client exceeds a rate limit."""
        if wait := buckets.take(who):
            seconds = max(1, round(wait + 0.5))
            raise RefusedError(f"Too many requests. Retry in {seconds} s.", 429, {"Retry-After": str(seconds)})

    def from_where(self, request: Request) -> str:
        """Return the IP address of the client: the last entry of X-Forwarded-For behind a proxy.

        A proxy may add a line of its own after the client's. Of IPv6 addresses only the network counts: one client
        has 2 ** 64 of them.
        """
        host = request.client.host if request.client else "-"
        if self.settings.proxied and (passed := request.headers.getlist("x-forwarded-for")):
            host = passed[-1].rpartition(",")[2].strip()[:64]
        try:
            address = ipaddress.IPv6Address(host.partition("%")[0])
        except ValueError:
            return host
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))

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
    require_no_restore(folder)
    folder.mkdir(0o700, parents=True, exist_ok=True)
    make_private(folder)
    settings = read_settings(folder)
    if not url:
        _require_database(folder)
    database = open_database(url, folder)
    secret = Secret.of(folder)  # after the database: a folder with a secret had one
    for file in folder.glob(f"{DATABASE_FILE}*"):
        make_private(file)
    pages = Pages(settings, secret)
    return Server(folder, database, settings, secret, Blobs(folder / "blobs"), pages, settings.address or address)


def make_private(path: Path) -> None:
    """Take the rights of all other users of the machine away: submissions, answers and secrets are private."""
    mode = path.stat().st_mode
    if mode & 0o077:
        try:
            path.chmod(mode & 0o700)
        except OSError:
            remedy = f"Its owner can run: chmod go= {path}"
            raise AssayError(f"{path}: other users of this machine can read it. {remedy}") from None


def _require_database(folder: Path) -> None:
    """Refuse a folder whose database is gone: a new one would look like a server without submissions and answers."""
    file, blobs = folder / DATABASE_FILE, folder / "blobs"
    used = (folder / SECRET_FILE).exists() or (blobs.is_dir() and any(blobs.iterdir()))
    if used and not (file.is_file() and file.stat().st_size):
        raise AssayError(f"{file}: missing or empty, but the server was used. Restore a backup, or give --database.")


def base_app(server: Server, access: Access = LOCAL) -> FastAPI:
    """Return the app without routes: with access control, limits, and errors as JSON or as a page."""
    app = guarded_app(access, WITH_FORMS)
    app.openapi_url = "/openapi.json"
    app.setup()
    # Appended middleware runs after the access check, so refused requests are not read.
    app.user_middleware.append(_middleware(server.settings))

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
    for unavailable in (DatabaseError, InterfaceError, NoConnectionError, OSError):
        app.add_exception_handler(unavailable, error_with(503))
    return app


def _middleware(settings: Settings) -> Any:
    from starlette.middleware import Middleware

    return Middleware(
        BodyLimit, largest=settings.largest_body, total=max(settings.largest_total, settings.largest_body)
    )


def _error(server: Server, request: Request, error: Any, status: int | None) -> Response:
    headers: dict[str, str] = getattr(error, "headers", None) or {}
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        why = f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    elif isinstance(error, IntegrityError):
        why = "The same entry was changed at the same time. Reload and try again."
    elif isinstance(error, DataError | UnicodeEncodeError):
        why = UNSTORABLE
    elif isinstance(error, DatabaseError | InterfaceError | NoConnectionError | OSError):
        # Details go to the log only: they may name files of the server.
        place = escape.plain(f"{request.method} {request.url.path}"[:300])  # a path may contain control characters
        logging.getLogger("uvicorn.error").error("%s: %s", place, first_line(error))
        why = "The disk or the database of the server is unavailable. Try again later."
        headers = {"Retry-After": RETRY_AFTER}
    elif isinstance(error, StatementError):
        why = UNSTORABLE
    else:
        why = str(getattr(error, "detail", error))
    code: int = status if status else getattr(error, "status", getattr(error, "status_code", 400))
    if request.url.path.startswith(API) or "text/html" not in request.headers.get("accept", ""):
        answer = refusal(why, code)
    else:
        shown = server.pages.refusal(request, why)
        answer = server.pages.answer(request, "error.html", status=code, why=shown, code=code)
    answer.headers.update(headers)
    return answer
