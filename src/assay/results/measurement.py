"""Statistics of one metric over all items, or the reason why there are none."""

from __future__ import annotations

from dataclasses import dataclass

from assay.metrics import Metric, MetricRequest
from assay.metrics.statistics import Rows


@dataclass(frozen=True, eq=False)
class Measurement:
    """One metric's statistics over all items."""

    request: MetricRequest
    signature: str
    rows: Rows
    reused: bool = False

    @property
    def metric(self) -> Metric:
        return self.request.metric


@dataclass(frozen=True)
class Missing:
    """A metric without numbers, and why."""

    metric: str
    why: str
