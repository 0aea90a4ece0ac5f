"""Compute statistics of items by metrics, in shards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Protocol

import numpy as np

from assay.execution.executors import SERIAL, Executor
from assay.execution.shard_job import Job, attempt_all
from assay.metrics import Metric, MetricRequest
from assay.metrics.engine.base import count_references
from assay.metrics.engine.row_collectors import DiskRowCollector, MemoryRowCollector
from assay.metrics.engine.statistics import Rows
from assay.models.context import Context
from assay.progress import Step, track
from assay.records.items import Items
from assay.results.measurement import Measurement, Missing
from assay.store import column_files

SHARD = 10_000
"""Items per shard; fixed, so that results do not depend on workers or memory."""
MOST = 100_000
"""Outputs that are measured together; more would only use memory."""


class StatisticsStore(Protocol):
    """Storage of statistics between runs."""

    def get(self, key: str) -> Rows | None: ...
    def put(self, key: str, rows: Rows) -> None: ...
    def has_shard(self, key: str, shard: int) -> bool: ...
    def get_shard(self, key: str, shard: int) -> Rows: ...
    def put_shard(self, key: str, shard: int, rows: Rows) -> None: ...
    def put_together(self, key: str, shards: int) -> Rows: ...


class Measured:
    """Computed, skipped and failed metrics."""

    def __init__(self) -> None:
        self.computed: list[Measurement] = []
        self.skipped: list[Missing] = []
        self.failed: list[Missing] = []


def measure(
    items: Items,
    requests: Sequence[MetricRequest],
    *,
    executor: Executor = SERIAL,
    store: StatisticsStore | None = None,
    context: Context | None = None,
) -> Measured:
    """Compute the statistics of every metric that can run; others are returned with the reason."""
    result = Measured()
    nrefs, languages = count_references(items), items.languages
    runnable: list[MetricRequest] = []
    for request in requests:
        reason = reason_to_skip(request.metric, items)
        if reason and request.optional:
            continue
        if reason:
            result.skipped.append(Missing(str(request.spec), reason))
        else:
            runnable.append(request)
    rows: dict[str, Rows] = {}
    reused: set[str] = set()
    for key in dict.fromkeys(request.metric.stored_as() for request in runnable):
        known = store.get(key) if store else None
        if known is not None:
            rows[key] = known
            reused.add(key)
    todo = {r.metric.stored_as(): r.metric for r in runnable if r.metric.stored_as() not in rows}
    failures: dict[str, str] = {}
    for key, outcome in _compute(items, todo, executor, store, context or Context()):
        if isinstance(outcome, str):
            failures[key] = outcome
        else:
            rows[key] = outcome
    for request in runnable:
        key = request.metric.stored_as()
        if key in failures:
            result.failed.append(Missing(str(request.spec), failures[key]))
        else:
            signature = request.metric.signed(request.metric.signature(nrefs), rows[key], languages)
            result.computed.append(Measurement(request, signature, rows[key], key in reused))
    return result


def measure_together(
    systems: Sequence[Items], requests: Sequence[MetricRequest], *, executor: Executor = SERIAL
) -> list[Measured]:
    """Return what `measure` gives for each system, in order."""
    if not _share(systems):
        return [measure(items, requests, executor=executor) for items in systems]
    count, n = len(systems), len(systems[0])
    # Item by item, so that equal references are adjacent and counted once.
    outputs = tuple(chain.from_iterable(zip(*(items.outputs for items in systems), strict=True)))
    examples = tuple(chain.from_iterable(zip(*[systems[0].examples] * count, strict=True)))
    together = measure(Items(outputs, examples, notes=systems[0].notes), requests, executor=executor)
    languages = systems[0].languages
    apart = []
    for number in range(count):
        own = Measured()
        mine = np.arange(n, dtype=np.intp) * count + number
        taken = {id(m.rows): m.rows.take(mine) for m in together.computed}
        own.computed = [m.over(taken[id(m.rows)], languages) for m in together.computed]
        own.skipped, own.failed = list(together.skipped), list(together.failed)
        apart.append(own)
    return apart


def _share(systems: Sequence[Items]) -> bool:
    first = systems[0].examples
    if len(systems) < 2 or not isinstance(first, tuple) or len(systems) * len(first) > MOST:
        return False
    return all(isinstance(items.outputs, tuple) and items.examples == first for items in systems)


def reason_to_skip(metric: Metric, items: Items) -> str | None:
    """Return why a metric cannot be computed for these items here; None if it can."""
    for need in metric.needs:
        if not items.has(need):
            have = "none were given" if not any(_some(items, need)) else "some items have none"
            return f"needs {need}, and {have}"
    return metric.why_not() or metric.unfit(items)


def _some(items: Items, need: str) -> Iterator[bool]:
    attribute = {"sources": "source", "inputs": "input"}.get(need, need)
    return (bool(getattr(example, attribute)) for example in items.examples)


def _compute(
    items: Items, todo: dict[str, Metric], executor: Executor, store: StatisticsStore | None, context: Context
) -> Iterator[tuple[str, Rows | str]]:
    """Return the rows of each key, or an error message."""
    shards = list(items.shards(SHARD)) if todo else []
    several = store if store and len(shards) > 1 else None
    jobs: list[Job] = []
    done: dict[str, MemoryRowCollector | DiskRowCollector] = {}
    for number, shard in enumerate(shards):
        waiting = {key: todo[key] for key in todo if not (several and several.has_shard(key, number))}
        jobs += Job(number, waiting, shard, context).by_model() if waiting else []
    failures: dict[str, str] = {}
    parts = Counter(job.number for job in jobs for _ in job.metrics)

    def step(results: tuple[tuple[str, int], Rows | str]) -> Step:
        number, share = results[0][1], 1 / parts[results[0][1]]
        return Step(share, share * len(shards[number]), isinstance(results[1], str))

    for (key, number), outcome in track(executor.map(attempt_all, jobs), "scoring", len(parts), step):
        if isinstance(outcome, str):
            failures.setdefault(key, outcome)
            continue
        if several:  # kept there, not here: all shards of all metrics would be more than their sum
            several.put_shard(key, number, outcome)
        else:
            if key not in done:
                done[key] = DiskRowCollector() if len(items) > column_files.LARGE_SET else MemoryRowCollector()
            done[key].add(outcome)
    yield from failures.items()
    for key in todo:
        if key not in failures:
            yield key, several.put_together(key, len(shards)) if several else _whole(key, done.pop(key), store)


def _whole(key: str, shards: MemoryRowCollector | DiskRowCollector, store: StatisticsStore | None) -> Rows:
    rows = shards.rows()
    if store:
        store.put(key, rows)
    return rows
