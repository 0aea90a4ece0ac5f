"""Work on threads whose results come back in order. Nothing about a result may depend on how many threads there are:
the pieces of work are cut before, and each is done by one of them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

MOST = 8
"""Threads beyond these wait for memory more than they work."""

T = TypeVar("T")
U = TypeVar("U")


def threads() -> int:
    """As many as this process may use processors."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST, allowed))


def in_order(work: Callable[[T], U], pieces: Iterable[T], number: int | None = None) -> Iterator[U]:
    """work(piece) of one piece after the other, as many at the same time as there are threads. Pieces are taken one by
    one by the caller's own thread, and never more than are being worked on, and one."""
    number = number or threads()
    with ThreadPoolExecutor(number, thread_name_prefix="stats") as pool:
        begun: deque[Future[U]] = deque()
        try:
            for piece in pieces:
                begun.append(pool.submit(work, piece))
                if len(begun) > number:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            for left in begun:
                left.cancel()
