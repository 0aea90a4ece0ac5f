"""Williams' test and the correlation of metrics among themselves, for every pair of metrics."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from assay.meta.correlate import Question, control_codes
from assay.stats.correlation import product_moment
from assay.stats.partial import residuals
from assay.stats.undefined import UndefinedStatistic
from assay.stats.williams import williams

if TYPE_CHECKING:
    from assay.meta.frames import Joined


def pairwise_williams(
    data: Joined, question: Question
) -> tuple[dict[str, dict[str, float | None]], dict[str, dict[str, float]], list[str]]:
    """One-sided Williams p and partial Pearson for every two metrics, each pair on its common rows."""
    p: dict[str, dict[str, float | None]] = {name: {} for name in data.metrics}
    r: dict[str, dict[str, float]] = {name: {} for name in data.metrics}
    warnings = [] if len(data.metrics) > 1 else ["Williams' test needs at least two metrics"]
    known = data.frame.drop_nulls(question.human)
    for a, b in combinations(data.metrics, 2):
        rows = known.drop_nulls([a, b])
        try:
            if len(rows) < 4:
                raise UndefinedStatistic(f"Williams' test needs at least 4 common rows, there are {len(rows)}")
            controls = control_codes(rows, question.controls)
            values = [rows[name].to_numpy().astype(float) for name in (question.human, a, b)]
            y, x1, x2 = (residuals(value, *controls) if controls else value for value in values)
            between = product_moment(x1, x2)
            r[a][b] = r[b][a] = between
            test = williams(product_moment(x1, y), product_moment(x2, y), between, len(rows))
            p[a][b] = p[b][a] = test.p
        except UndefinedStatistic as why:
            p[a][b] = p[b][a] = None
            warnings.append(f"Williams {a} - {b}: {why}")
    return p, r, warnings
