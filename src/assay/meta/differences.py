"""Which metric follows people better than which, by swapping their scores: every pair, at every level."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.meta.correlate import Question, control_codes
from assay.meta.directions import Direction
from assay.meta.resampling import resampling
from assay.meta.williams import Matrix, matrices, metric_directions
from assay.stats.metric_difference import MetricDifference, Spread, inflation, metric_permutation_test, spread
from assay.stats.partial import fitted_groups, residuals
from assay.stats.validation import UndefinedStatistic, group_codes

if TYPE_CHECKING:
    import polars

    from assay.meta.frames import Joined
    from assay.stats.correlation import Method


SURE = 0.05


class Kept(dict[tuple[str, str, bytes], Spread]):
    """How a metric's correlation spreads, by metric, method and rows: a metric has many pairs."""


class Differences(NamedTuple):
    """For every method the pairs with their difference, p, and p after Holm's correction."""

    pairs: dict[str, dict[str, dict[str, dict[str, Any]]]]
    directions: dict[str, Direction]
    swapped: str
    tests: int
    warnings: list[str]


def pairwise_differences(data: Joined, question: Question) -> Differences:
    """Swap tests of every two metrics on their common rows, corrected over the pairs of each method."""
    known = data.frame.drop_nulls(question.human)
    warnings = [] if len(data.metrics) > 1 else ["comparing metrics needs at least two of them"]
    turned = metric_directions(known, data.metrics, question, warnings)
    pairs: dict[str, dict[str, dict[str, dict[str, Any]]]] = {}
    tests = 0
    rows, kept = known.with_row_index("_row"), Kept()
    for method in question.methods:
        gaps: Matrix = {name: {} for name in data.metrics}
        tested: dict[tuple[str, str], float | None] = {}
        smallest = (question.permutations, 0.0)
        for a, b in combinations(data.metrics, 2):
            try:
                found = _test(rows.drop_nulls([a, b]), a, b, method, question, turned, kept)
                gaps[a][b], gaps[b][a], tested[a, b] = found.difference, -found.difference, found.p
                smallest = (found.permutations, 2 / found.permutations if found.exact else 1 / (found.permutations + 1))
            except UndefinedStatistic as why:
                gaps[a][b] = gaps[b][a] = tested[a, b] = None
                warnings.append(f"{a} - {b}, {method}: {why}")
        p, adjusted = matrices(data.metrics, tested)
        warnings += _floor(smallest, tested)
        tests = max(tests, sum(value is not None for value in tested.values()))
        pairs[method] = {
            a: {
                b: {"difference": gaps[a][b], "p": p[a][b], "p_adjusted": adjusted[a][b]}
                for b in data.metrics
                if b != a
            }
            for a in data.metrics
        }
    return Differences(pairs, turned, resampling(known, question).swapped(), tests, warnings)


def _floor(smallest: tuple[int, float], tested: dict[tuple[str, str], float | None]) -> list[str]:
    """No p can be smaller than one swap's share, and Holm's correction multiplies it by the number of pairs."""
    swaps, least = smallest
    pairs = sum(p is not None for p in tested.values())
    if least * pairs < SURE:
        return []
    many = f"{swaps:,} swaps cannot give {pairs} pairs a p below {SURE:g} after correction".replace("0.", ".")
    return [f"{many}; use --permutations {math.ceil(10 * pairs / SURE)}, more systems, or fewer metrics"]


def _test(
    rows: polars.DataFrame, a: str, b: str, method: Method, question: Question, turned: dict[str, Direction], kept: Kept
) -> MetricDifference:
    """One pair on the rows they share; a metric that is better when lower is turned before it is swapped."""
    if len(rows) < 4:
        raise UndefinedStatistic(f"swapping needs at least 4 common rows, there are {len(rows)}")
    controls = control_codes(rows, question.controls)
    how = resampling(rows, question, group_codes(*controls) if controls else None)
    columns = {name: rows[name].to_numpy().astype(float) for name in (a, b, question.human)}
    people = columns[question.human]
    first, second = (turned[name].sign * columns[name] for name in (a, b))
    wider = 1.0
    if how.unit == "both":
        mask = rows["_row"].to_numpy().tobytes()
        for name, column in ((a, first), (b, second)):
            if (name, method, mask) not in kept:
                kept[name, method, mask] = spread(column, people, how.table, question.level, method, question.seed)
        wider = inflation(kept[a, method, mask], kept[b, method, mask])
    left = [residuals(column, *controls) if controls else column for column in (first, second, people)]
    return metric_permutation_test(
        left[0], left[1], left[2], how.table, question.level, method, how.unit, question.permutations, question.seed,
        fitted_groups(*controls) if controls else 0, wider,
    )  # fmt: skip
