"""Time limits of connections: a client that sends half a request and waits is disconnected, and so is one that does not
read the answer."""

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


def timed_protocol(
    seconds: float = HEADER_SECONDS, read_seconds: float = READ_SECONDS
) -> type[asyncio.Protocol]:  # fmt: skip
    """Return the HTTP protocol of the web server, with time limits.

    Args:
        seconds: For the headers of each request.
        read_seconds: For the client to read some of what waits to be sent to it.
    """
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    base: Any = AutoHTTPProtocol

    class TimedProtocol(base):  # type: ignore[misc]
        clock: asyncio.TimerHandle | None = None
        watch: asyncio.TimerHandle | None = None
        unread = 0
        """Bytes that waited to be sent when they were looked at last."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._start(transport)
            self._watch(transport)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                self._stop()
            elif self.clock is None:  # part of the next request on the same connection
                self._start(self.transport)

        def connection_lost(self, error: Exception | None) -> None:
            self._stop()
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
