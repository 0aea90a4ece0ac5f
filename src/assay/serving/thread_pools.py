"""The threads that a server works with: a few for what is quick, one for what takes long. However many ask, there are
no more, and whoever waits holds none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
QUICK = 4
"""More would only take turns: most of a page is made in Python, one thread at a time."""


class ThreadPools:
    """Work for an event loop, done in threads of its own."""

    def __init__(self) -> None:
        self._quick = ThreadPoolExecutor(QUICK, thread_name_prefix="quick")
        self._long = ThreadPoolExecutor(1, thread_name_prefix="long")
        self._made: dict[Hashable, Future[Any]] = {}
        self._lock = threading.Lock()

    async def quick(self, make: Callable[[], T]) -> T:
        """What takes milliseconds, done anew each time."""
        return await asyncio.get_running_loop().run_in_executor(self._quick, make)

    async def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What takes long: made once for all who ask for it, now or later, and kept. What fails is not kept."""
        with self._lock:
            future = self._made.get(key)
            if future is None:
                future = self._made[key] = self._long.submit(make)
                future.add_done_callback(lambda done: self._forget(key, done))
        # Whoever goes away takes the work from nobody else.
        made: T = await asyncio.shield(asyncio.wrap_future(future))
        return made

    def _forget(self, key: Hashable, done: Future[Any]) -> None:
        if done.cancelled() or done.exception():
            self._made.pop(key, None)
