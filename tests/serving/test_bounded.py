"""Work on uploads has limits on time, memory and number; exceeding one ends a process of its own, not the server."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from assay.errors import AssayError
from assay.processes import descendants
from assay.serving.app import RefusedError
from assay.serving.bounded import BoundedCalls
from assay.serving.listen import SHUTDOWN_SECONDS

HERE = __name__


def doubled(value: int) -> int:
    return 2 * value


def endless() -> None:
    while True:
        pass


def huge(n: int) -> int:
    return len(bytearray(n))


def refused() -> None:
    raise AssayError("x.json:3: wrong. Correct it.")


def broken() -> None:
    raise KeyError("y")


def slow(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def process_id() -> int:
    import os

    return os.getpid()


@pytest.fixture
def calls() -> Iterator[BoundedCalls]:
    made = BoundedCalls(processes=1, seconds=3, memory=1_000_000_000, waiting=1)
    yield made
    made.close()


def test_values_and_errors_pass_through_one_process(calls: BoundedCalls) -> None:
    assert calls.call(f"{HERE}:doubled", 21) == 42
    first = calls.call(f"{HERE}:process_id")
    with pytest.raises(AssayError, match=r"x\.json:3: wrong\. Correct it\."):
        calls.call(f"{HERE}:refused")
    with pytest.raises(RuntimeError, match="KeyError: 'y'"):
        calls.call(f"{HERE}:broken")
    assert calls.call(f"{HERE}:process_id") == first


def test_a_call_over_a_limit_is_refused_and_the_next_one_works(calls: BoundedCalls) -> None:
    calls.seconds = 1.5
    with pytest.raises(RefusedError, match=r"longer than 1\.5 s") as error:
        calls.call(f"{HERE}:endless")
    assert error.value.status == 413
    calls.seconds = 20
    with pytest.raises(RefusedError, match="more memory") as error:
        calls.call(f"{HERE}:huge", 3_000_000_000)
    assert error.value.status == 413
    assert calls.call(f"{HERE}:doubled", 1) == 2


def test_time_is_that_of_the_processor(calls: BoundedCalls) -> None:
    """On a busy machine, uploads that were in order were refused: loading the reader took longer than the limit."""
    calls.call(f"{HERE}:doubled", 1)
    calls.seconds = 0.5
    assert calls.call(f"{HERE}:slow", 1.5) == 1.5
    with pytest.raises(RefusedError, match=r"longer than 0\.5 s"):
        calls.call(f"{HERE}:slow", 30)  # ten times the limit by the clock


def test_too_many_calls_are_refused_at_once(calls: BoundedCalls) -> None:
    calls.call(f"{HERE}:doubled", 1)
    threads = [threading.Thread(target=calls.call, args=(f"{HERE}:slow", 1.0)) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    started = time.monotonic()
    with pytest.raises(RefusedError, match="busy") as error:
        calls.call(f"{HERE}:doubled", 1)
    assert error.value.status == 503
    assert error.value.headers["Retry-After"]
    assert time.monotonic() - started < 0.5
    for thread in threads:
        thread.join()


def test_stopping_ends_running_waiting_and_later_calls(calls: BoundedCalls) -> None:
    calls.call(f"{HERE}:doubled", 1)
    refused: list[tuple[int, str]] = []

    def wait() -> None:
        with pytest.raises(RefusedError) as error:
            calls.call(f"{HERE}:slow", 25)
        refused.append((error.value.status, str(error.value)))

    threads = [threading.Thread(target=wait) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    (running,) = calls._called
    calls.stop()
    for thread in threads:
        thread.join(5)
    assert refused == [(503, "The server is stopping. Send this again when it has started.")] * 2
    assert running.poll() is not None
    with pytest.raises(RefusedError, match="stopping"):
        calls.call(f"{HERE}:doubled", 1)


SERVER = """\
import sys
from assay.serving.app import guarded_app
from assay.serving.bounded import SHARED
from assay.serving.listen import listen, server_of

app = guarded_app()
app.get("/slow")(lambda: SHARED.call("tests.serving.test_bounded:slow", 60.0))
app.get("/")(lambda: "here")
listener = listen("127.0.0.1", 0)
print(listener.getsockname()[1], flush=True)
server_of(app, SHARED.stop).run(sockets=[listener])
"""


@pytest.mark.skipif(os.name != "posix", reason="stops a process by a signal")
def test_a_server_that_reads_uploads_stops_soon() -> None:
    """It waited until all uploads were read: more than 20 s on a busy machine."""
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        clients = [socket.create_connection(("127.0.0.1", port), timeout=40) for _ in range(4)]
        for client in clients:
            client.sendall(f"GET /slow HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        until = time.monotonic() + 20
        while len(started := descendants(server.pid)) < 2 and time.monotonic() < until:
            time.sleep(0.1)
        assert len(started) == 2
        before = time.monotonic()
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(30)
        finally:
            server.kill()
        assert time.monotonic() - before < SHUTDOWN_SECONDS
        for client in clients:
            assert client.recv(1000).startswith(b"HTTP/1.1 503")
            client.close()
    for process in started:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
