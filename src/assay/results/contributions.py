"""What each independent unit (an item, or a cluster of items) contributes to a number: seen by leaving it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assay.stats.pivot import left_out
from assay.stats.resample import whole

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.measurement import Measurement
    from assay.results.result import Result

GROUPS = 50
"""Units are left out in at most so many groups where every time the whole value is computed anew."""


def unit_sums(result: Result, measurement: Measurement) -> Floats | None:
    """What is summed to get the value, one row a unit; None for metrics that are not made from sums."""
    rows = measurement.metric.summands(measurement.rows)
    if rows is None or result.codes is None:
        return rows
    order = np.argsort(result.codes, kind="stable")
    starts = np.flatnonzero(np.diff(result.codes[order], prepend=-1))
    return np.asarray(np.add.reduceat(rows[order], starts, axis=0))


def contributions_to(result: Result) -> dict[str, Floats]:
    """By the number's name; numbers that leaving out a unit makes undefined are not there."""
    by_part = {id(measurement): contributions(result, measurement) for measurement in result.measurements}
    found = {
        name: by_part[id(measurement)][part.name]
        for name, (measurement, part) in result.parts.items()
        if part.name in by_part[id(measurement)]
    }
    return {name: units for name, units in found.items() if np.isfinite(units).all()}


def contributions(result: Result, measurement: Measurement) -> dict[str, Floats]:
    """By part: one value a unit (or group of units), whose mean is the number; nothing for metrics of words, in which a
    unit's share depends on how many others there are."""
    metric = measurement.metric
    sums = unit_sums(result, measurement)
    if sums is not None:
        total = sums.sum(axis=0, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):  # nothing is left where the only unit is left out
            values = metric.values(np.vstack([total, total - sums]))  # over all units, then without each
        found = np.array(list(values.values()))
        return dict(zip(values, left_out(found[:, 0], found[:, 1:]), strict=True))
    if not metric.interdependent:
        return {}
    number, group_of = unit_groups(result)
    every = metric.fold(measurement.rows, whole(result.n))
    left: dict[str, list[float]] = {part: [] for part in every}
    for group in range(number):
        kept = np.flatnonzero(group_of != group).astype(np.intp)
        for part, value in metric.fold(measurement.rows.take(kept), whole(len(kept))).items():
            left[part].append(float(value[0]))
    return {part: left_out(every[part][0], np.array(values)) for part, values in left.items()}


def unit_groups(result: Result) -> tuple[int, NDArray[np.int64]]:
    """How many groups of units there are, and the group of every item: the same for all systems on these items."""
    units = result.units
    number = min(units, GROUPS)
    of_units = np.random.default_rng(units).permutation(units) % number if units > number else np.arange(units)
    return number, of_units if result.codes is None else of_units[result.codes]
