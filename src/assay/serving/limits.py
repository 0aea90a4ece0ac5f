"""How much may be asked: bytes of a request, and requests of a person or an address in a minute."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from assay.serving.app import refusal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

KNOWN = 20_000
"""Whom the buckets remember; who has not asked for longest is forgotten first, and starts with a full one."""


LONGEST = 20
"""Digits of a length."""


class Buckets:
    """A bucket each: `per_minute` drops run in, every request takes one, an empty one says how long to wait."""

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_second = per_minute / 60
        self.size = max(1.0, per_minute / 3)
        self._clock = clock
        self._held: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, who: str) -> float:
        """0 if they may; else the seconds until they may."""
        with self._lock:
            at = self._clock()
            left, since = self._held.pop(who, (self.size, at))
            left = min(self.size, left + (at - since) * self.per_second)
            wait = 0.0 if left >= 1 else (1 - left) / self.per_second
            self._held[who] = (left if wait else left - 1, at)
            while len(self._held) > KNOWN:
                self._held.popitem(last=False)
            return wait


class BodyLimit:
    """Refuses a request that is too long by what it says of itself, or by what it turns out to be."""

    def __init__(self, app: ASGIApp, largest: int) -> None:
        self.app = app
        self.largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        said = [value for name, value in scope["headers"] if name == b"content-length"]
        if any(not value.isdigit() or len(value) > LONGEST for value in said):
            await refusal("the length of the request is no number", 400)(scope, receive, send)
            return
        if any(int(value) > self.largest for value in said):
            await refusal(self.why, 413)(scope, receive, send)
            return
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self.largest:
                from starlette.exceptions import HTTPException

                raise HTTPException(413, self.why)
            return message

        await self.app(scope, counted, send)

    @property
    def why(self) -> str:
        return f"more than {self.largest:,} bytes; send less at once"
