"""Every number of two systems: how far apart, how sure, and between which bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.results.index import cluster_keys
from assay.results.permutation import Swapped, swap_systems
from assay.results.pivots import RESAMPLES, no_interval
from assay.results.two_way import METHOD, no_two_way, two_way_error
from assay.results.verdict import LEVEL
from assay.stats.paired import Difference, agreeing, permutation_p
from assay.stats.paired_tests import TESTS
from assay.stats.pivot import StudentPivot, standardised
from assay.stats.resample import is_exhaustive
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.result import Result


@dataclass(frozen=True)
class Differences:
    """What came of testing two systems."""

    rows: dict[str, Difference]
    method: str
    """The test in words."""


def differences(
    a: Result,
    b: Result,
    rows: dict[str, Difference],
    test: str,
    samples: int | None,
    swapped: dict[str, Swapped],
) -> Differences:
    """Of each number the difference b - a, its p and its interval, both by one procedure: the interval leaves zero out
    exactly where p is below the level. `rows` have what intervals are read from (`pivots_of`); `swapped` is what swaps
    say, where they are the test."""
    if len(a.kinds) > 1:
        return _two_way(a, b, list(rows))
    needs = TESTS[test].needs
    if needs == "permutations":
        found, method = _permuted(a, rows, swapped)
    elif needs == "resamples":
        found, method = (
            {name: _by_bootstrap(row) for name, row in rows.items()},
            f"paired bootstrap-t, {samples or RESAMPLES} resamples",
        )
    elif needs == "contributions":
        found, method = {name: _by_t(a, b, name, row) for name, row in rows.items()}, "paired t"
    else:
        found, method = _by_values(a, b, rows, test)
    if a.cluster:
        method += f", by {a.cluster} ({a.units} clusters)"
    return Differences(found, method)


def _two_way(a: Result, b: Result, names: list[str]) -> Differences:
    """p and interval by Student's t, where items may be alike in two ways that cross."""
    rows = {}
    for name in names:
        row = Difference(b.values[name] - a.values[name], why=no_two_way(a, name) or no_two_way(b, name))
        rows[name] = row if row.why else _by_two_way(a, name, row, b.contributions[name] - a.contributions[name])
    kinds = " and ".join(
        f"{key} ({int(codes.max()) + 1})" for key, codes in zip(cluster_keys(a.cluster), a.kinds, strict=True)
    )
    return Differences(rows, f"{METHOD}, {kinds}")


def _by_two_way(a: Result, name: str, row: Difference, apart: Floats) -> Difference:
    error = two_way_error(a, apart)
    try:
        p = error.p(row.difference)
    except UndefinedStatistic as reason:
        return row._replace(why=f"no t test: {reason}; name one kind of clusters")
    row = row._replace(p=p, effect=standardised(apart), why=no_interval(a, name, apart, True))
    return row.between(None if row.why else error.interval(row.difference))


def swaps_of(
    pairs: Sequence[tuple[Result, Result, dict[str, Difference]]],
    test: str,
    samples: int | None,
    most: int,
    seed: int,
) -> list[dict[str, Swapped]]:
    """What swaps say of every pair; nothing where another test is asked for, or items are alike in two ways."""
    if TESTS[test].needs != "permutations" or any(len(a.kinds) > 1 for a, _, _ in pairs):
        return [{} for _ in pairs]
    asking = [(a, b, [name for name, row in rows.items() if not np.isnan(row.difference)]) for a, b, rows in pairs]
    return swap_systems(asking, samples, most, seed)


def _permuted(a: Result, rows: dict[str, Difference], swapped: dict[str, Swapped]) -> tuple[dict[str, Difference], str]:
    """p from swapped items; the interval by the bootstrap-t, with zero judged by the swaps."""
    found = dict(rows)
    for name, (extreme, drawn, exact) in swapped.items():
        if drawn:
            p = permutation_p(extreme, drawn, exact=exact)
            row = rows[name]._replace(p=p, floor=not extreme and not exact)
            ends = row.pivot.interval(1 - LEVEL) if row.pivot else None
            found[name] = row.between(ends and agreeing(ends, p, LEVEL))
    counts = [each.drawn for each in swapped.values()] or [0]
    if is_exhaustive(a.units):
        return found, f"paired permutation, all {2**a.units} swaps"
    few, many = min(counts), max(counts)
    return found, f"paired permutation, {few:,}{f' to {many:,}' if many > few else ''} random swaps"


def _by_bootstrap(row: Difference) -> Difference:
    if row.pivot is None:
        return row._replace(p=1.0) if row.difference == 0 else row
    return row._replace(p=row.pivot.p_of(0.0)).between(row.pivot.interval(1 - LEVEL))


def _by_t(a: Result, b: Result, name: str, row: Difference) -> Difference:
    """Student's t on what the items contribute: for a mean that is the classical test."""
    if name not in a.contributions or name not in b.contributions:
        return row._replace(pivot=None, why="no t test: it has no value for a single item; use permutation")
    apart = b.contributions[name] - a.contributions[name]
    if row.effect is None:  # but for rounding
        return row._replace(why="no t test: all items differ by the same, so t has no value; use permutation")
    pivot = StudentPivot.of(row.difference, float(apart.std(ddof=1)) / len(apart) ** 0.5, len(apart) - 1)
    tested = row._replace(p=pivot.p_of(0.0), pivot=None if row.why else pivot)
    return tested.between(None if row.why else pivot.interval(1 - LEVEL))


def _by_values(a: Result, b: Result, rows: dict[str, Difference], test: str) -> tuple[dict[str, Difference], str]:
    """p from the order of the values of single items, which says nothing of the bounds of a mean."""
    found: dict[str, Difference] = {}
    methods: dict[str, None] = {}
    for name, row in rows.items():
        try:
            if name not in a.per_example.columns:
                raise UndefinedStatistic("it has no value for a single item; use permutation")
            columns = (result.per_example[name].to_numpy() for result in (b, a))
            done = TESTS[test].run(*columns)
            found[name] = row._replace(p=done.p)
            methods[done.method] = None
        except UndefinedStatistic as reason:
            found[name] = row._replace(p=None, why=f"no {test} test: {reason}")
    return found, " / ".join(methods) or test
