"""Williams' test: do two metrics that were measured on the same items correlate differently with people?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.distributions import t_two_sided, t_upper
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Williams:
    """How far two dependent correlations are apart, in standard errors."""

    t: float
    df: int

    @property
    def p(self) -> float:
        """Two-sided: the correlations differ, whichever is larger."""
        return t_two_sided(self.t, self.df)

    @property
    def p_greater(self) -> float:
        """One-sided, for a direction that was chosen before looking: the first is the larger."""
        return t_upper(self.t, self.df)


def williams(r12: float, r13: float, r23: float, n: int, lost_df: int = 0) -> Williams:
    """Compare r12 with r13, where 1 is the human score and r23 relates the two metrics, over n common rows.

    Correlations of residuals have `lost_df` fewer degrees of freedom, one for every group that was fitted.
    Both metrics must point the same way: turn one for which lower is better before.
    """
    rows = n - lost_df
    if rows < 4:
        fitted = f" beyond {lost_df} fitted groups" if lost_df else ""
        raise UndefinedStatistic(f"Williams' test needs at least 4 common rows{fitted}, there are {rows}")
    t = float(williams_t(r12, r13, r23, rows))
    if np.isnan(t):
        raise UndefinedStatistic("the two metrics are the same up to scale, so their correlations cannot be told apart")
    return Williams(t, rows - 3)


def williams_t(r12: ArrayLike, r13: ArrayLike, r23: ArrayLike, n: int) -> NDArray[np.float64]:
    """The statistic alone, element by element; NaN where two metrics are one and still differ by rounding."""
    a, b, c = (np.asarray(r, dtype=np.float64) for r in (r12, r13, r23))
    determinant = 1 - a**2 - b**2 - c**2 + 2 * a * b * c
    spread = 2 * determinant * (n - 1) / (n - 3) + (a + b) ** 2 / 4 * (1 - c) ** 3
    known = spread > 0
    t = (a - b) * np.sqrt((n - 1) * (1 + c)) / np.sqrt(np.where(known, spread, 1.0))
    return np.where(a == b, 0.0, np.where(known, t, np.nan))
