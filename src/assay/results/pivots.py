"""Pivots of differences, from which confidence intervals are computed, for many pairs of systems at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.results.contributions import unit_sums
from assay.stats.interval import few_changed, too_alike, too_few
from assay.stats.pair_pivots import studentized_pairs
from assay.stats.paired import Difference
from assay.stats.pivot import Pivot, pivot_of_resamples, standardised, studentized
from assay.stats.resample import Resamples, bootstrap
from assay.stats.stacked_columns import MANY_UNITS

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.measurement import Measurement
    from assay.results.result import Result

RESAMPLES = 1000
"""Default number of bootstrap resamples for confidence intervals of differences."""
Key = tuple[int, str]
"""The position of a pair, and a metric."""
PairMetrics = tuple["Result", "Result", list[str]]
"""Two systems, and the metrics that are compared."""


def pivots_of(pairs: Sequence[PairMetrics], samples: int, seed: int) -> list[dict[str, Difference]]:
    """Return, for every pair, the differences b - a with their pivots; all use the same bootstrap resamples."""
    apart = {
        (place, name): (a.contributions[name], b.contributions[name])
        for place, (a, b, names) in enumerate(pairs)
        for name in names
        if name in a.contributions and name in b.contributions
    }
    pivots: dict[Key, Pivot | None] = {}
    for units in dict.fromkeys(len(each[0]) for each in apart.values()):
        alike = {key: each for key, each in apart.items() if len(each[0]) == units}
        pivots |= _of_contributions(alike, units, bootstrap(units, samples, seed))
    differences = []
    for place, (a, b, names) in enumerate(pairs):
        rows = {}
        for name in names:
            key, difference = (place, name), b.values[name] - a.values[name]
            if key not in apart and not a.parts[name][0].metric.interdependent:
                pivots[key] = _from_words(a, b, name, samples, seed)
            by_item = _difference(apart[key]) if key in apart else None
            why = no_interval(a, name, by_item, pivots.get(key) is not None) or _few_changed(a, b, name)
            effect = None if by_item is None else standardised(by_item)
            rows[name] = Difference(difference, pivot=None if why else pivots[key], effect=effect, why=why)
        differences.append(rows)
    return differences


def _difference(two: tuple[Floats, Floats]) -> Floats:
    return two[1] - two[0]


def _of_contributions(
    apart: Mapping[Key, tuple[Floats, Floats]], units: int, blocks: Iterable[Resamples]
) -> dict[Key, Pivot | None]:
    """Return pivots from the contributions of items; for very many items, differences are not kept in memory."""
    if units < MANY_UNITS:
        columns = np.column_stack([_difference(two) for two in apart.values()])
        pivots = studentized(columns, (each.weights for each in blocks))
    else:
        distinct = {id(column): column for two in apart.values() for column in two}
        places = {key: place for place, key in enumerate(distinct)}
        wanted = [(places[id(a)], places[id(b)]) for a, b in apart.values()]
        pivots = studentized_pairs(list(distinct.values()), wanted, blocks)
    return dict(zip(apart, pivots, strict=True))


def _from_words(a: Result, b: Result, name: str, samples: int, seed: int) -> Pivot | None:
    """Return the pivot of a metric over words, from the same resamples of both systems."""
    measurement = a.parts[name][0]
    if measurement.metric.summands(measurement.rows) is not None:
        return None
    resampled = [result.resampled(samples, seed)[name] for result in (a, b)]
    return pivot_of_resamples(b.values[name] - a.values[name], resampled[1] - resampled[0])


def _few_changed(a: Result, b: Result, name: str) -> str | None:
    """Return why there is no interval if the statistics of too few items differ: the same rule for every metric.

    Contributions to a metric of sums, such as BLEU, vary even for items with the same outputs. For metrics over words
    it is the largest number of items that differ on any metric of sums, if there is one.
    """
    own = (a.parts[name][0], b.parts[name][0])
    if own[0].metric.summands(own[0].rows) is not None:
        return few_changed(_changed(a, b, *own), a.units)
    others = {other.signature: other for other in b.measurements}
    counts = [
        _changed(a, b, each, others[each.signature])
        for each in a.measurements
        if each.signature in others and each.metric.summands(each.rows) is not None
    ]
    return few_changed(max(counts), a.units) if counts else None


def _changed(a: Result, b: Result, mine: Measurement, theirs: Measurement) -> int:
    """Return the number of items or clusters whose statistics differ."""
    first, second = unit_sums(a, mine), unit_sums(b, theirs)
    if first is None or second is None or first.shape != second.shape:
        return a.units
    return int(np.count_nonzero((first != second).any(axis=1)))


def no_interval(a: Result, name: str, apart: Floats | None, varies: bool) -> str | None:
    """Return why there is no interval: too few items, too many equal ones, or no variation. None if there is one."""
    what = "clusters" if a.clusters_by else "items"
    why = too_few(a.units, a.parts[name][0].metric.fewest, what)
    if why is None and apart is not None:
        same = f"no interval: all {len(apart)} differences are 0"
        why = too_alike(apart) if len(apart) and apart.any() else same
    return why or (None if varies else "no interval: the values do not vary")
