"""Two systems on their common items, and the row of each metric that is compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import Metric
from assay.results.comparable import check_comparability, common_items
from assay.results.comparison import Compared
from assay.results.dependence import diagnose, effective_sizes
from assay.results.margin_tests import margin_tests
from assay.results.margins import check_margins as check_ranges
from assay.results.margins import plain_margin, within_range
from assay.results.posterior import posterior
from assay.results.result import Result
from assay.results.shared_clusters import with_same_clusters
from assay.results.verdict import CRITICAL, better_side
from assay.stats.paired import Difference, items_needed

if TYPE_CHECKING:
    from assay.results.compare import CompareRequest


class Pair(NamedTuple):
    """Two systems on their common items, and the metrics that both have."""

    a: Result
    b: Result
    names: list[str]
    warnings: list[str]
    apart: dict[str, str]
    """Metrics that are not comparable, with the reason: their scores are shown, but not tested."""
    effective: Mapping[str, float]
    """Effective number of items by metric, where items depend on each other."""

    @classmethod
    def of(cls, a: Result, b: Result, request: CompareRequest, alone: bool = True) -> Pair:
        """Align two results on their common items and collect the warnings about comparing them.

        Args:
            a: A result.
            b: Another one.
            request: How they are compared.
            alone: Warn if items depend on each other; False if one warning is about all pairs.
        """
        warnings: list[str] = []
        a, b = with_same_clusters(common_items(a, b, warnings), request.cluster)
        names = [name for name in a.shown if name in b.parts]
        if not names:
            raise AssayError(f"{a.system} and {b.system} have no metric in common{_why_none(a, b)}")
        more, apart = check_comparability(a, b, names)
        warnings += [*more, *_explained(a, b, names, apart)]
        diagnosed = request.intervals and request.diagnosed
        dependent = [each for each in diagnose([a, b], material=True) if each.dependent] if diagnosed else []
        if alone:
            warnings += [each.sentence() for each in dependent[:1]]
        sizes = effective_sizes([a, b], dependent) if diagnosed else {}
        return cls(a, b, names, warnings, apart, sizes)

    @property
    def tested(self) -> list[str]:
        """The metrics that are comparable."""
        return [name for name in self.names if name not in self.apart]

    def label(self, name: str) -> str:
        """Return the display name that both share; the bare name if they differ in options."""
        return self.a.labels[name] if self.a.labels[name] == self.b.labels[name] else name


def _why_none(a: Result, b: Result) -> str:
    """Return the reasons of metrics that one of two results or both lack, and what to do."""
    lacking: dict[tuple[str, str], list[str]] = {}
    for one in (a, b):
        for each in (*one.skipped, *one.failed):
            lacking.setdefault((each.metric, each.why), []).append(one.system)
    if not lacking:
        return ". Score both with the same --metrics."
    texts = [
        f"{metric}{'' if len(systems) > 1 else f' of {systems[0]}'}: {why.rstrip('.')}"
        for (metric, why), systems in lacking.items()
    ]
    return f" ({'; '.join(texts[:3])}{' …' if len(texts) > 3 else ''}). Give what they need, or choose other --metrics."


def check_margins(request: CompareRequest, pairs: Sequence[Pair]) -> None:
    """Raise AssayError for a margin of a metric that no pair has, or that is out of range."""
    check_ranges(request.margin, [result for pair in pairs for result in (pair.a, pair.b)])
    for name in request.margin:
        if not any(name in pair.names for pair in pairs):
            known = ", ".join(pairs[0].names)
            raise AssayError(f"margin of {name}: this metric is not compared. Use one of {known}.")


def _explained(a: Result, b: Result, names: Sequence[str], apart: Mapping[str, str]) -> list[str]:
    """Return what explains the differences of comparable metrics that can say so, e.g. a brevity penalty."""
    sentences = []
    for measurement in dict.fromkeys(b.parts[name][0] for name in names if name not in apart):
        if type(measurement.metric).explained is Metric.explained:
            continue
        shared = {
            part.name: name for name, (owner, part) in b.parts.items() if owner is measurement and name in a.parts
        }
        if {part.name for part in measurement.metric.parts()} == shared.keys():
            values = ({part: result.values[name] for part, name in shared.items()} for result in (a, b))
            sentences.append(measurement.metric.explained(*values))
    return [f"{b.system} against {a.system}: {words}" for words in sentences if words]


def _scores(pair: Pair, name: str) -> tuple[float | None, float | None]:
    a, b = (float(result.values[name]) for result in (pair.a, pair.b))
    return None if np.isnan(a) else a, None if np.isnan(b) else b


def scores_only(pair: Pair, name: str, request: CompareRequest) -> Compared:
    """Return the row of a metric that is not comparable: both scores, and the reason."""
    a, b = _scores(pair, name)
    margin, why = plain_margin(request.margin, name, pair.a.parts[name][1]), pair.apart[name]
    clusters = pair.a.units if pair.a.clusters_by else None
    return Compared(
        a, b, None, None, None, None, None, pair.a.n, margin=margin, why=why, label=pair.label(name), clusters=clusters
    )


def compared_row(
    pair: Pair, name: str, row: Difference, adjusted: float, request: CompareRequest, critical: float = CRITICAL
) -> Compared:
    """Return the row of a tested metric.

    Args:
        pair: Two systems on their common items.
        name: A metric of both.
        row: Its difference with p, interval and pivot.
        adjusted: p after correction, NaN if not tested.
        request: Margins, seed, and whether posterior probabilities are computed.
        critical: Size in standard errors from which the difference is significant after correction.
    """
    measurement, part = pair.a.parts[name]
    margin = plain_margin(request.margin, name, part)
    missing = np.isnan(row.difference)
    a, b = _scores(pair, name)
    p_adjusted = None if np.isnan(adjusted) else adjusted
    needed = None
    if row.pivot is not None and not measurement.metric.sized(part) and not missing:
        needed = items_needed(row.difference, row.pivot.error, pair.a.n, critical)
    tested = margin_tests(pair.a, pair.b, name, row, margin, request.test, request.seed)
    low, high = within_range(row.low, row.high, part)
    bayes = request.bayes and row.pivot is not None  # items that allow no interval allow no posterior either
    return Compared(
        a=a,
        b=b,
        difference=None if missing else float(row.difference),
        low=low,
        high=high,
        p=row.p,
        p_adjusted=p_adjusted,
        n=pair.a.n,
        better=better_side(row.difference, p_adjusted, part.better),
        floor=row.floor,
        effect=row.effect,
        items_needed=needed,
        margin=margin,
        p_equal=tested.p_equal,
        p_not_worse=tested.p_not_worse if part.better else None,
        bounds=tested.bounds,
        margin_method=tested.method,
        chances=posterior(pair.a, pair.b, name, part.better, margin, request.seed) if bayes else None,
        why=measurement.metric.undefined(part.name) if missing else row.why,
        label=pair.label(name),
        smallest_p=None if p_adjusted is None else row.smallest_p,
        error=None if row.pivot is None else float(row.pivot.error),
        critical=None if p_adjusted is None else critical,
        clusters=pair.a.units if pair.a.clusters_by else None,
        effective_n=pair.effective.get(name, float(pair.a.n)),
    )


def without_pivots(pair: Pair) -> dict[str, Difference]:
    """Return the differences alone, where no intervals are requested."""
    return {name: Difference(pair.b.values[name] - pair.a.values[name]) for name in pair.tested}
