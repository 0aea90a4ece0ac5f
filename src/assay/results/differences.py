"""The difference of two systems on every metric, with p and confidence interval by one of five tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.results.index import cluster_keys
from assay.results.permutation import PermutationCount, permute_systems
from assay.results.pivots import RESAMPLES, no_interval
from assay.results.skewed_differences import skewness_p
from assay.results.two_way_clusters import METHOD, no_two_way, two_way_error
from assay.results.verdict import LEVEL
from assay.stats.paired import Difference, permutation_p, reconcile_interval
from assay.stats.paired_tests import TESTS
from assay.stats.pivot import StudentPivot, standardised
from assay.stats.resample import is_exhaustive
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.result import Result

PERMUTATION_TEST = "paired permutation test"


@dataclass(frozen=True)
class Differences:
    """The tested differences of two systems."""

    rows: dict[str, Difference]
    method: str
    """Name of the test, with its number of permutations or resamples."""


def differences(
    a: Result,
    b: Result,
    rows: dict[str, Difference],
    test: str,
    samples: int | None,
    permuted: dict[str, PermutationCount],
    seed: int = 0,
) -> Differences:
    """Return the differences b - a with p and confidence interval.

    p and interval agree: the interval excludes zero exactly if p is below the level.

    Args:
        a: A result.
        b: Another one on the same items.
        rows: Differences by metric, with the pivots of their intervals (`pivots_of`).
        test: The test.
        samples: Number of bootstrap resamples (default: 1000), or of what a test of values draws (default: its own).
        permuted: Counts of random permutations by metric, for the permutation test.
        seed: Random seed of a test of values.
    """
    if len(a.kinds) > 1:
        return _two_way(a, b, list(rows))
    needs = TESTS[test].needs
    if needs == "permutations":
        tested, method = _by_permutation(a, b, rows, permuted)
    elif needs == "resamples":
        tested = {name: _by_bootstrap(row) for name, row in rows.items()}
        method = f"paired bootstrap-t test, {samples or RESAMPLES:,} bootstrap resamples"
    elif needs == "contributions":
        tested, method = {name: _by_t(a, b, name, row) for name, row in rows.items()}, "paired t test"
    else:
        tested, method = _by_values(a, b, rows, test, samples, seed)
    if a.clusters_by:
        method += f", clustered by {a.clusters_by} ({a.units} clusters)"
    return Differences(tested, method)


def _two_way(a: Result, b: Result, names: list[str]) -> Differences:
    """Return p and interval by Student's t with two-way cluster-robust standard errors."""
    rows = {}
    for name in names:
        row = Difference(b.values[name] - a.values[name], why=no_two_way(a, name) or no_two_way(b, name))
        rows[name] = row if row.why else _by_two_way(a, name, row, b.contributions[name] - a.contributions[name])
    kinds = " and ".join(
        f"{key} ({int(codes.max()) + 1})" for key, codes in zip(cluster_keys(a.clusters_by), a.kinds, strict=True)
    )
    return Differences(rows, f"{METHOD}, {kinds}")


def _by_two_way(a: Result, name: str, row: Difference, apart: Floats) -> Difference:
    error = two_way_error(a, apart)
    try:
        p = error.p(row.difference)
    except UndefinedStatistic as reason:
        return row._replace(why=f"no t test: {reason}. Use one cluster field.")
    row = row._replace(p=p, effect=standardised(apart), why=no_interval(a, name, apart, True))
    return row.between(None if row.why else error.interval(row.difference))


def permutations_of(
    pairs: Sequence[tuple[Result, Result, dict[str, Difference]]],
    test: str,
    samples: int | None,
    most: int,
    seed: int,
) -> list[dict[str, PermutationCount]]:
    """Return the permutation counts of every pair; empty for other tests and for two cluster fields."""
    if TESTS[test].needs != "permutations" or any(len(a.kinds) > 1 for a, _, _ in pairs):
        return [{} for _ in pairs]
    tasks = [(a, b, [name for name, row in rows.items() if not np.isnan(row.difference)]) for a, b, rows in pairs]
    return permute_systems(tasks, samples, most, seed)


def _by_permutation(
    a: Result, b: Result, rows: dict[str, Difference], permuted: dict[str, PermutationCount]
) -> tuple[dict[str, Difference], str]:
    """Return p from permutations, and the interval by the bootstrap-t, adjusted at zero to agree with p.

    For skewed differences p is at least that of a test which corrects for skewness.
    """
    tested = dict(rows)
    for name, (extreme, drawn, exact, largest) in permuted.items():
        if drawn:
            p = permutation_p(extreme, drawn, exact=exact)
            best = min(p, largest / (drawn + (not exact)))
            skewed = skewness_p(a, b, name) or 0.0
            row = rows[name]._replace(p=max(p, skewed), floor=p > skewed and not extreme and not exact, smallest_p=best)
            ends = row.pivot.interval(1 - LEVEL) if row.pivot else None
            tested[name] = row.between(ends and reconcile_interval(ends, max(p, skewed), LEVEL))
    counts = [each.drawn for each in permuted.values()] or [0]
    if is_exhaustive(a.units):
        return tested, f"{PERMUTATION_TEST}, all {2**a.units:,} permutations"
    few, many = min(counts), max(counts)
    return tested, f"{PERMUTATION_TEST}, {few:,}{f' to {many:,}' if many > few else ''} random permutations"


def _by_bootstrap(row: Difference) -> Difference:
    if row.pivot is None:
        return row._replace(p=1.0) if row.difference == 0 else row
    return row._replace(p=row.pivot.p_of(0.0)).between(row.pivot.interval(1 - LEVEL))


def _by_t(a: Result, b: Result, name: str, row: Difference) -> Difference:
    """Apply Student's t to the contributions of items; for a mean this is the classical paired t test."""
    if name not in a.contributions or name not in b.contributions:
        return row._replace(pivot=None, why="no t test: no score of single items. Use --test permutation.")
    apart = b.contributions[name] - a.contributions[name]
    if row.effect is None:  # up to rounding
        return row._replace(why="no t test: all items have the same difference. Use --test permutation.")
    pivot = StudentPivot.of(row.difference, float(apart.std(ddof=1)) / len(apart) ** 0.5, len(apart) - 1)
    tested = row._replace(p=pivot.p_of(0.0), pivot=None if row.why else pivot)
    return tested.between(None if row.why else pivot.interval(1 - LEVEL))


def _by_values(
    a: Result, b: Result, rows: dict[str, Difference], test: str, samples: int | None, seed: int
) -> tuple[dict[str, Difference], str]:
    """Return p of a test on the scores of items, e.g. a rank test; it gives no interval of the mean difference."""
    tested: dict[str, Difference] = {}
    methods: dict[str, None] = {}
    for name, row in rows.items():
        try:
            if name not in a.per_example.columns:
                raise UndefinedStatistic("no score of single items. Use --test permutation.")
            tested_system, other = (result.per_example[name].to_numpy() for result in (b, a))
            done = TESTS[test].run(tested_system, other, seed, samples)
            tested[name] = row._replace(p=done.p, smallest_p=done.smallest_p)
            methods[done.method] = None
        except UndefinedStatistic as reason:
            tested[name] = row._replace(p=None, why=f"no {test} test: {reason}")
    return tested, " / ".join(methods) or test
