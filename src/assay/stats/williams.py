"""Williams' test of the difference between two dependent correlations, of two metrics with human judgements."""

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
    """The result of Williams' test: the difference of two dependent correlations in standard errors."""

    t: float
    df: int

    @property
    def p(self) -> float:
        """Two-sided p: the correlations differ."""
        return t_two_sided(self.t, self.df)

    @property
    def p_greater(self) -> float:
        """One-sided p: the first correlation is larger. Only for a direction that was chosen in advance."""
        return t_upper(self.t, self.df)


def williams(r12: float, r13: float, r23: float, n: int, lost_df: int = 0) -> Williams:
    """Test r12 against r13, where 1 is the human score and 2 and 3 are the metrics.

    Both metrics must have the same direction: negate one for which lower is better.

    Args:
        r12: Correlation of the first metric with the human score.
        r13: Correlation of the second metric with the human score.
        r23: Correlation of the two metrics.
        n: Number of common rows.
        lost_df: Degrees of freedom lost by controls, for correlations of residuals.
    """
    rows = n - lost_df
    if rows < 4:
        fitted = f" beyond {lost_df} fitted groups" if lost_df else ""
        raise UndefinedStatistic(f"Williams' test needs at least 4 common rows{fitted}, there are {rows}")
    t = float(williams_t(r12, r13, r23, rows))
    if np.isnan(t):
        raise UndefinedStatistic("the two metrics are equal up to scale, so their correlations cannot differ")
    return Williams(t, rows - 3)


def williams_t(r12: ArrayLike, r13: ArrayLike, r23: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return the statistic, element by element; NaN if two metrics are equal up to scale but differ by rounding."""
    a, b, c = (np.asarray(r, dtype=np.float64) for r in (r12, r13, r23))
    determinant = 1 - a**2 - b**2 - c**2 + 2 * a * b * c
    spread = 2 * determinant * (n - 1) / (n - 3) + (a + b) ** 2 / 4 * (1 - c) ** 3
    known = spread > 0
    t = (a - b) * np.sqrt((n - 1) * (1 + c)) / np.sqrt(np.where(known, spread, 1.0))
    return np.where(a == b, 0.0, np.where(known, t, np.nan))
