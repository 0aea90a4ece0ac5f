"""The outcome of one metric of a quality check, from the interval of its difference and its margin."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.results.quality_check import MetricCheck, Outcome
from assay.results.sequential import LARGEST, UNSUPPORTED, Order, sequential_units
from assay.results.verdict import LEVEL
from assay.show.numbers import counted, size
from assay.stats.confidence_sequence import confidence_sequence, evidence_above

if TYPE_CHECKING:
    from assay.results.comparison import Compared, Comparison


def gated(comparison: Comparison, name: str, apart: str | None) -> MetricCheck:
    """Return the outcome of one metric from its interval; `apart` is why it is not comparable, if so."""
    row, part = comparison[name], comparison.a.parts[name][1]
    margin, bounds = row.margin or 0.0, _bounds(row, part.better == "higher")
    if apart or row.difference is None:
        return MetricCheck(name, row, "failed", f"not comparable ({apart or row.why or 'undefined'})", bounds)
    shown = size(margin, part)
    if bounds is None:
        return MetricCheck(name, row, "undecided", f"a loss of {shown} or more cannot be excluded ({row.why})", None)
    worst, mildest = (-bounds[0], -bounds[1]) if part.better == "higher" else (bounds[1], bounds[0])
    if worst <= margin:  # bounds are values that are themselves excluded
        return MetricCheck(name, row, "passed", f"not worse by {shown} or more", bounds)
    moved, still = ("fell", "did not fall") if part.better == "higher" else ("rose", "did not rise")
    worse = f"{moved} by {size(abs(row.difference), part)}"
    if mildest >= margin:
        return MetricCheck(name, row, "failed", f"{worse}, significantly by {shown} or more", bounds)
    lost = (row.difference < 0) == (part.better == "higher") and row.difference
    what = worse if lost else still
    return MetricCheck(name, row, "undecided", f"{what}; a loss of {shown} or more cannot be excluded", bounds)


def _bounds(row: Compared, higher: bool) -> tuple[float, float] | None:
    """Return the interval of a check: the worse end holds at any number of items, so that losses do not pass; the
    better end is that of the interval of `compare` if it is tighter, so that losses that it shows do fail."""
    if row.bounds is None or row.low is None or row.high is None:
        return row.bounds
    low, high = row.bounds
    return (low, min(high, row.high)) if higher else (max(low, row.low), high)


def sequential_check(comparison: Comparison, name: str, apart: str | None, order: Order, seed: int) -> MetricCheck:
    """Return the outcome of one metric from the first look at which a loss of the margin is excluded or certain."""
    row, part = comparison[name], comparison.a.parts[name][1]
    if apart or row.difference is None:
        return MetricCheck(name, row, "failed", f"not comparable ({apart or row.why or 'undefined'})", None)
    units = sequential_units(comparison.a, comparison.b, name, order, seed)
    if units is None:
        raise UsageError(f"{name}: {UNSUPPORTED}. Check it without --sequential.")
    margin, higher = row.margin or 0.0, part.better == "higher"
    values = units.values if higher else -units.values
    fall, rise = (units.down, units.up) if higher else (units.up, units.down)
    passing = evidence_above(values, units.weights, fall, -margin)
    failing = evidence_above(-values, units.weights, rise, margin)
    first = {"passed": passing.first_above(LEVEL), "failed": failing.first_above(LEVEL)}
    reached = {outcome: place for outcome, place in first.items() if place is not None}
    when = min(reached.values(), default=None)
    outcome: Outcome = "undecided"
    if when is not None:
        outcome = "passed" if first["passed"] == when else "failed"
    looks = len(values)
    shown, seen = size(margin, part), counted(looks, "cluster" if comparison.a.clusters_by else "item")
    words = {
        "passed": f"not worse by {shown} or more, decided after {when} of {seen}",
        "failed": f"worse by {shown} or more, decided after {when} of {seen}",
        "undecided": f"a loss of {shown} or more cannot be excluded after {seen}",
    }
    last = (when or looks) - 1
    details: dict[str, object] = {
        "method": "confidence sequence",
        "e_value": exp(min(float(passing.log_capital[last]), LARGEST)),
        "decision": outcome,
        "looks": looks,
        "decided_after": when,
    }
    bounds = confidence_sequence(units.values, units.weights, units.down, units.up, LEVEL)
    return MetricCheck(name, row, outcome, words[outcome], bounds, details)
