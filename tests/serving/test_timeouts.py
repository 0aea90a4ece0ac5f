"""Half-sent requests and unread answers are disconnected; slow but complete ones are answered."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
from fastapi import Request, Response

from assay.serving import app as serving_app
from assay.serving.app import guarded_app
from assay.serving.listen import listen, server_of
from assay.serving.timeouts import FEWEST_OPEN, MOST_OPEN, BodyTimeout, most_open, timed_protocol

LIMIT = 0.5
MOST = 8
SIZE = 30_000_000
"""Bytes of an answer that fills every buffer between server and client."""
HEAD = b"POST /echo HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n"


class Quick(BodyTimeout):
    def __init__(self, app: object) -> None:
        super().__init__(app, LIMIT)  # type: ignore[arg-type]


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr("assay.serving.listen.timed_protocol", lambda most: timed_protocol(LIMIT, LIMIT, most))
    yield from served(monkeypatch)


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server with the usual time limits and few connections."""
    monkeypatch.setattr("assay.serving.listen.most_open", lambda: MOST)
    yield from served(monkeypatch)


def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(serving_app, "BodyTimeout", Quick)
    app = guarded_app()

    async def echo(request: Request) -> dict[str, int]:
        return {"bytes": len(await request.body())}

    echo.__annotations__ = {"request": Request}
    app.post("/echo")(echo)
    app.get("/large")(lambda: Response(bytes(SIZE)))
    listener = listen("127.0.0.1", 0)
    web = server_of(app)
    thread = threading.Thread(target=web.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield int(listener.getsockname()[1])
    web.should_exit = True
    thread.join(10)


def answer(port: int, *pieces: bytes, pause: float = 0.0) -> tuple[bytes, float]:
    """Send pieces and read until the server closes the connection; the answer, and the seconds that took."""
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        for piece in pieces:
            line.sendall(piece.replace(b"PORT", str(port).encode()))
            time.sleep(pause)
        received = b""
        while part := line.recv(65536):
            received += part
            if b"bytes" in part:
                break
    return received, time.monotonic() - begun


@pytest.mark.parametrize("pieces", [(), (b"POST /ec",), (HEAD,)])
def test_headers_that_never_end(port: int, pieces: tuple[bytes, ...]) -> None:
    received, seconds = answer(port, *pieces)
    assert received == b""
    assert seconds < 10


def test_a_body_that_never_ends(port: int) -> None:
    received, seconds = answer(port, HEAD + b"Content-Length: 100\r\n\r\nhalf")
    assert b" 408 " in received.split(b"\r\n")[0]
    assert seconds < 10


def test_a_second_request_on_the_connection_that_never_ends(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall((HEAD + b"Content-Length: 4\r\n\r\nabcd").replace(b"PORT", str(port).encode()))
        received = b""
        while b'{"bytes":4}' not in received:
            received += line.recv(65536)
        line.sendall(b"POST /ec")
        begun = time.monotonic()
        assert line.recv(65536) == b""
        assert time.monotonic() - begun < 10


def test_a_slow_request_that_ends_is_answered(port: int) -> None:
    received, _ = answer(port, HEAD, b"Content-Length: 4\r\n", b"\r\nab", b"cd", pause=0.08)
    assert b'{"bytes":4}' in received


@pytest.mark.parametrize("pause", [8 * LIMIT, 0.0], ids=["unread", "read slowly"])
def test_an_answer_that_is_not_read(port: int, pause: float) -> None:
    received = 0
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(b"GET /large HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n".replace(b"PORT", str(port).encode()))
        time.sleep(pause)
        with suppress(ConnectionResetError):
            while received < SIZE and (part := line.recv(1_000_000)):
                received += len(part)
                time.sleep(0.01)
    assert (received < SIZE) == bool(pause)


@pytest.mark.parametrize("sent", [b"", HEAD + b"Content-Length: 100\r\n\r\nhalf"], ids=["idle", "half a body"])
def test_idle_connections_keep_nobody_out(crowded: int, sent: bytes) -> None:
    """As many as the process may open files made the server unreachable, with 20 MB of log in half a minute."""
    lines = [socket.create_connection(("127.0.0.1", crowded), timeout=20) for _ in range(3 * MOST)]
    try:
        for line in lines:
            with suppress(OSError):  # may be closed already
                line.sendall(sent.replace(b"PORT", str(crowded).encode()))
        received, _ = answer(crowded, HEAD + b"Content-Length: 4\r\n\r\nabcd")
        assert b'{"bytes":4}' in received
        with suppress(ConnectionResetError):
            assert lines[0].recv(100) == b""  # the oldest one was closed
        lines[-1].settimeout(0.3)
        with pytest.raises(TimeoutError):  # the newest was not
            lines[-1].recv(100)
    finally:
        for line in lines:
            line.close()


def test_the_number_of_connections_leaves_files_for_other_uses() -> None:
    assert FEWEST_OPEN <= most_open() <= MOST_OPEN
