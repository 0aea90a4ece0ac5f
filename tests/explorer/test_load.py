"""The explorer under load, small: many clients, few threads, flat memory, one computation for all who ask for the same.

`python -m benchmarks serving` is the same with 100,000 items of five systems and 50 clients.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from assay.errors import AssayError
from assay.explorer.queries import Queries
from assay.explorer.standalone import built
from assay.results.many_systems import ManySystems
from benchmarks.explorer import outputs_of
from benchmarks.serving import hold, pages
from tests.explorer.conftest import serving

pytest.importorskip("fastapi")
psutil = pytest.importorskip("psutil")
pytestmark = pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")

ITEMS, SYSTEMS, CLIENTS = 1500, 3, 25


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    folder = outputs_of(tmp_path_factory.mktemp("load") / "outputs", ITEMS, SYSTEMS)
    with serving(Queries([folder])) as url:
        found = urlsplit(url)
        assert found.hostname is not None
        assert found.port is not None
        yield found.hostname, found.port


def _workers() -> int:
    """Threads that answer."""
    return sum(thread.name.startswith(("quick", "AnyIO")) for thread in threading.enumerate())


def test_server_answers_many_clients(address: tuple[str, int]) -> None:
    hold(address, pages(ITEMS, SYSTEMS), CLIENTS, 1)
    process = psutil.Process()
    memory, threads, workers = process.memory_info().rss, process.num_threads(), _workers()
    seen = hold(address, pages(ITEMS, SYSTEMS), CLIENTS, 2)
    assert seen.failures == []
    assert len(seen.times) >= CLIENTS
    assert seen.percentile(0.95) < 10  # on a machine that is busy with other tests
    assert process.num_threads() <= threads + 2  # one may just have been at rest; clients are many more
    assert process.memory_info().rss - memory < 64e6
    assert _workers() <= max(workers, 4)  # those of other servers may still be there


def test_concurrent_requests_share_one_computation(address: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Meanwhile pages are answered, and whoever goes away does not end it for the others."""
    compare = ManySystems.comparisons
    began, go_on = threading.Event(), threading.Event()
    calls: list[Any] = []

    def slow(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        began.set()
        assert go_on.wait(60)
        return compare(*arguments, **options)

    monkeypatch.setattr(ManySystems, "comparisons", slow)
    with ThreadPoolExecutor(1) as clients:
        asked = clients.submit(hold, address, lambda _: "api/compare?dataset=items&a=s0&b=s1", CLIENTS, 0)
        assert began.wait(60)
        with socket.create_connection(address) as leaving:
            leaving.sendall(
                b"GET /api/compare?dataset=items&a=s0&b=s1 HTTP/1.1\r\nHost: %b\r\n\r\n" % address[0].encode()
            )
        assert hold(address, pages(ITEMS, SYSTEMS), 5, 0).failures == []
        assert not asked.done()
        go_on.set()
        seen = asked.result(60)
    assert seen.failures == []
    assert len(seen.times) == CLIENTS
    assert len(calls) == 1
    assert hold(address, lambda _: "api/compare?dataset=items&a=s0&b=s1", 3, 0).failures == []
    assert len(calls) == 1


def test_failed_computation_is_repeated(address: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    compare = ManySystems.comparisons
    question = "api/compare?dataset=items&a=s1&b=s2"

    def broken(*arguments: Any, **options: Any) -> Any:
        time.sleep(0.1)
        raise AssayError("not today")

    monkeypatch.setattr(ManySystems, "comparisons", broken)
    assert set(hold(address, lambda _: question, 4, 0).failures) == {b'{"error":"not today"}'}
    monkeypatch.setattr(ManySystems, "comparisons", compare)
    assert hold(address, lambda _: question, 1, 0).failures == []
