"""Compute statistics of items by metrics, in shards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from assay.execution.executors import SERIAL, Executor
from assay.execution.keeping import Count, InMemory, InStore, StatisticsStore
from assay.execution.shard_job import attempt_all, jobs_of, spans_of
from assay.metrics import Metric, MetricRequest
from assay.metrics.engine.base import count_references
from assay.metrics.engine.statistics import Rows
from assay.models.context import Context
from assay.progress import Step, track
from assay.records.items import Items, Span
from assay.records.types import FIELDS_OF_NEEDS
from assay.results.measurement import Measurement, Missing

SHARD = 10_000
"""Most items per shard; fixed, so that results do not depend on workers or memory."""
MOST = 100_000
"""Outputs that are measured together; more would only use memory."""


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
    todo = {r.metric.stored_as(): r for r in runnable if r.metric.stored_as() not in rows}
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
            if items.treatment:
                head, bar, version = signature.rpartition("|version:")
                signature = f"{head}|text:{items.treatment}{bar}{version}"
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
    all_items = Items(outputs, examples, notes=systems[0].notes, treatment=systems[0].treatment)
    shared = [request for request in requests if not request.metric.by_system]
    single = [request for request in requests if request.metric.by_system]
    together = measure(all_items, shared, executor=executor)
    languages = systems[0].languages
    apart = []
    for number, items in enumerate(systems):
        own = measure(items, single, executor=executor) if single else Measured()
        mine = np.arange(n, dtype=np.intp) * count + number
        taken = {id(m.rows): m.rows.take(mine) for m in together.computed}
        own.computed += [m.over(taken[id(m.rows)], languages) for m in together.computed]
        order = [id(request) for request in requests]
        own.computed.sort(key=lambda m: order.index(id(m.request)))
        own.skipped, own.failed = own.skipped + together.skipped, own.failed + together.failed
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
    return (getattr(example, FIELDS_OF_NEEDS[need]) not in (None, (), "") for example in items.examples)


def _compute(
    items: Items, todo: dict[str, MetricRequest], executor: Executor, store: StatisticsStore | None, context: Context
) -> Iterator[tuple[str, Rows | str]]:
    """Return the rows of each key, or an error message. Finished shards are kept, however the work ends."""
    if not todo:
        return
    metrics = {key: request.metric for key, request in todo.items()}
    spans = {key: spans_of(len(items), metric, SHARD) for key, metric in metrics.items()}
    kept = InStore(store, spans) if store else InMemory(items, spans)
    waiting = {key: [span for span in spans[key] if not kept.has(key, span)] for key in todo}
    left, total = (sum(map(len, each.values())) for each in (waiting, spans))
    count = Count(kept, items.system, total, total - left)
    lines = {str(todo[key].spec): sum(stop - start for start, stop in waiting[key]) for key in todo if waiting[key]}

    def step(result: tuple[tuple[str, Span], Rows | str]) -> Step:
        (key, (start, stop)), outcome = result
        items_done = (stop - start) / len(todo)  # an item counts once, for all metrics
        return Step(1, items_done, isinstance(outcome, str), str(todo[key].spec), stop - start)

    failures: dict[str, str] = {}
    try:
        results = executor.map(attempt_all, jobs_of(items, metrics, waiting, context))
        for (key, span), outcome in track(results, "scoring", left, step, lines):
            if isinstance(outcome, str):
                failures.setdefault(key, outcome)
            elif key not in failures:  # later shards of a metric that failed are of no use
                kept.add(key, span, outcome)
                count.done += 1
        yield from failures.items()
        for key in todo:
            if key not in failures:
                yield key, kept.rows(key)
        kept.finish()
        count.end()
    except BaseException:
        kept.interrupt()
        raise
