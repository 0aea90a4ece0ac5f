"""Contributions of independent units (items or clusters) to a score, by leaving each out (jackknife)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assay.stats.pivot import jackknife_values
from assay.stats.resample import all_items

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.measurement import Measurement
    from assay.results.result import Result

DOMINANT = 2 / 3
"""Share of the variance of a score from which a single item or cluster is warned of."""
GROUPS = 50
"""Maximum number of groups of units to leave out, for metrics that must be computed again each time."""


def unit_sums(result: Result, measurement: Measurement) -> Floats | None:
    """Return the summed statistics, one row per unit; None for metrics that are not computed from sums."""
    rows = measurement.metric.summands(measurement.rows)
    return None if rows is None else sums_by_unit(rows, result.codes)


def sums_by_unit(rows: Floats, codes: NDArray[np.int64] | None) -> Floats:
    """Return the sums of the rows of each cluster; the rows themselves without clusters."""
    if codes is None:
        return rows
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.asarray(np.add.reduceat(rows[order], starts, axis=0))


def contributions_to(result: Result) -> dict[str, Floats]:
    """Return contributions by metric, without metrics that become undefined if a unit is left out."""
    by_part = {id(measurement): contributions(result, measurement) for measurement in result.measurements}
    by_name = {
        name: by_part[id(measurement)][part.name]
        for name, (measurement, part) in result.parts.items()
        if part.name in by_part[id(measurement)]
    }
    return {name: units for name, units in by_name.items() if np.isfinite(units).all()}


def contributions(result: Result, measurement: Measurement) -> dict[str, Floats]:
    """Return contributions by part of a metric: one value per unit or group of units, whose mean is the score.

    Empty for metrics over words, where the share of a unit depends on the number of others.
    """
    metric = measurement.metric
    sums = unit_sums(result, measurement)
    if sums is not None:
        total = sums.sum(axis=0, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):  # a single unit leaves an empty sum
            values = metric.values(np.vstack([total, total - sums]))  # over all units, then without each
        table = np.array(list(values.values()))
        return dict(zip(values, jackknife_values(table[:, 0], table[:, 1:]), strict=True))
    if not metric.interdependent:
        return {}
    number, group_of = unit_groups(result)
    every = metric.fold(measurement.rows, all_items(result.n))
    left: dict[str, list[float]] = {part: [] for part in every}
    for group in range(number):
        kept = np.flatnonzero(group_of != group).astype(np.intp)
        for part, value in metric.fold(measurement.rows.take(kept), all_items(len(kept))).items():
            left[part].append(float(value[0]))
    return {part: jackknife_values(every[part][0], np.array(values)) for part, values in left.items()}


def unit_groups(result: Result) -> tuple[int, NDArray[np.int64]]:
    """Return the number of groups of units, and the group of every item: the same for all systems on these items."""
    units = result.units
    number = min(units, GROUPS)
    of_units = np.random.default_rng(units).permutation(units) % number if units > number else np.arange(units)
    return number, of_units if result.codes is None else of_units[result.codes]


def dominant_units(result: Result) -> list[str]:
    """Return a warning if one item or cluster makes up most of the variance of a score that has an interval."""
    dominated: dict[int, list[str]] = {}
    for name in (name for name in result.shown if name in result.contributions and result.no_interval(name) is None):
        squares = (result.contributions[name] - result.contributions[name].mean()) ** 2
        place, total = int(squares.argmax()), float(squares.sum())
        if len(squares) == result.units and squares[place] > DOMINANT * total:
            dominated.setdefault(place, []).append(f"{name} ({100 * float(squares[place]) / total:.0f} %)")
    warnings = []
    for place, names in dominated.items():
        item = place if result.codes is None else int(np.flatnonzero(result.codes == place)[0])
        what = "items" if result.codes is None else "clusters"
        which = f"{'' if result.codes is None else 'that of '}{result.index.ids[item]}"
        warnings.append(
            f"One of {result.units} {what} ({which}) makes up most of the variance of {', '.join(names)}: the "
            "interval depends on how frequent such outputs are, and a sample without one would not show it."
        )
    return warnings
