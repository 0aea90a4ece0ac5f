"""Tests of every pair of metrics for the same correlation with human scores, and the correlations between metrics.

The difference on Fisher's scale has its standard error from leaving out systems and inputs in turn, like p and interval
of each correlation. Williams' t of the textbook, which takes texts for independent, is the classical test."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from assay.meta.correlate import CorrelateRequest, Tail, control_codes
from assay.meta.directions import Direction, direction_of
from assay.meta.resampling import resampling
from assay.stats.adjust import holm
from assay.stats.correlation import of_r, product_moment
from assay.stats.crossed import Copies, correlations
from assay.stats.crossed_jackknife import Estimate, LeftOut, leave_out
from assay.stats.metric_difference import SAME
from assay.stats.partial import fitted_groups, residuals
from assay.stats.validation import UndefinedStatistic, group_codes
from assay.stats.williams import Williams, williams

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray

    from assay.meta.correlation_records import Matrix
    from assay.meta.joined_scores import JoinedScores

CONTRADICTED = 0.05
"""A correlation that contradicts the known direction of a metric is reported below this p."""


class PairTests(NamedTuple):
    """p of every pair of metrics before and after Holm correction, and the direction of each metric."""

    p: Matrix
    adjusted: Matrix
    between: dict[str, dict[str, float]]
    """Pearson (or partial Pearson) correlation between metrics, without changing signs."""
    directions: dict[str, Direction]
    tests: int
    warnings: list[str]
    method: str


def pairwise_williams(data: JoinedScores, request: CorrelateRequest, tail: Tail = "two-sided") -> PairTests:
    """Test every pair of metrics on their common rows, with Holm correction over all pairs.

    The sign of metrics that are better when lower is reversed. In the classical test (`frank`, or as requested) groups
    of controls count as fitted parameters.
    """
    classical = request.classical or tail == "frank"
    left_out = LeftOutCache()
    between: dict[str, dict[str, float]] = {name: {} for name in data.metrics}
    tested: dict[tuple[str, str], float | None] = {}
    warnings = [] if len(data.metrics) > 1 else ["Williams' test requires at least two metrics."]
    known = data.frame.drop_nulls(request.human).with_row_index("_row")
    directions = {} if tail == "frank" else metric_directions(known, data.metrics, request, warnings)
    for a, b in combinations(data.metrics, 2):
        try:
            rows = known.drop_nulls([a, b])
            if len(rows) < 4:
                raise UndefinedStatistic(f"Williams' test requires at least 4 common rows, there are {len(rows)}")
            (y, x1, x2), lost = _columns(rows, (request.human, a, b), request)
            r23 = between[a][b] = between[b][a] = product_moment(x1, x2)
            s1, s2 = (directions[name].sign if name in directions else 1 for name in (a, b))
            r12, r13 = s1 * product_moment(x1, y), s2 * product_moment(x2, y)
            test: Williams | Estimate
            if classical:
                test = williams(r12, r13, s1 * s2 * r23, len(rows), 0 if tail == "frank" else lost)
            elif s1 * s2 * r23 >= 1 - SAME:
                test = Estimate(0.0, 1.0, 1.0)  # equal up to scale
            else:
                test = _difference(rows, a, b, s1, s2, request, left_out)
            if tail == "one-sided":
                tested |= {(a, b): test.p_greater, (b, a): 1 - test.p_greater}
            else:
                tested[a, b] = test.p if tail == "two-sided" else test.p / 2
        except UndefinedStatistic as why:
            tested |= {(a, b): None, (b, a): None} if tail == "one-sided" else {(a, b): None}
            warnings.append(f"Williams {a} - {b}: {why}")
    p, adjusted = matrices(data.metrics, tested)
    how = "classical, texts taken for independent" if classical else resampling(known, request).left_out()
    count = sum(value is not None for value in tested.values())
    return PairTests(p, adjusted, between, directions, count, warnings, how)


class LeftOutCache(dict[tuple[str, bytes], LeftOut]):
    """Correlations of a metric with parts left out, by metric and rows; metrics are in many pairs."""


def _difference(
    rows: polars.DataFrame, a: str, b: str, s1: int, s2: int, request: CorrelateRequest, cache: LeftOutCache
) -> Estimate:
    """Return the difference of two correlations on Fisher's scale, with the error of leaving out systems and inputs."""
    controls = control_codes(rows, request.controls)
    how = resampling(rows, request, group_codes(*controls) if controls else None)
    y = rows[request.human].to_numpy().astype(float)
    same_rows = rows["_row"].to_numpy().tobytes()
    signed = []
    for name, sign in ((a, s1), (b, s2)):
        if (name, same_rows) not in cache:
            x = rows[name].to_numpy().astype(float)
            cache[name, same_rows] = leave_out(x, y, how.table, request.level, "pearson", how.unit, request.seed)
        signed.append(cache[name, same_rows].times(sign))
    return (signed[0] - signed[1]).estimate()


def metric_directions(
    known: polars.DataFrame, metrics: tuple[str, ...], request: CorrelateRequest, warnings: list[str]
) -> dict[str, Direction]:
    """Return the direction of every metric; warn of inferred directions and of those that the data contradict."""
    directions = {}
    for name in metrics:
        rows = known.drop_nulls(name)
        try:
            r, p = _own_correlation(rows, name, request)
        except UndefinedStatistic:
            r, p = 0.0, 1.0  # a metric without a correlation has no pairs either
        way = directions[name] = direction_of(name, request.human, request.directions, r)
        if way.why == "sign" and way.sign < 0:
            warnings.append(
                f"{name}: direction unknown; it correlates negatively and is treated as better when lower. "
                f"Otherwise use --direction {name}=higher."
            )
        elif way.why == "name" and r * way.sign < 0 and p < CONTRADICTED:
            better, other = ("lower", "higher") if way.sign < 0 else ("higher", "lower")
            warnings.append(
                f"{name}: better when {better}, but r = {r:+.2f} with '{request.human}'. If a column is reversed, use "
                f"--direction {name}={other} or --direction {request.human}=lower."
            )
    return directions


def _own_correlation(rows: polars.DataFrame, name: str, request: CorrelateRequest) -> tuple[float, float]:
    """Return Pearson's r of a metric with the human scores at the requested level, and an approximate p."""
    if len(rows) < 4:
        raise UndefinedStatistic("too few rows")
    if request.level == "global":
        (y, x), lost = _columns(rows, (request.human, name), request)
        r, n = product_moment(x, y), len(rows) - lost
    else:
        table = resampling(rows, request).table
        x, y = (rows[column].to_numpy().astype(float) for column in (name, request.human))
        r = float(correlations(x, y, table, request.level, "pearson", Copies())[0])
        n = table.units("systems") if request.level == "system" else len(rows)
    if math.isnan(r):
        raise UndefinedStatistic("no correlation")
    return r, of_r(r, max(n, 3)).p


def matrices(names: tuple[str, ...], tested: dict[tuple[str, str], float | None]) -> tuple[Matrix, Matrix]:
    """Return p by row and column, before and after Holm correction; a pair tested once is entered twice."""
    corrected = holm([float("nan") if value is None else value for value in tested.values()])
    p: Matrix = {name: {} for name in names}
    adjusted: Matrix = {name: {} for name in names}
    for (pair, value), high in zip(tested.items(), corrected, strict=True):
        for a, b in (pair, pair[::-1]):
            if (a, b) == pair or (a, b) not in tested:
                p[a][b] = value
                adjusted[a][b] = None if value is None else float(high)
    return p, adjusted


def _columns(
    rows: polars.DataFrame, names: tuple[str, ...], request: CorrelateRequest
) -> tuple[list[NDArray[np.float64]], int]:
    """Return the columns, or their residuals given the controls, and the number of fitted groups."""
    values = [rows[name].to_numpy().astype(float) for name in names]
    controls = control_codes(rows, request.controls)
    if not controls:
        return values, 0
    return [residuals(value, *controls) for value in values], fitted_groups(*controls)
