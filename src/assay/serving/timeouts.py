"""Limits of connections: a client that sends half a request and waits is disconnected, and so is one that does not read
the answer. When too many are open, the one that has waited longest for its request is closed, of any client: idle
connections cannot keep others out, nor take the files that the server has to open."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER_SECONDS = 30.0
"""Seconds for the request line and the headers."""
BODY_SECONDS = 30.0
READ_SECONDS = 120.0
"""Seconds in which a client must read something of what was sent to it."""
SLOWEST = 1000
"""Bytes per second: each such number of bytes of a body extends its time by a second."""
MOST_OPEN, FEWEST_OPEN = 2000, 32
"""Open connections, at most and at least: as many as leave half of the files of a process for other uses."""
OTHER_FILES = 200
"""Files that a server has open without any connection: database, libraries, processes."""
BACKLOG = 128
"""Connections that are accepted at once, before any of them is counted."""
LATE = "The request was sent too slowly. Send it again."


class BodyTimeout:
    """Middleware that refuses a request whose body arrives too slowly."""

    def __init__(self, app: ASGIApp, seconds: float = BODY_SECONDS) -> None:
        self.app = app
        self.seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, taken, whole = time.monotonic(), 0, False

        async def timed() -> Message:
            nonlocal taken, whole
            if whole:  # from now on only the end of the connection is reported
                return await receive()
            left = started + self.seconds + taken / SLOWEST - time.monotonic()
            try:
                message = await asyncio.wait_for(receive(), max(left, 0.001))
            except TimeoutError:
                from starlette.exceptions import HTTPException

                raise HTTPException(408, LATE, {"Connection": "close"}) from None
            taken += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            return message

        await self.app(scope, timed, send)


def most_open() -> int:
    """Return how many connections may be open, and let this process open as many files as the system allows."""
    try:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 2 * MOST_OPEN + OTHER_FILES
        if soft < wanted:
            soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    except (ImportError, ValueError, OSError):  # Windows has no such limit
        return MOST_OPEN
    return max(FEWEST_OPEN, min(MOST_OPEN, (soft - OTHER_FILES) // 2))


def timed_protocol(
    seconds: float = HEADER_SECONDS, read_seconds: float = READ_SECONDS, most: int = MOST_OPEN
) -> type[asyncio.Protocol]:  # fmt: skip
    """Return the HTTP protocol of the web server, with limits.

    Args:
        seconds: For the headers of each request.
        read_seconds: For the client to read some of what waits to be sent to it.
        most: Number of open connections.
    """
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    base: Any = AutoHTTPProtocol
    waiting: dict[Any, None] = {}
    """Connections without a complete request, the oldest first."""

    class TimedProtocol(base):  # type: ignore[misc]
        clock: asyncio.TimerHandle | None = None
        watch: asyncio.TimerHandle | None = None
        unread = 0
        """Bytes that waited to be sent when they were looked at last."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            waiting[self] = None
            self._start(transport)
            self._watch(transport)
            if len(self.connections) > most:
                oldest = next(iter(waiting))
                del waiting[oldest]
                oldest.transport.abort()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                self._stop()
                if not self.cycle.more_body:
                    waiting.pop(self, None)
            elif self.clock is None:  # part of the next request on the same connection
                self._start(self.transport)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if self in self.connections:
                waiting[self] = None

        def connection_lost(self, error: Exception | None) -> None:
            self._stop()
            waiting.pop(self, None)
            if self.watch is not None:
                self.watch.cancel()
            super().connection_lost(error)

        def resume_writing(self) -> None:
            self.unread = 0  # the client has read most of it
            super().resume_writing()

        def _watch(self, transport: Any) -> None:
            """Disconnect a client that has read nothing since the last look; closing would wait for it."""
            waiting = transport.get_write_buffer_size()
            if waiting and waiting == self.unread:
                transport.abort()
                return
            self.unread = waiting
            self.watch = self.loop.call_later(read_seconds, self._watch, transport)

        def _start(self, transport: Any) -> None:
            self.clock = self.loop.call_later(seconds, transport.close)

        def _stop(self) -> None:
            if self.clock is not None:
                self.clock.cancel()
                self.clock = None

    return TimedProtocol
