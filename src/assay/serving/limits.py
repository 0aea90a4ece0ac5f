"""Limits: size of a request, and requests per minute of a user or an IP address."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from assay.serving.app import refusal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

KNOWN = 20_000
"""Maximum number of clients in memory; the least recently active is dropped and starts with a full bucket."""
BUSY = "The server is receiving other large requests. Try again in a few seconds."
RETRY_AFTER = "10"
LONGEST = 20
"""Maximum number of digits of a Content-Length header."""


class Buckets:
    """Rate limit by token bucket: `per_minute` requests on average, with bursts of a third of that."""

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_second = per_minute / 60
        self.size = max(1.0, per_minute / 3)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, who: str) -> float:
        """Count a request of a client; return 0 if it is allowed, else the seconds until the next one is."""
        with self._lock:
            at = self._clock()
            left, since = self._buckets.pop(who, (self.size, at))
            left = min(self.size, left + (at - since) * self.per_second)
            wait = 0.0 if left >= 1 else (1 - left) / self.per_second
            self._buckets[who] = (left if wait else left - 1, at)
            while len(self._buckets) > KNOWN:
                self._buckets.popitem(last=False)
            return wait


class BodyLimit:
    """Middleware that refuses requests whose declared or actual body is too large, alone or with all others.

    Args:
        app: The app behind it.
        largest: Maximum number of bytes of a request; more get 413.
        total: Maximum number of bytes of all requests that are being answered; more get 503.
    """

    def __init__(self, app: ASGIApp, largest: int, total: int) -> None:
        self.app = app
        self.largest = largest
        self.total = total
        self._held = 0
        """Bytes of all requests that are being answered."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        lengths = [value for name, value in scope["headers"] if name == b"content-length"]
        if any(not value.isdigit() or len(value) > LONGEST for value in lengths):
            await refusal("Content-Length is not a number.", 400)(scope, receive, send)
            return
        if any(int(value) > self.largest for value in lengths):
            await refusal(self.why, 413)(scope, receive, send)
            return
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            size = len(message.get("body", b""))
            taken += size
            self._held += size
            if taken > self.largest:
                raise HTTPException(413, self.why)
            if self._held > self.total:
                raise HTTPException(503, BUSY, {"Retry-After": RETRY_AFTER})
            return message

        try:
            await self.app(scope, counted, send)
        finally:
            self._held -= taken

    @property
    def why(self) -> str:
        return f"The request is larger than {self.largest:,} bytes. Send less at once."
