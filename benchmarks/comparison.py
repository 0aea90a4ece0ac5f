"""Twenty systems on 100,000 items, every two of them under 10,000 swaps, with intervals from as many resamples: BLEU,
chrF and ROUGE. Statistics are derived from those of generated pairs, since scoring is measured elsewhere.

ASSAY_BENCH_SWAPS sets another number of swaps.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator

import numpy as np

from assay import compare_all
from assay.metrics import resolve
from assay.results.index import index_of
from assay.results.measurement import Measurement
from assay.results.result import Result as Scored
from benchmarks.timing import Result
from benchmarks.workloads import as_items, workload_b

SYSTEMS, ITEMS = 20, 100_000
SWAPS = int(os.environ.get("ASSAY_BENCH_SWAPS", "10000"))
SCORED = 5_000
"""Pairs whose statistics are drawn from."""
SECONDS = 60.0


def systems() -> list[Scored]:
    """Systems that differ in more and more items."""
    requests = resolve("bleu:gem,chrf,rouge:gem")
    items = as_items(list(workload_b(SCORED)))
    rows = [request.metric.statistics(items) for request in requests]
    random = np.random.default_rng(0)
    shared = random.integers(0, SCORED, ITEMS)
    index = index_of(items).take(shared).with_columns({"id": list(map(str, range(ITEMS)))})
    made = []
    for number in range(SYSTEMS):
        own = shared.copy()
        other = random.random(ITEMS) < 0.1 + 0.01 * number
        own[other] = random.integers(0, SCORED, int(other.sum()))
        pairs = zip(requests, rows, strict=True)
        measured = tuple(Measurement(each, each.metric.signature("1"), row.take(own)) for each, row in pairs)
        made.append(Scored(f"s{number}", index, measured))
    return made


def run() -> Iterator[Result]:
    made = systems()
    wall, cpu = time.monotonic(), time.process_time()
    compare_all(made[0], made[1:], samples=SWAPS)
    wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    yield {
        "name": f"{SYSTEMS} systems x {ITEMS} items, {SWAPS} swaps",
        "pairs": SYSTEMS * ITEMS,
        "seconds": wall,
        "target": SECONDS,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "note": f"{cpu:.1f} s of cpu, {SYSTEMS * (SYSTEMS - 1) // 2} pairs",
    }
