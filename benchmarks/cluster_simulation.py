"""How a run grows with nodes: shards that were measured, played through on 1, 10 and 100 nodes.

What is simulated, event by event: the commanding process hands over one shard after the other; processors take shards
as they become free; results are taken in one after the other. What is measured here: how long a shard takes, how many
bytes go each way, and how long handing over and taking in last (a flight of shards that take no time, through Ray).
What is assumed: all processors are as fast as this one, the network is no slower than this machine's memory with 10
Gbit/s behind it, nothing fails, the commanding process has a processor to itself. Reading before and keeping and
folding after are left out. The two nodes of the check are real raylets on this machine; shards are waited for as
long as they took, since two nodes on one machine would otherwise share its processors.
"""

from __future__ import annotations

import heapq
import logging
import os
import pickle
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import cycle, islice, product
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from assay.execution.measure import SHARD
from assay.execution.shard_job import Job, attempt_all
from assay.metrics import resolve, resolve_suite
from assay.models.cache import Cache
from assay.models.context import Context
from assay.records.items import Items, Span
from assay.records.lazy_files import LazyRecords
from assay.records.types import Example, Output
from benchmarks.timing import Result

SHARDS = int(os.environ.get("ASSAY_SCALE_SHARDS", "4"))
"""Shards that are measured; they are repeated for larger runs."""
NETWORK = 1.25e9
"""Bytes a second of the commanding machine's link: 10 Gbit/s."""
PROCESSORS = 8
"""Of a node."""
SIZES = (1_000_000, 10_000_000, 100_000_000)


@dataclass(frozen=True)
class Shard:
    """What one shard costs."""

    work: float
    """Seconds of a processor."""
    sent: int
    """Bytes each way."""
    received: int
    hand_over: float = 0.0
    """Seconds of the commanding process for both ways together."""


def measured(count: int = SHARDS) -> list[Shard]:
    """Shards of synthetic texts with all metrics of gem-light, on one processor."""
    metrics = {request.metric.stored_as(): request.metric for request in resolve_suite("gem-light")}
    found = []
    for number in range(count):
        job = Job(Span(number * SHARD, (number + 1) * SHARD), metrics, synthetic(number), Context())
        sent = len(pickle.dumps(job, protocol=5))
        start = time.process_time()
        rows = list(attempt_all(job))
        found.append(Shard(time.process_time() - start, sent, len(pickle.dumps(rows, protocol=5))))
    return found


def in_files(shard: Shard) -> Shard:
    """The same where a worker reads its texts itself: what is sent is where they stand, in two files."""
    places = np.zeros((SHARD, 2), dtype=np.int64)
    outputs: LazyRecords[str] = LazyRecords(Path("outputs.jsonl"), Output, places, "output")
    examples: LazyRecords[Example] = LazyRecords(Path("examples.jsonl"), Example, places)
    return replace(shard, sent=len(pickle.dumps((outputs, examples), protocol=5)))


def synthetic(number: int, count: int = SHARD) -> Items:
    """Texts of Zipf's words: an output and a reference of about 40, a source of about 300."""
    rng = np.random.default_rng(number)
    words = np.array([f"w{rank}" for rank in range(50_000)])

    def text(length: int) -> str:
        ranks = np.minimum(rng.zipf(1.2, size=max(3, int(rng.normal(length, length / 4)))), len(words)) - 1
        return " ".join(words[ranks].tolist())

    examples = tuple(
        Example(id=f"{number}-{place}", references=(text(40),), source=text(300)) for place in range(count)
    )
    return Items(tuple(text(40) for _ in range(count)), examples)


def simulated(shards: Sequence[Shard], processors: int, network: float = NETWORK) -> float:
    """Seconds from the first shard handed over to the last result taken in."""
    free = [0.0] * processors
    returning: list[tuple[float, int, Shard]] = []
    now = 0.0
    for number, shard in enumerate(shards):
        ready = heapq.heappop(free)
        while returning and returning[0][0] <= max(ready, now):
            now = _taken(heapq.heappop(returning), now)
        now += shard.hand_over / 2
        done = max(ready, now + shard.sent / network) + shard.work
        heapq.heappush(free, done)
        heapq.heappush(returning, (done + shard.received / network, number, shard))
    while returning:
        now = _taken(heapq.heappop(returning), now)
    return now


def _taken(back: tuple[float, int, Shard], now: float) -> float:
    return max(now, back[0]) + back[2].hand_over / 2


def replay(shard: tuple[Shard, bytes]) -> list[bytes]:
    """In a worker of the check: as long, and as many bytes back."""
    time.sleep(shard[0].work)
    return [bytes(shard[0].received)]


@contextmanager
def two_nodes() -> Iterator[None]:
    """Two raylets with one worker each."""
    import ray
    from ray.cluster_utils import Cluster

    node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 200 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    try:
        ray.init(cluster.address, log_to_driver=False, logging_level=logging.ERROR)
        flown([Shard(0.2, 1024, 1024)] * 4)  # workers are started, too
        yield
    finally:
        ray.shutdown()
        cluster.shutdown()  # type: ignore[no-untyped-call]


def flown(shards: Sequence[Shard]) -> float:
    """Seconds that the cluster takes for these shards."""
    from assay.execution.ray_engine import Ray

    start = time.monotonic()
    for _ in Ray().map(replay, [(shard, bytes(shard.sent)) for shard in shards]):
        pass
    return time.monotonic() - start


def with_hand_over(shards: Sequence[Shard], rounds: int = 3) -> list[Shard]:
    """Shards with the time that they keep the commanding process: its processor seconds in a flight in which nobody
    works, since the time on the clock is that of everything else on this machine, too."""
    some = [replace(shard, work=0.0) for shard in islice(cycle(shards), 12)]
    best = inf
    for _ in range(rounds):
        start = time.process_time()
        flown(some)
        best = min(best, (time.process_time() - start) / len(some))
    return [replace(shard, hand_over=best) for shard in shards]


def run() -> Iterator[Result]:
    shards = measured()
    with two_nodes():
        texts, places = with_hand_over(shards), with_hand_over([in_files(shard) for shard in shards])
        checks = {}
        for name, kind in (("texts sent", texts), ("texts in files", places)):
            some = list(islice(cycle(kind), 12))
            checks[name] = simulated(some, 2), min(flown(some) for _ in range(3))
    for name, kind in (("texts sent", texts), ("texts in files", places)):
        yield {
            "name": f"one shard of gem-light, {name}", "pairs": SHARD,
            "seconds": float(np.mean([shard.work for shard in kind])),
            "note": f"{kind[0].hand_over * 1e3:.0f} ms of the commanding process, {kind[0].sent / 2**20:.1f} MB there, "
            f"{kind[0].received / 2**20:.1f} MB back",
        }  # fmt: skip
    for name, (wanted, found) in checks.items():
        yield {
            "name": f"12 shards on two real nodes, {name}", "pairs": 12 * SHARD, "seconds": found,
            "note": f"simulated {wanted:.2f} s, {found / wanted - 1:+.1%}",
        }  # fmt: skip
    kinds = [("texts sent", texts, SIZES), ("texts in files", places, SIZES), ("bertscore", learned(places), SIZES[:1])]
    for name, kind, sizes in kinds:
        for pairs, nodes in product(sizes if kind else (), (1, 10, 100)):
            every = list(islice(cycle(kind), pairs // SHARD))
            seconds = simulated(every, nodes * PROCESSORS)
            times = sum(shard.work for shard in every) / seconds
            yield {
                "name": f"simulated, {name}, {nodes} nodes of {PROCESSORS} processors", "pairs": pairs,
                "seconds": seconds, "note": f"{times:.0f} times one processor",
            }  # fmt: skip


def learned(like: Sequence[Shard], count: int = 64) -> list[Shard]:
    """A shard of bertscore, by the time that some of its items take here; nothing where there are no weights."""
    (request,) = resolve("bertscore")
    if request.metric.why_not():
        return []
    some = synthetic(0, count)
    request.metric.compute(synthetic(1, 2), Context(Cache(limit=0)))  # weights are loaded once
    start = time.process_time()
    request.metric.compute(some, Context(Cache(limit=0)))
    work = (time.process_time() - start) / count * SHARD
    return [replace(like[0], work=work, received=5 * 8 * SHARD)]
