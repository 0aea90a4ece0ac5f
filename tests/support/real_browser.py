"""One Chromium for all tests of a process: a second playwright beside it would be refused."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if not chromium:
        pytest.skip("needs chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with sync_api.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=chromium, args=FLAGS)
        yield opened
        opened.close()


def run_async(work: Coroutine[Any, Any, None]) -> None:
    """In a thread of its own: in ours the browser has a loop that runs."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()
