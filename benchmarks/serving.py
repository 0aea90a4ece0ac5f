"""The explorer under load: 50 clients without a pause, each on its own connection, over 100,000 items of 5 systems.

python -m benchmarks serving

The clients take time of the same cores, so they speak as little HTTP as will do.
"""

from __future__ import annotations

import asyncio
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from assay.explorer.standalone import built
from benchmarks.explorer import outputs_of
from benchmarks.released import MissingDataError
from benchmarks.timing import Result

ITEMS, SYSTEMS, CLIENTS = 100_000, 5, 50
SECONDS = 20.0
P95 = 0.5
GROWTH = 64
"""MB that the server's memory may change by once it is warm: what an allocator keeps back."""


@dataclass
class Load:
    """What some clients saw."""

    times: list[float] = field(default_factory=list)
    failures: list[bytes] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        return sorted(self.times)[min(len(self.times) - 1, int(share * len(self.times)))]


def run() -> Iterator[Result]:
    import psutil

    if not built():
        raise MissingDataError("the built pages (make pages)")
    with tempfile.TemporaryDirectory() as folder:
        results = outputs_of(Path(folder) / "outputs", ITEMS, SYSTEMS)
        command = [sys.executable, "-m", "assay", "view", str(results), "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                found = re.search(r"http://([^:]+):(\d+)/", server.stdout.readline())
                assert found is not None
                yield from measured((found[1], int(found[2])), psutil.Process(server.pid))
            finally:
                server.terminate()


def measured(address: tuple[str, int], process: object) -> Iterator[Result]:
    import psutil

    assert isinstance(process, psutil.Process)
    hold(address, lambda _: question(random.Random(0), ITEMS, SYSTEMS), 1, 0)  # waits until the texts are ready
    hold(address, pages(ITEMS, SYSTEMS), CLIENTS, 3)
    memory, threads = process.memory_info().rss, process.num_threads()
    worked = sum(process.cpu_times()[:2])
    seen = hold(address, pages(ITEMS, SYSTEMS), CLIENTS, SECONDS)
    worked = (sum(process.cpu_times()[:2]) - worked) / len(seen.times)
    grown = (process.memory_info().rss - memory) / 1e6
    more = process.num_threads() - threads
    whole = not seen.failures and grown < GROWTH and more <= 0
    yield {
        "name": f"example pages, {CLIENTS} clients, 95 % within",
        "pairs": ITEMS * SYSTEMS,
        "seconds": seen.percentile(0.95),
        "target": P95,
        "equal": whole,
        "values": {"median_s": seen.percentile(0.5), "pages_per_second": len(seen.times) / SECONDS,
                   "cpu_seconds_per_page": worked, "memory_grown_mb": grown, "threads": threads, "threads_grown": more},
        "note": f"{len(seen.times) / SECONDS:.0f} pages a second, memory {grown:+.0f} MB, {threads} threads {more:+d}",
    }  # fmt: skip
    alone = spent(process, lambda: hold(address, lambda _: "api/compare?dataset=items&a=s0&b=s1", 1, 0))
    start = time.perf_counter()
    together = spent(process, lambda: hold(address, lambda _: "api/compare?dataset=items&a=s1&b=s2", CLIENTS, 0))
    yield {
        "name": f"one comparison for {CLIENTS} clients",
        "seconds": time.perf_counter() - start,
        "equal": together < 2 * alone,
        "note": f"{together:.1f} s of the processor, {alone:.1f} s for one client",
    }


def spent(process: object, call: Callable[[], object]) -> float:
    """Processor seconds that a process takes while something happens."""
    import psutil

    assert isinstance(process, psutil.Process)
    before = sum(process.cpu_times()[:2])
    call()
    return float(sum(process.cpu_times()[:2]) - before)


def pages(items: int, systems: int) -> Callable[[random.Random], str]:
    return lambda rng: question(rng, items, systems)


def question(rng: random.Random, items: int, systems: int) -> str:
    """What a reader asks for: a page somewhere, in order or by score, of a topic, or one item."""
    a, b = rng.sample(range(systems), 2)
    kinds = [
        f"offset={rng.randrange(items)}",
        f"metric=rouge1&system=s{a}&order=up&offset={rng.randrange(200)}",
        f"metric=rouge1&system=s{a}&against=s{b}&order=size&offset={rng.randrange(200)}",
        f"where=topic%3Dt{rng.randrange(10)}&metric=rouge2&system=s{a}&low=0.1",
        f"id=e{rng.randrange(items)}",
    ]
    return f"api/examples?dataset=items&limit=10&{rng.choice(kinds)}"


def hold(address: tuple[str, int], asked: Callable[[random.Random], str], clients: int, seconds: float) -> Load:
    """So many clients for so long, each with the next question as soon as it has an answer; at least one each."""
    load = Load()

    async def all_of_them() -> None:
        until = time.perf_counter() + seconds
        await asyncio.gather(*(_client(address, asked, random.Random(i), until, load) for i in range(clients)))

    with ThreadPoolExecutor(1) as apart:  # whoever calls may have a loop of events running already
        apart.submit(asyncio.run, all_of_them()).result()
    return load


async def _client(
    address: tuple[str, int], asked: Callable[[random.Random], str], rng: random.Random, until: float, load: Load
) -> None:
    reader, writer = await asyncio.open_connection(*address)
    host = f"{address[0]}:{address[1]}"
    try:
        while True:
            start = time.perf_counter()
            writer.write(f"GET /{asked(rng)} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            body = await reader.readexactly(_length(head.split(b"\r\n")))
            load.times.append(time.perf_counter() - start)
            if not head.startswith(b"HTTP/1.1 200"):
                load.failures.append(body)
            if time.perf_counter() >= until:
                return
    finally:
        writer.close()


def _length(lines: Sequence[bytes]) -> int:
    return next(int(line.partition(b":")[2]) for line in lines if line.lower().startswith(b"content-length:"))
