"""Time limits of requests: a client that sends half a request and waits is disconnected."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER_SECONDS = 30.0
"""Seconds for the request line and the headers."""
BODY_SECONDS = 30.0
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


def timed_protocol(seconds: float = HEADER_SECONDS) -> type[asyncio.Protocol]:
    """Return the HTTP protocol of the web server, with a time limit for the headers of each request."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    base: Any = AutoHTTPProtocol

    class TimedProtocol(base):  # type: ignore[misc]
        clock: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._start(transport)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                self._stop()
            elif self.clock is None:  # part of the next request on the same connection
                self._start(self.transport)

        def connection_lost(self, error: Exception | None) -> None:
            self._stop()
            super().connection_lost(error)

        def _start(self, transport: Any) -> None:
            self.clock = self.loop.call_later(seconds, transport.close)

        def _stop(self) -> None:
            if self.clock is not None:
                self.clock.cancel()
                self.clock = None

    return TimedProtocol
