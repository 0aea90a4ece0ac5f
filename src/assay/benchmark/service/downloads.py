"""Downloads of results and submissions, and the explorer over them, for users with access."""

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from starlette.types import Receive, Scope, Send

from assay.benchmark.service import views
from assay.benchmark.service.publishing import is_stale, publication, request_publication
from assay.errors import AssayError
from assay.serving.accounts import User
from assay.serving.app import RefusedError, refusal
from assay.serving.blobs import Blobs
from assay.serving.server import Server

OPENED = 8
"""Maximum number of bundles open in the explorer."""
NOT_PUBLISHED = "Nothing is published yet. Results appear when the first submission is scored."


def published_bundle(server: Server, who: User, name: str, version: str) -> str:
    """Return the blob of the public bundle; request its update if it is out of date."""
    with server.database.read() as connection:
        views.version(connection, who, name, version)
        row, stale = publication(connection, name, version), is_stale(connection, name, version)
    if stale:
        with server.database.write() as connection:
            request_publication(connection, name, version)
    if row is None:
        raise RefusedError(NOT_PUBLISHED, 404)
    return str(row["bundle"])


def own_copy(server: Server, who: User, id: str) -> str:
    """Return the blob of a submission's results folder for its authors, without held-back metrics."""
    with server.database.read() as connection:
        row = views.submission(connection, who, id)
    if not row["copy"]:
        raise RefusedError("The submission is not scored yet.", 404)
    return str(row["copy"])


def bundle_answer(server: Server, who: User, name: str, version: str) -> Response:
    return _attached(server.blobs.get(published_bundle(server, who, name, version)), f"{name}-{version}.zip")


def copy_answer(server: Server, who: User, id: str) -> Response:
    return _attached(server.blobs.get(own_copy(server, who, id)), f"{id}.zip")


def sent_answer(server: Server, who: User, id: str) -> Response:
    with server.database.read() as connection:
        row = views.submission(connection, who, id)
    return _attached(server.blobs.get(row["sha256"]), f"{id}.json", "application/json")


def _attached(content: bytes, name: str, kind: str = "application/zip") -> Response:
    # Headers are ASCII; other characters of a name are percent-encoded (RFC 6266).
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    named = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"
    return Response(content, media_type=kind, headers={"Content-Disposition": named})


class Explorers:
    """The explorer over bundles, each opened once; the least recently used one is closed."""

    def __init__(self, blobs: Blobs) -> None:
        self.blobs = blobs
        self._open: OrderedDict[str, FastAPI] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, digest: str, path: str) -> Response:
        """Return the explorer's response to a request for a path below a bundle."""
        return ForwardedResponse(self._app(digest), path)

    def _app(self, digest: str) -> FastAPI:
        with self._lock:
            if digest not in self._open:
                self._open[digest] = _explorer(self.blobs.path(digest))
            self._open.move_to_end(digest)
            while len(self._open) > OPENED:
                self._open.popitem(last=False)
            return self._open[digest]


def _explorer(bundle: Path) -> FastAPI:
    from assay.explorer.queries import Queries
    from assay.explorer.server import add_explorer

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    async def failed(_: Request, error: Any) -> Response:
        return refusal(str(error))

    app.add_exception_handler(AssayError, failed)
    add_explorer(app, Queries([bundle]))
    return app


class ForwardedResponse(Response):
    """The response of another app to the same request under another path."""

    def __init__(self, app: FastAPI, path: str) -> None:
        super().__init__()
        self.app = app
        self.path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        inner = {key: scope[key] for key in scope if key not in ("app", "router", "route", "endpoint", "path_params")}
        inner |= {"path": f"/{self.path}", "raw_path": f"/{self.path}".encode(), "root_path": ""}
        await self.app(inner, receive, send)
