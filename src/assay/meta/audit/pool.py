"""The outputs of a system with all their changed twins, each text measured once, and any mixture of the two.

What a manipulation does to a text does not depend on the strength, so that every strength is a choice among rows that
are there already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.challenges.manipulations import Manipulated, Manipulation, manipulate
from assay.execution.executors import SERIAL, Executor
from assay.execution.measure import MOST, Measured, measure
from assay.metrics import MetricRequest
from assay.metrics.engine.corpus_weighted import CorpusWeightedMetric, already_weighed
from assay.metrics.engine.statistics import Floats
from assay.records.items import Items
from assay.results.index import index_of
from assay.results.measurement import Measurement
from assay.results.result import Result

Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Pool:
    """Texts and twins of some manipulations. Those of an item stand together, so that references are read once."""

    items: Items
    own: Places
    """Where the output of each item stands."""
    made: dict[tuple[str, int], Manipulated]
    """By manipulation and repeat."""
    twins: dict[tuple[str, int], Places]
    """Where each item's changed text stands; its output where there is none."""

    def mixture(self, manipulation: str, repeat: int, strength: float) -> Places:
        """The texts of which a share from 0 to 1 is changed."""
        mixed = self.own.copy()
        chosen = self.made[manipulation, repeat].chosen(strength)
        mixed[chosen] = self.twins[manipulation, repeat][chosen]
        return mixed

    def layers(self) -> Iterator[Places]:
        """All texts in sets that have one of each item: the outputs, then twins while there are any."""
        ends = np.append(self.own[1:], len(self.items))
        for layer in range(int((ends - self.own).max(initial=0))):
            yield np.minimum(self.own + layer, ends - 1)

    def changed(self, manipulation: str, strength: float) -> float:
        """The share of all texts that did change, over all repeats: some have nothing to be changed."""
        own = [made for (name, _), made in self.made.items() if name == manipulation]
        count = sum(len(made.chosen(strength)) - made.unchanged(strength) for made in own)
        return count / (len(own) * len(self.own)) if len(self.own) else 0.0


def pools(items: Items, manipulations: Sequence[Manipulation], repeats: int, seed: int) -> Iterator[Pool]:
    """Pools of as many manipulations as are measured together; one where everything fits."""
    together = max(1, (MOST // max(1, len(items)) - 1) // repeats)
    for start in range(0, len(manipulations), together):
        yield pool_of(items, manipulations[start : start + together], repeats, seed)


def pool_of(items: Items, manipulations: Sequence[Manipulation], repeats: int, seed: int) -> Pool:
    examples = items.examples
    made = {
        (each.name, repeat): manipulate(
            each, items.outputs, sources=[example.source for example in examples],
            languages=[example.language for example in examples], keys=items.ids, seed=seed, repeat=repeat,
        )
        for each in manipulations
        for repeat in range(repeats)
    }  # fmt: skip
    outputs: list[str] = []
    of: list[int] = []
    own = np.empty(len(items), dtype=np.intp)
    twins = {key: np.empty(len(items), dtype=np.intp) for key in made}
    for i, text in enumerate(items.outputs):
        first = len(outputs)
        places = {text: first}  # repeats that come out alike are measured once
        own[i] = first
        for key, each in made.items():
            twin = each.changed[i]
            twins[key][i] = first if twin is None else places.setdefault(twin, first + len(places))
        outputs += places
        of += [i] * len(places)
    together = Items(tuple(outputs), tuple(examples[i] for i in of), items.system, items.notes)
    return Pool(together, own, made, twins)


class MeasuredPool:
    """Statistics of every text of a pool, and the result of any choice among them."""

    def __init__(
        self, pool: Pool, requests: Sequence[MetricRequest], executor: Executor = SERIAL, more: Result | None = None
    ) -> None:
        """`more` are numbers of the same texts that were made elsewhere, by a judge."""
        result = as_result(pool.items, measure(pool.items, requests, executor=executor))
        self.pool, self.result = pool, result if more is None else with_measurements(result, more)
        self.weighed = [self._weigh(each) for each in self.result.measurements]

    def _weigh(self, measurement: Measurement) -> Floats | None:
        """The rows of a metric with weights from all references of the set, which are the same for every choice: they
        are made once and not at every strength."""
        metric = measurement.metric
        if not isinstance(metric, CorpusWeightedMetric):
            return None
        known: Floats | None = None
        for places in self.pool.layers():
            rows = metric.summands(measurement.rows.take(places))
            if known is None:
                known = np.empty((len(self.pool.items), rows.shape[1]))
            known[places] = rows
        return known

    def take(self, places: Places) -> Result:
        taken = self.result.take(places)
        for measurement, known in zip(taken.measurements, self.weighed, strict=True):
            if known is not None and isinstance(measurement.metric, CorpusWeightedMetric):
                already_weighed(measurement.metric, measurement.rows, known[places])
        return taken


def as_result(items: Items, found: Measured) -> Result:
    return Result(
        system=items.system, index=index_of(items), measurements=tuple(found.computed),
        skipped=tuple(found.skipped), failed=tuple(found.failed), notes=items.notes,
    )  # fmt: skip


def with_measurements(result: Result, more: Result) -> Result:
    """The numbers of both, over the same texts."""
    return replace(
        result, measurements=(*result.measurements, *more.measurements), skipped=(*result.skipped, *more.skipped),
        failed=(*result.failed, *more.failed), notes=(*result.notes, *more.notes),
    )  # fmt: skip
