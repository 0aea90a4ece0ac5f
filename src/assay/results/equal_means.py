"""Two systems with equal means that keep the dependence of their items, to simulate a true null hypothesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.metrics import MetricRequest
from assay.metrics.engine.imported import Imported
from assay.results.dependence import unit_values
from assay.results.index import INDEPENDENT
from assay.results.measurement import Measurement
from assay.specs import Spec

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.result import Result


def with_equal_means(a: Result, b: Result) -> tuple[Result, Result]:
    """Return two results whose differences are those of a and b minus their mean, item by item.

    Swapping the outputs of whole clusters would not do: where one system is better, its lead would become dependence
    within clusters. Metrics of sums, such as BLEU, are replaced by the contributions of items; those without
    contributions of single items are left out.

    Raises:
        AssayError: No metric has contributions of single items.
    """
    names, values = unit_values([a.clustered(INDEPENDENT), b.clustered(INDEPENDENT)], most=None)
    if not names:
        raise AssayError("Clusters cannot be simulated: no metric has a score of single items. Use --cluster none.")
    differences = dict(zip(names, (values - values.mean(axis=0)).T, strict=True))
    return with_scores(a, {name: 0 * column for name, column in differences.items()}), with_scores(b, differences)


def with_scores(result: Result, scores: Mapping[str, Floats]) -> Result:
    """Return a result with these scores of its items, by name, instead of its metrics."""
    ids = result.index.ids
    measurements = []
    for name, column in scores.items():
        metric = Imported(column=name, digest="null")
        request = MetricRequest(Spec(metric.name, (("column", name),)), metric, None)
        rows = metric.rows_from(dict(zip(ids, column.tolist(), strict=True)), ids)
        measurements.append(Measurement(request, metric.signature("any"), rows))
    return replace(result, measurements=tuple(measurements), named_among=(), notes=())
