"""Uploads and downloads are bounded: none is held in the memory of the server."""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest
from starlette.exceptions import HTTPException

from assay.benchmark.service.hosted_versions import HostedVersions
from assay.benchmark.service.intake import validate_file
from assay.serving.app import RefusedError
from assay.serving.limits import BodyLimit
from tests.support.made_service import MadeService
from tests.support.real_browser import run_async


def test_a_large_upload_is_not_read_into_the_memory_of_the_server(service: MadeService, tmp_path: Path) -> None:
    """22 MB of short texts took 1.1 GB in the server process."""
    versions = HostedVersions(service.server)
    small, large = tmp_path / "small.json", tmp_path / "large.json"
    small.write_text("{}")
    large.write_bytes(b'{"submission_name": "x", "tasks": {"tides": {"values": [' + b'"a",' * 5_500_000 + b'"a"]}}}')
    validate_file(versions, "tides", "1", small)  # starts the process that reads uploads
    highest, stop = [0], threading.Event()

    def watch() -> None:
        while not stop.wait(0.01):
            highest[0] = max(highest[0], resident())

    before = resident()
    watcher = threading.Thread(target=watch)
    watcher.start()
    with suppress(RefusedError):  # its process may reach its limit first
        assert not validate_file(versions, "tides", "1", large)[0].valid
    stop.set()
    watcher.join()
    assert highest[0] - before < 60_000_000


def test_a_large_download_is_not_read_into_the_memory_of_the_server(service: MadeService) -> None:
    """A bundle of many submissions was held in memory once for each of its readers."""
    from assay.benchmark.service.downloads import _attached

    piece, pieces = os.urandom(1 << 20), 64
    with TemporaryFile() as made:
        for _ in range(pieces):
            made.write(piece)
        made.seek(0)
        digest = service.server.blobs.put_stream(made)
    before, sizes = resident(), []

    async def send(message: Any) -> None:
        sizes.append(len(message.get("body", b"")))
        assert resident() - before < 20_000_000

    async def receive() -> Any:
        await asyncio.sleep(60)

    answer = _attached(service.server.blobs.open(digest), "tides-1.zip")
    assert int(answer.headers["content-length"]) == pieces << 20
    run_async(answer({"type": "http", "method": "GET", "headers": []}, receive, send))
    assert sum(sizes) == pieces << 20


def resident() -> int:
    """Memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_uploads_together_are_bounded() -> None:
    middleware = BodyLimit(lambda *_: None, 1000, 1000)  # type: ignore[arg-type]
    middleware._held = 900

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"x" * 200}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()

    middleware.app = app
    with pytest.raises(HTTPException) as error:
        run_async(middleware({"type": "http", "headers": []}, receive, None))  # type: ignore[arg-type]
    assert error.value.status_code == 503
    assert error.value.headers == {"Retry-After": "10"}
    assert middleware._held == 900
