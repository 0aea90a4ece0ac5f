"""The job of one shard: compute each metric, and name the item that one fails on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import NamedTuple

from assay.errors import AssayError, fault, no_exit
from assay.metrics import Metric
from assay.metrics.engine.statistics import Rows
from assay.models.code_digest import is_foreign
from assay.models.context import Context
from assay.records.items import Items, Span

FIRST = (25, 100, 200)
"""Ends of the first shards of a metric that may be slow."""
SLOW_SHARD = 200
"""Items per shard of a metric that may be slow."""


class Job(NamedTuple):
    """Measurement of one shard: all metrics that count words together, so that they share tokens; others alone."""

    span: Span
    metrics: dict[str, Metric]
    """Metrics by the key of their statistics."""
    items: Items
    context: Context

    @property
    def models(self) -> bool:
        """Whether it loads model weights, which a worker should do once."""
        return any(map(asks_model, self.metrics.values()))

    @property
    def endpoints(self) -> bool:
        """Whether it asks an endpoint, whose answers may have to be paid for."""
        return any(metric.asks_endpoint for metric in self.metrics.values())

    def apart(self) -> list[Job]:
        """Split into one job per metric, with the same rows."""
        return [self._replace(metrics={key: metric}) for key, metric in self.metrics.items()]

    def halves(self) -> list[Job]:
        half = -(-len(self.items) // 2)
        return [self._replace(items=part) for part in self.items.shards(half)] if half < len(self.items) else []

    def given_up(self, why: str) -> list[tuple[tuple[str, Span], Rows | str]]:
        return [((key, self.span), why) for key in self.metrics]

    def __str__(self) -> str:
        first = f"id {self.items.loaded().ids[0]}"
        return first if len(self.items) == 1 else f"{len(self.items)} items from {first} on"


def asks_model(metric: Metric) -> bool:
    return type(metric).compute is not Metric.compute


def spans_of(n: int, metric: Metric, most: int) -> list[Span]:
    """Return the shards of a metric. Counting is fast and has large ones. Models and plug-ins may be slow: their first
    shards are small, for an early estimate of the time they take, and the others small enough to show progress, to
    lose little when interrupted, and to use several workers."""
    if not asks_model(metric) and not is_foreign(type(metric)):
        first, usual = [], most
    else:
        first, usual = [end for end in FIRST if end < n and end < most], min(SLOW_SHARD, most)
    ends = [*first, *range((first[-1] if first else 0) + usual, n, usual), n]
    return [Span(start, stop) for start, stop in zip([0, *ends], ends, strict=False)]


def jobs_of(
    items: Items, metrics: Mapping[str, Metric], spans: Mapping[str, list[Span]], context: Context
) -> list[Job]:
    """Return the jobs of all shards: metrics that count words share jobs, so that they share tokens. Others follow one
    by one, so that a model is loaded once."""
    together: dict[Span, dict[str, Metric]] = {}
    alone: list[tuple[Span, dict[str, Metric]]] = []
    for key, metric in metrics.items():
        for span in spans[key]:
            if asks_model(metric):
                alone.append((span, {key: metric}))
            else:
                together.setdefault(span, {})[key] = metric
    return [
        Job(span, some, items.part(span), context)
        for span, some in [*sorted(together.items(), key=itemgetter(0)), *alone]
    ]


def attempt_all(job: Job) -> Iterator[tuple[tuple[str, Span], Rows | str]]:
    loaded = job.items.loaded()
    for key, metric in job.metrics.items():
        yield (key, job.span), attempt(metric, loaded, job.context)


def attempt(metric: Metric, items: Items, context: Context) -> Rows | str:
    """Return rows, or the error message of a metric that fails."""
    try:
        with no_exit():
            rows = metric.compute(items, context)
    except AssayError as error:
        return str(error)
    except Exception as error:
        return breaking_item(metric, items, context) + fault(error, metric)
    if not isinstance(rows, Rows):
        return f"statistics returned {type(rows).__name__}; expected Dense or Tokens"
    if len(rows) != len(items):
        count = f"{len(rows)} row{'' if len(rows) == 1 else 's'} for {len(items)} item{'' if len(items) == 1 else 's'}"
        return f"{count}; statistics must return one row per item"
    return rows


def breaking_item(metric: Metric, items: Items, context: Context) -> str:
    """Return `id 17: `, the first item that a metric fails on alone; empty if none."""
    while len(items) > 1:
        for half in items.shards(-(-len(items) // 2)):
            try:
                with no_exit():
                    metric.compute(half, context)
            except Exception:
                items = half
                break
        else:
            return ""
    return f"id {items.ids[0]}: "
