"""Work on threads whose results come back in order. Nothing about a result may depend on how many threads there are:
the pieces of work are cut before, and each is done by one of them."""

from __future__ import annotations

import ctypes
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any, TypeVar

MOST = 8
"""Threads beyond these wait for memory more than they work."""
OPENBLAS = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads")
"""What numpy's matrix products call these functions, however it was built."""

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


_held, _before = Lock(), list[int]()
"""How many threads products had before each of those who now work had asked for one."""


@contextmanager
def _products_alone() -> Iterator[None]:
    """Matrix products take one thread each: several that take all processors would wait for each other, busily."""
    get, set_ = _openblas()
    with _held:
        _before.append(get())
        set_(1)
    try:
        yield
    finally:
        with _held:
            most = max(_before)
            _before.pop()
            if not _before:
                set_(most)


@cache
def _openblas() -> tuple[Callable[[], int], Callable[[int], Any]]:
    """How many threads its products have, and setting that; of another library nothing is known, and nothing done."""
    try:
        products = import_module("numpy._core._multiarray_umath")
        library = ctypes.CDLL(str(products.__file__))  # finds what it was linked with
    except (ImportError, OSError):
        return lambda: 1, lambda _: None
    for name in OPENBLAS:
        if hasattr(library, name.format("set")) and hasattr(library, name.format("get")):
            return getattr(library, name.format("get")), getattr(library, name.format("set"))
    return lambda: 1, lambda _: None
