"""Ordered work on threads. Results do not depend on the number of threads: work is divided before it is distributed."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar

MOST = 8
"""Largest number of threads; more are limited by memory bandwidth."""

T = TypeVar("T")
U = TypeVar("U")
K = TypeVar("K")

_locks: dict[tuple[int, object], Lock] = {}
"""Locks of values that are being computed; not stored with the values, which are sent to other processes."""


def compute_once(cache: MutableMapping[K, Any], key: K, make: Callable[[], T]) -> T:
    """Return the cached value of a key, computed if it is missing; other threads wait for it."""
    if key not in cache:
        with _locks.setdefault((id(cache), key), Lock()):
            try:
                if key not in cache:
                    cache[key] = make()
            finally:
                _locks.pop((id(cache), key), None)
    value: T = cache[key]
    return value


def threads() -> int:
    """Return the number of threads: the number of processors of this process, at most 8."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST, allowed))


def map_in_order(work: Callable[[T], U], pieces: Iterable[T], number: int | None = None) -> Iterator[U]:
    """Yield work(piece) for each piece in order, computed on threads.

    The caller's thread takes the pieces, at most one more than there are threads.
    """
    number = number or threads()
    with ThreadPoolExecutor(number, thread_name_prefix="stats") as pool, _single_threaded_blas():
        started: deque[Future[U]] = deque()
        try:
            for piece in pieces:
                started.append(pool.submit(work, piece))
                if len(started) > number:
                    yield started.popleft().result()
            while started:
                yield started.popleft().result()
        finally:
            for left in started:
                left.cancel()


_blas_lock = Lock()
_limits: list[Any] = []
"""One entry per running `map_in_order`, all with the same BLAS limit."""


@contextmanager
def _single_threaded_blas() -> Iterator[None]:
    """Limit BLAS to one thread: parallel products that use all processors would wait for each other."""
    from threadpoolctl import threadpool_limits

    with _blas_lock:  # the limit is global: the first call sets it, the last one restores it
        _limits.append(_limits[0] if _limits else threadpool_limits(1, "blas"))
    try:
        yield
    finally:
        with _blas_lock:
            limit = _limits.pop()
            if not _limits:
                limit.restore_original_limits()
