"""Threads of a server: a few for short tasks, one for long ones. Waiting requests occupy no thread."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from assay.serving.app import RefusedError
from assay.serving.bounded import RETRY_AFTER

T = TypeVar("T")
MOST_BYTES = 64_000_000
"""Size of the values that are kept for later requests. Pairs of systems grow with the square of their number."""
WAITING = 64
"""Long functions that may wait; a request for another one is refused."""
BUSY = "The server computes other pages. Try again in a few seconds."
QUICK = 4
"""Number of threads for short tasks. More do not help: most of the work holds the interpreter lock."""


class ThreadPools:
    """Runs functions in threads for an event loop."""

    def __init__(self, most_bytes: int = MOST_BYTES, waiting: int = WAITING) -> None:
        self._quick = ThreadPoolExecutor(QUICK, thread_name_prefix="quick")
        self._long = ThreadPoolExecutor(1, thread_name_prefix="long")
        self._most_bytes, self._waiting = most_bytes, waiting
        self._made: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._lock = threading.RLock()  # a function that ended at once calls back in the same thread

    async def quick(self, make: Callable[[], T]) -> T:
        """Run a function that takes milliseconds."""
        return await asyncio.get_running_loop().run_in_executor(self._quick, make)

    async def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Run a long function once per key and return its cached value afterwards; failures are not cached.

        Raises:
            RefusedError: 503 if too many functions wait.
        """
        with self._lock:
            future = self._made.get(key)
            if future is not None:
                self._made.move_to_end(key)
            else:
                if sum(not each.done() for each in self._made.values()) >= self._waiting:
                    raise RefusedError(BUSY, 503, RETRY_AFTER)
                future = self._made[key] = self._long.submit(make)
                future.add_done_callback(lambda done: self._done(key, done))  # may have failed already
        # A cancelled request must not cancel the work for other requests.
        made: T = await asyncio.shield(asyncio.wrap_future(future))
        return made

    def _done(self, key: Hashable, done: Future[Any]) -> None:
        """Forget failures, and the values that were least recently asked for if all together are too large."""
        with self._lock:
            if done.cancelled() or done.exception():
                self._made.pop(key, None)
                return
            sizes = {each: _size(future) for each, future in self._made.items() if future.done()}
            total = sum(sizes.values())
            for each, size in sizes.items():
                if total <= self._most_bytes:
                    return
                if size and each != key:
                    del self._made[each]
                    total -= size


def _size(done: Future[Any]) -> int:
    """Return the bytes of an encoded page; other values, such as None, are kept for good."""
    value = None if done.cancelled() or done.exception() else done.result()
    return len(value) if isinstance(value, bytes | str) else 0
