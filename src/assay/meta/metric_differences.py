"""Permutation tests of the difference of two metrics in their correlation with human scores, for every pair."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from assay.meta.correlate import CorrelateRequest, control_codes
from assay.meta.directions import Direction
from assay.meta.resampling import resampling
from assay.meta.williams import matrices, metric_directions
from assay.stats.metric_difference import MetricDifference, Spread, inflation, metric_permutation_test, spread
from assay.stats.partial import fitted_groups, residuals
from assay.stats.validation import UndefinedStatistic, group_codes

if TYPE_CHECKING:
    import polars

    from assay.meta.correlation_records import Differences, Matrix
    from assay.meta.joined_scores import JoinedScores
    from assay.stats.correlation import Method


LEVEL = 0.05


class SpreadCache(dict[tuple[str, str, bytes], Spread]):
    """The spread of the correlation of a metric, by metric, method and rows; metrics are in many pairs."""


class PairDifferences(NamedTuple):
    """For every method and pair: difference, p, and p after Holm correction."""

    pairs: Differences
    directions: dict[str, Direction]
    swapped: str
    tests: int
    warnings: list[str]


def pairwise_differences(data: JoinedScores, request: CorrelateRequest) -> PairDifferences:
    """Test every pair of metrics on their common rows, with Holm correction over the pairs of each method."""
    known = data.frame.drop_nulls(request.human)
    warnings = [] if len(data.metrics) > 1 else ["Comparing metrics requires at least two metrics."]
    directions = metric_directions(known, data.metrics, request, warnings)
    pairs: Differences = {}
    tests = 0
    rows, cache = known.with_row_index("_row"), SpreadCache()
    for method in request.methods:
        differences: Matrix = {name: {} for name in data.metrics}
        tested: dict[tuple[str, str], float | None] = {}
        smallest = (request.permutations, 0.0)
        for a, b in combinations(data.metrics, 2):
            try:
                test = _test(rows.drop_nulls([a, b]), a, b, method, request, directions, cache)
                differences[a][b], differences[b][a], tested[a, b] = test.difference, -test.difference, test.p
                smallest = (test.permutations, 2 / test.permutations if test.exact else 1 / (test.permutations + 1))
            except UndefinedStatistic as why:
                differences[a][b] = differences[b][a] = tested[a, b] = None
                warnings.append(f"{a} - {b}, {method}: {why}")
        p, adjusted = matrices(data.metrics, tested)
        warnings += _too_few_permutations(smallest, tested)
        tests = max(tests, sum(value is not None for value in tested.values()))
        pairs[method] = {
            a: {
                b: {"difference": differences[a][b], "p": p[a][b], "p_adjusted": adjusted[a][b]}
                for b in data.metrics
                if b != a
            }
            for a in data.metrics
        }
    return PairDifferences(pairs, directions, resampling(known, request).swapped(), tests, warnings)


def _too_few_permutations(smallest: tuple[int, float], tested: dict[tuple[str, str], float | None]) -> list[str]:
    """Return a warning if the smallest possible p is not significant after Holm correction over all pairs."""
    permutations, least = smallest
    pairs = sum(p is not None for p in tested.values())
    if least * pairs < LEVEL:
        return []
    return [
        f"{permutations:,} permutations are too few for {pairs} pairs: no p can be below .05 after correction. "
        f"Use --permutations {math.ceil(10 * pairs / LEVEL)}, more systems, or fewer metrics."
    ]


def _test(
    rows: polars.DataFrame,
    a: str,
    b: str,
    method: Method,
    request: CorrelateRequest,
    directions: dict[str, Direction],
    cache: SpreadCache,
) -> MetricDifference:
    """Test one pair on common rows; the sign of metrics that are better when lower is reversed first."""
    if len(rows) < 4:
        raise UndefinedStatistic(f"the permutation test requires at least 4 common rows, there are {len(rows)}")
    controls = control_codes(rows, request.controls)
    how = resampling(rows, request, group_codes(*controls) if controls else None)
    columns = {name: rows[name].to_numpy().astype(float) for name in (a, b, request.human)}
    human = columns[request.human]
    first, second = (directions[name].sign * columns[name] for name in (a, b))
    wider = 1.0
    if how.unit == "both":
        mask = rows["_row"].to_numpy().tobytes()
        for name, column in ((a, first), (b, second)):
            if (name, method, mask) not in cache:
                cache[name, method, mask] = spread(column, human, how.table, request.level, method, request.seed)
        wider = inflation(cache[a, method, mask], cache[b, method, mask])
    left = [residuals(column, *controls) if controls else column for column in (first, second, human)]
    return metric_permutation_test(
        left[0], left[1], left[2], how.table, request.level, method, how.unit, request.permutations, request.seed,
        fitted_groups(*controls) if controls else 0, wider,
    )  # fmt: skip
