"""The job of one shard: compute each metric, and name the item that one fails on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assay.errors import AssayError, fault, no_exit
from assay.metrics import Metric
from assay.metrics.engine.statistics import Rows
from assay.models.context import Context
from assay.records.items import Items


class Job(NamedTuple):
    """Measurement of one shard: all metrics together, so that those with the same tokenization share it."""

    number: int
    metrics: dict[str, Metric]
    """Metrics by the key of their statistics."""
    items: Items
    context: Context

    @property
    def models(self) -> bool:
        """Whether it loads model weights, which a worker should do once."""
        return any(map(asks_model, self.metrics.values()))

    def by_model(self) -> list[Job]:
        """Split into parts without and with model weights, for different machines."""
        with_models = {key: metric for key, metric in self.metrics.items() if asks_model(metric)}
        others = {key: metric for key, metric in self.metrics.items() if key not in with_models}
        return [self._replace(metrics=some) for some in (others, with_models) if some]

    def apart(self) -> list[Job]:
        """Split into one job per metric, with the same rows."""
        return [self._replace(metrics={key: metric}) for key, metric in self.metrics.items()]

    def halves(self) -> list[Job]:
        half = -(-len(self.items) // 2)
        return [self._replace(items=part) for part in self.items.shards(half)] if half < len(self.items) else []

    def given_up(self, why: str) -> list[tuple[tuple[str, int], Rows | str]]:
        return [((key, self.number), why) for key in self.metrics]

    def __str__(self) -> str:
        first = f"id {self.items.loaded().ids[0]}"
        return first if len(self.items) == 1 else f"{len(self.items)} items from {first} on"


def asks_model(metric: Metric) -> bool:
    return type(metric).compute is not Metric.compute


def attempt_all(job: Job) -> Iterator[tuple[tuple[str, int], Rows | str]]:
    loaded = job.items.loaded()
    for key, metric in job.metrics.items():
        yield (key, job.number), attempt(metric, loaded, job.context)


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
