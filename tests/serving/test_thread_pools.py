"""Pages that are computed once: their memory and their number are bounded, whatever visitors ask for."""

from __future__ import annotations

import asyncio
import threading

import pytest

from assay.serving.app import RefusedError
from assay.serving.thread_pools import ThreadPools
from tests.support.real_browser import run_async


def test_kept_pages_are_bounded_and_the_oldest_goes_first() -> None:
    """Each pair of systems is a page: a visitor could fill the memory by asking for all of them."""
    made: list[int] = []

    async def ask() -> None:
        pools = ThreadPools(most_bytes=3000)

        def page(number: int) -> bytes:
            made.append(number)
            return bytes(1000)

        await pools.once("prepared", lambda: made.append(-1))
        for number in (1, 2, 3, 1, 4, 1, 3, 2):
            await pools.once(number, lambda number=number: page(number))  # type: ignore[misc]
            assert sum(isinstance(key, int) for key in pools._made) <= 3
        await pools.once("prepared", lambda: made.append(-1))

    run_async(ask())
    assert made == [-1, 1, 2, 3, 4, 2]


def test_a_page_larger_than_the_bound_is_answered() -> None:
    async def ask() -> None:
        pools = ThreadPools(most_bytes=10)
        for size in (100, 200):
            assert len(await pools.once(size, lambda size=size: bytes(size))) == size  # type: ignore[misc]

    run_async(ask())


def test_too_many_waiting_pages_are_refused_and_failures_are_not_kept() -> None:
    async def ask() -> None:
        pools, go = ThreadPools(waiting=2), threading.Event()
        first, second = (asyncio.create_task(pools.once(name, lambda: go.wait(20))) for name in "ab")
        await asyncio.sleep(0)
        with pytest.raises(RefusedError, match="Try again") as error:
            await pools.once("c", lambda: b"")
        assert error.value.status == 503
        go.set()
        assert await first
        assert await second
        for _ in range(200):  # it may end before the request has noted it
            with pytest.raises(ZeroDivisionError):
                await pools.once("d", lambda: 1 // 0)
        assert await pools.once("d", lambda: 5) == 5

    run_async(ask())
