"""The outputs of a system with all their manipulated versions, each text measured once.

A manipulation of a text does not depend on the strength, so every strength is a selection of measured rows.
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
    """Outputs and their manipulated versions. Texts of an item are adjacent, so that references are read once."""

    items: Items
    own: Places
    """Position of the output of each item."""
    made: dict[tuple[str, int], Manipulated]
    """Manipulated texts by manipulation and repeat."""
    twins: dict[tuple[str, int], Places]
    """Position of the manipulated text of each item; of its output if there is none."""

    def mixture(self, manipulation: str, repeat: int, strength: float) -> Places:
        """Return the positions of texts of which a share (0 to 1) is manipulated."""
        mixed = self.own.copy()
        chosen = self.made[manipulation, repeat].chosen(strength)
        mixed[chosen] = self.twins[manipulation, repeat][chosen]
        return mixed

    def layers(self) -> Iterator[Places]:
        """Yield all texts in layers with one text of each item."""
        ends = np.append(self.own[1:], len(self.items))
        for layer in range(int((ends - self.own).max(initial=0))):
            yield np.minimum(self.own + layer, ends - 1)

    def changed(self, manipulation: str, strength: float) -> float:
        """Return the share of texts that changed, over all repeats; some texts have nothing to change."""
        own = [made for (name, _), made in self.made.items() if name == manipulation]
        count = sum(len(made.chosen(strength)) - made.unchanged(strength) for made in own)
        return count / (len(own) * len(self.own)) if len(self.own) else 0.0


def pools(items: Items, manipulations: Sequence[Manipulation], repeats: int, seed: int) -> Iterator[Pool]:
    """Yield pools of as many manipulations as fit into one measurement."""
    together = max(1, (MOST // max(1, len(items)) - 1) // repeats)
    for start in range(0, len(manipulations), together):
        yield pool_of(items, manipulations[start : start + together], repeats, seed)


def pool_of(items: Items, manipulations: Sequence[Manipulation], repeats: int, seed: int) -> Pool:
    """Return the pool of some manipulations."""
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
        places = {text: first}  # equal texts are measured once
        own[i] = first
        for key, each in made.items():
            twin = each.changed[i]
            twins[key][i] = first if twin is None else places.setdefault(twin, first + len(places))
        outputs += places
        of += [i] * len(places)
    together = Items(tuple(outputs), tuple(examples[i] for i in of), items.system, items.notes)
    return Pool(together, own, made, twins)


class MeasuredPool:
    """The statistics of every text of a pool, from which results of selections are computed."""

    def __init__(
        self, pool: Pool, requests: Sequence[MetricRequest], executor: Executor = SERIAL, more: Result | None = None
    ) -> None:
        """Measure a pool.

        Args:
            pool: Outputs and manipulated texts.
            requests: Metrics.
            executor: Runs the metrics.
            more: Scores of the same texts from elsewhere, e.g. from a judge.
        """
        result = as_result(pool.items, measure(pool.items, requests, executor=executor))
        self.pool, self.result = pool, result if more is None else with_measurements(result, more)
        self.weighed = [self._weigh(each) for each in self.result.measurements]

    def _weigh(self, measurement: Measurement) -> Floats | None:
        """Return the rows of a metric weighted by all references; they are the same for every selection."""
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
        """Return the result of a selection of texts."""
        taken = self.result.take(places)
        for measurement, known in zip(taken.measurements, self.weighed, strict=True):
            if known is not None and isinstance(measurement.metric, CorpusWeightedMetric):
                already_weighed(measurement.metric, measurement.rows, known[places])
        return taken


def as_result(items: Items, measured: Measured) -> Result:
    """Return measurements as a result."""
    return Result(
        system=items.system, index=index_of(items), measurements=tuple(measured.computed),
        skipped=tuple(measured.skipped), failed=tuple(measured.failed), notes=items.notes,
    )  # fmt: skip


def with_measurements(result: Result, more: Result) -> Result:
    """Return the scores of both results, over the same texts."""
    return replace(
        result, measurements=(*result.measurements, *more.measurements), skipped=(*result.skipped, *more.skipped),
        failed=(*result.failed, *more.failed), notes=(*result.notes, *more.notes),
    )  # fmt: skip
