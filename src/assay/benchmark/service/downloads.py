"""Downloads of results and submissions, and the explorer over them, for users with access."""

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from assay.benchmark.service import views
from assay.benchmark.service.publishing import AGAIN, is_stale, publication, request_publication
from assay.errors import AssayError
from assay.explorer.queries import Queries
from assay.serving.accounts import User
from assay.serving.app import RefusedError, refused
from assay.serving.blobs import Blobs
from assay.serving.database import later
from assay.serving.jobs import add_job, retry
from assay.serving.server import Server

PIECE = 1 << 18
"""Bytes of a download that are in memory at a time."""
OPENED = 8
"""Maximum number of bundles open in the explorer."""
NOT_PUBLISHED = "Nothing is published yet. Results appear when the first submission is scored."


def published_bundle(server: Server, who: User, name: str, version: str) -> str:
    """Return the blob of the published bundle for this user; request its update if it is out of date."""
    with server.database.read() as connection:
        views.version(connection, who, name, version)
        row, stale = publication(connection, name, version), is_stale(connection, name, version)
    if stale:
        with server.database.write() as connection:
            request_publication(connection, name, version)
    if row is None:
        raise RefusedError(NOT_PUBLISHED, 404)
    return str((row["signed_in_bundle"] if who.id else None) or row["bundle"])


def own_copy(server: Server, who: User, id: str) -> str:
    """Return the blob of a submission's results folder for its authors, without held-back metrics.

    Without a copy, one is requested from the worker.
    """
    with server.database.read() as connection:
        row = views.submission(connection, who, id)
    if not row["result"]:
        raise RefusedError("The submission is not scored yet.", 404)
    if not row["copy"]:
        key = f"copy:{id}:{row['result']}"
        with server.database.write() as connection:
            if not add_job(connection, "copy", key, {"submission": id}):
                retry(connection, key, before=later(seconds=-AGAIN))
        raise RefusedError("The results are being packed. Try again in a minute.", 503, {"Retry-After": "60"})
    return str(row["copy"])


def bundle_answer(server: Server, who: User, name: str, version: str) -> Response:
    return _attached(server.blobs.open(published_bundle(server, who, name, version)), f"{name}-{version}.zip")


def copy_answer(server: Server, who: User, id: str) -> Response:
    return _attached(server.blobs.open(own_copy(server, who, id)), f"{id}.zip")


def sent_answer(server: Server, who: User, id: str) -> Response:
    with server.database.read() as connection:
        row = views.submission(connection, who, id)
    return _attached(server.blobs.open(row["sha256"]), f"{id}.json", "application/json")


def _attached(content: IO[bytes], name: str, kind: str = "application/zip") -> Response:
    """Send a file in pieces: a bundle of many submissions would fill the memory, once for each who downloads it."""
    # Headers are ASCII; other characters of a name are percent-encoded (RFC 6266).
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    named = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"
    headers = {"Content-Disposition": named, "Content-Length": str(os.fstat(content.fileno()).st_size)}
    return StreamingResponse(_pieces(content), media_type=kind, headers=headers)


def _pieces(content: IO[bytes]) -> Iterator[bytes]:
    with content:
        while piece := content.read(PIECE):
            yield piece


class Explorers:
    """The explorer over bundles, each opened once; the least recently used one is closed."""

    def __init__(self, blobs: Blobs) -> None:
        self.blobs = blobs
        self._open: OrderedDict[str, tuple[Queries, FastAPI]] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, digest: str, path: str) -> Response:
        """Return the explorer's response to a request for a path below a bundle."""
        return ForwardedResponse(self._opened(digest)[1], path)

    def queries(self, digest: str) -> Queries:
        """Return the results in a bundle."""
        return self._opened(digest)[0]

    def _opened(self, digest: str) -> tuple[Queries, FastAPI]:
        with self._lock:
            if digest not in self._open:
                self._open[digest] = _explorer(self.blobs.path(digest))
            self._open.move_to_end(digest)
            while len(self._open) > OPENED:
                self._open.popitem(last=False)
            return self._open[digest]


def _explorer(bundle: Path) -> tuple[Queries, FastAPI]:
    from assay.explorer.server import add_explorer

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    async def failed(_: Request, error: Any) -> Response:
        return refused(error)

    app.add_exception_handler(AssayError, failed)
    queries = Queries([bundle])
    add_explorer(app, queries)
    return queries, app


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
