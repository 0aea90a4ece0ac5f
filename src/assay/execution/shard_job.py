"""What is done with one shard, here or in a worker: each metric for itself, and of one that breaks, on which item."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assay.errors import AssayError, fault, no_exit
from assay.metrics import Metric
from assay.metrics.engine.statistics import Rows
from assay.models.context import Context
from assay.records.items import Items


class Job(NamedTuple):
    """What is measured of one shard: all metrics together, so that those that cut texts alike share their reading."""

    number: int
    metrics: dict[str, Metric]
    """By the key of their statistics."""
    items: Items
    context: Context

    @property
    def models(self) -> bool:
        """Whether weights are loaded for it, which whoever works on many shards should do once."""
        return any(map(asks_model, self.metrics.values()))

    def by_model(self) -> list[Job]:
        """What needs no weights apart from what does, so that each may go to the machines that suit it."""
        with_models = {key: metric for key, metric in self.metrics.items() if asks_model(metric)}
        others = {key: metric for key, metric in self.metrics.items() if key not in with_models}
        return [self._replace(metrics=some) for some in (others, with_models) if some]

    def apart(self) -> list[Job]:
        """Each metric for itself, with the same rows."""
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
    """A metric that breaks must not take the others with it."""
    try:
        with no_exit():
            rows = metric.compute(items, context)
    except AssayError as error:
        return str(error)
    except Exception as error:
        return breaking_item(metric, items, context) + fault(error, metric)
    if not isinstance(rows, Rows):
        return f"statistics gave {type(rows).__name__}; they must give Dense or Tokens"
    if len(rows) != len(items):
        given = f"{len(rows)} row{'' if len(rows) == 1 else 's'} for {len(items)} item{'' if len(items) == 1 else 's'}"
        return f"{given}; statistics must give one row an item"
    return rows


def breaking_item(metric: Metric, items: Items, context: Context) -> str:
    """`id 17: `, the first item that a metric breaks on by itself; nothing where it takes several."""
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
