"""Williams' test and the correlation of metrics among themselves, for every pair of metrics."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

from assay.meta.correlate import Question, control_codes
from assay.meta.directions import Direction, direction_of
from assay.meta.resampling import resampling
from assay.stats.adjust import holm
from assay.stats.correlation import of_r, product_moment
from assay.stats.crossed import Copies, correlations
from assay.stats.partial import fitted_groups, residuals
from assay.stats.validation import UndefinedStatistic
from assay.stats.williams import williams

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray

    from assay.meta.frames import Joined

Tail = Literal["two-sided", "one-sided", "frank"]
"""`one-sided`: the metric of the row follows people better than that of the column, a question asked before looking.
`frank`: as Pagnoni et al. (2021) print it, one-sided for whichever is larger: 10 % of equal pairs fall below .05."""
Matrix = dict[str, dict[str, float | None]]
CONTRADICTED = 0.05
"""A correlation against its known direction is worth a word below this p."""


class PairTests(NamedTuple):
    """p of every pair of metrics, before and after Holm's correction, and how the metrics were turned."""

    p: Matrix
    adjusted: Matrix
    between: dict[str, dict[str, float]]
    """Pearson (or partial Pearson) of the metrics with each other, as the columns stand."""
    directions: dict[str, Direction]
    tests: int
    warnings: list[str]


def pairwise_williams(data: Joined, question: Question, tail: Tail = "two-sided") -> PairTests:
    """Williams' test for every two metrics on their common rows, corrected over all pairs.

    Metrics that are better when lower are turned first, and the groups of controls are counted as fitted.
    """
    between: dict[str, dict[str, float]] = {name: {} for name in data.metrics}
    tested: dict[tuple[str, str], float | None] = {}
    warnings = [] if len(data.metrics) > 1 else ["Williams' test needs at least two metrics"]
    known = data.frame.drop_nulls(question.human)
    turned = {} if tail == "frank" else metric_directions(known, data.metrics, question, warnings)
    for a, b in combinations(data.metrics, 2):
        try:
            rows = known.drop_nulls([a, b])
            if len(rows) < 4:
                raise UndefinedStatistic(f"Williams' test needs at least 4 common rows, there are {len(rows)}")
            (y, x1, x2), lost = _columns(rows, (question.human, a, b), question)
            r23 = between[a][b] = between[b][a] = product_moment(x1, x2)
            s1, s2 = (turned[name].sign if name in turned else 1 for name in (a, b))
            r12, r13 = s1 * product_moment(x1, y), s2 * product_moment(x2, y)
            test = williams(r12, r13, s1 * s2 * r23, len(rows), 0 if tail == "frank" else lost)
            if tail == "one-sided":
                tested |= {(a, b): test.p_greater, (b, a): 1 - test.p_greater}
            else:
                tested[a, b] = test.p if tail == "two-sided" else test.p / 2
        except UndefinedStatistic as why:
            tested |= {(a, b): None, (b, a): None} if tail == "one-sided" else {(a, b): None}
            warnings.append(f"Williams {a} - {b}: {why}")
    p, adjusted = matrices(data.metrics, tested)
    return PairTests(p, adjusted, between, turned, sum(value is not None for value in tested.values()), warnings)


def metric_directions(
    known: polars.DataFrame, metrics: tuple[str, ...], question: Question, warnings: list[str]
) -> dict[str, Direction]:
    """Which way every metric points; what was guessed, and what contradicts its name, is said."""
    found = {}
    for name in metrics:
        rows = known.drop_nulls(name)
        try:
            r, p = _own_correlation(rows, name, question)
        except UndefinedStatistic:
            r, p = 0.0, 1.0  # what has no correlation has no pairs either
        way = found[name] = direction_of(name, question.human, question.directions, r)
        if way.why == "sign" and way.sign < 0:
            warnings.append(
                f"{name}: whether higher is better is not known; it correlates negatively and is compared as better "
                f"when lower (if that is wrong: --direction {name}=higher)"
            )
        elif way.why == "name" and r * way.sign < 0 and p < CONTRADICTED:
            better, other = ("lower", "higher") if way.sign < 0 else ("higher", "lower")
            warnings.append(
                f"{name}: better when {better}, yet it correlates {r:+.2f} with '{question.human}'; if either column "
                f"is turned round, say so with --direction {name}={other} or {question.human}=lower"
            )
    return found


def _own_correlation(rows: polars.DataFrame, name: str, question: Question) -> tuple[float, float]:
    """Pearson's r of a metric with people at the level that is asked about, and a rough p."""
    if len(rows) < 4:
        raise UndefinedStatistic("too few rows")
    if question.level == "global":
        (y, x), lost = _columns(rows, (question.human, name), question)
        r, n = product_moment(x, y), len(rows) - lost
    else:
        table = resampling(rows, question).table
        x, y = (rows[column].to_numpy().astype(float) for column in (name, question.human))
        r = float(correlations(x, y, table, question.level, "pearson", Copies())[0])
        n = table.units("systems") if question.level == "system" else len(rows)
    if math.isnan(r):
        raise UndefinedStatistic("no correlation")
    return r, of_r(r, max(n, 3)).p


def matrices(names: tuple[str, ...], tested: dict[tuple[str, str], float | None]) -> tuple[Matrix, Matrix]:
    """p by row and column, as they are and after Holm's correction; a pair that was tested once stands twice."""
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
    rows: polars.DataFrame, names: tuple[str, ...], question: Question
) -> tuple[list[NDArray[np.float64]], int]:
    """The columns, or what is left of them when the controls are held constant, and the groups that took."""
    values = [rows[name].to_numpy().astype(float) for name in names]
    controls = control_codes(rows, question.controls)
    if not controls:
        return values, 0
    return [residuals(value, *controls) for value in values], fitted_groups(*controls)
