"""Work on threads whose results come back in order. Nothing about a result may depend on how many threads there are:
the pieces of work are cut before, and each is done by one of them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar

MOST = 8
"""Threads beyond these wait for memory more than they work."""

T = TypeVar("T")
U = TypeVar("U")
K = TypeVar("K")

_making: dict[tuple[int, object], Lock] = {}
"""What threads are making; not beside what is made, which is sent to other processes."""


def compute_once(held: MutableMapping[K, Any], key: K, make: Callable[[], T]) -> T:
    """What is held under this key, made if it is not there yet; whoever asks meanwhile, on another thread, waits."""
    if key not in held:
        with _making.setdefault((id(held), key), Lock()):
            try:
                if key not in held:
                    held[key] = make()
            finally:
                _making.pop((id(held), key), None)
    made: T = held[key]
    return made


def threads() -> int:
    """As many as this process may use processors."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST, allowed))


def map_in_order(work: Callable[[T], U], pieces: Iterable[T], number: int | None = None) -> Iterator[U]:
    """work(piece) of one piece after the other, as many at the same time as there are threads. Pieces are taken one by
    one by the caller's own thread, and never more than are being worked on, and one."""
    number = number or threads()
    with ThreadPoolExecutor(number, thread_name_prefix="stats") as pool, _products_alone():
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


_held = Lock()
_working: list[Any] = []
"""Who works now; the first of them has what gives products their threads back."""


@contextmanager
def _products_alone() -> Iterator[None]:
    """Matrix products take one thread each: several that take all processors would wait for each other, busily."""
    from threadpoolctl import threadpool_limits

    with _held:  # products are everybody's: whoever begins first holds them back, whoever ends last lets them go
        _working.append(_working[0] if _working else threadpool_limits(1, "blas"))
    try:
        yield
    finally:
        with _held:
            held = _working.pop()
            if not _working:
                held.restore_original_limits()
