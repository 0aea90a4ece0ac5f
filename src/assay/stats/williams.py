"""Williams' test: do two metrics that were measured on the same items correlate differently with people?"""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.stats.distributions import t_upper
from assay.stats.undefined import UndefinedStatistic


@dataclass(frozen=True)
class Williams:
    """One-sided test that the stronger of two dependent correlations is really the stronger."""

    t: float
    p: float
    df: int
    swapped: bool


def williams(r12: float, r13: float, r23: float, n: int) -> Williams:
    """Compare r12 with r13, where 1 is the human score and r23 relates the two metrics, over n common rows.

    The larger correlation is always put first; `swapped` says whether that was r13.
    """
    if n < 4:
        raise UndefinedStatistic(f"Williams' test needs at least 4 common rows, there are {n}")
    swapped = r13 > r12
    if swapped:
        r12, r13 = r13, r12
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    spread = 2 * determinant * (n - 1) / (n - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    if r12 == r13:
        return Williams(0.0, 0.5, n - 3, swapped)
    if spread <= 0:
        raise UndefinedStatistic("the two metrics are the same up to scale, so their correlations cannot be told apart")
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23)) / math.sqrt(spread)
    return Williams(t, t_upper(t, n - 3), n - 3, swapped)
