"""Threads of a server: a few for short tasks, one for long ones. Waiting requests occupy no thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
QUICK = 4
"""Number of threads for short tasks. More do not help: most of the work holds the interpreter lock."""


class ThreadPools:
    """Runs functions in threads for an event loop."""

    def __init__(self) -> None:
        self._quick = ThreadPoolExecutor(QUICK, thread_name_prefix="quick")
        self._long = ThreadPoolExecutor(1, thread_name_prefix="long")
        self._made: dict[Hashable, Future[Any]] = {}
        self._lock = threading.Lock()

    async def quick(self, make: Callable[[], T]) -> T:
        """Run a function that takes milliseconds."""
        return await asyncio.get_running_loop().run_in_executor(self._quick, make)

    async def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Run a long function once per key and return its cached value afterwards; failures are not cached."""
        with self._lock:
            future = self._made.get(key)
            if future is None:
                future = self._made[key] = self._long.submit(make)
                future.add_done_callback(lambda done: self._forget(key, done))
        # A cancelled request must not cancel the work for other requests.
        made: T = await asyncio.shield(asyncio.wrap_future(future))
        return made

    def _forget(self, key: Hashable, done: Future[Any]) -> None:
        if done.cancelled() or done.exception():
            self._made.pop(key, None)
