"""Tests and confidence intervals of correlations by leaving out systems, inputs or both (two-way jackknife).

Texts of one system are alike, and so are texts for one input: p of the textbook takes them for independent and is far
too small. Each system, each group of inputs and each group of single texts is left out in turn. The variance of
Fisher's z is that over systems plus that over inputs minus that over texts, which both contain (Cameron, Gelbach and
Miller, 2011), and at least the larger of the first two. p and interval come from one Student's t, so p is below .05 if
and only if the 95 % interval excludes 0. Coverage and error rates: `python -m benchmarks correlation_inference`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.correlation import Method
from assay.stats.correlation_interval import FEWEST_MEANS, largest_correlation, units_of
from assay.stats.crossed import BLOCK_CELLS, Copies, Crossed, Level, Unit, correlations
from assay.stats.distributions import t_quantile, t_two_sided, t_upper
from assay.stats.validation import UndefinedStatistic, finite_pair

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Values = NDArray[np.float64]

GROUPS = 100
"""Largest number of groups of inputs or of texts that are left out in turn."""
FEWEST_LEFT_OUT = 5
"""Smallest number of systems, inputs or texts that are left out in turn."""


@dataclass(frozen=True)
class LeftOut:
    """A correlation on Fisher's scale, and its values with each system, input or text left out."""

    z: float
    parts: dict[Unit, Values]

    def __sub__(self, other: LeftOut) -> LeftOut:
        """Return the difference of two correlations of the same texts."""
        return LeftOut(self.z - other.z, {unit: values - other.parts[unit] for unit, values in self.parts.items()})

    def times(self, sign: int) -> LeftOut:
        """Return the correlation of the column with its sign reversed, for metrics that are better when lower."""
        return LeftOut(sign * self.z, {unit: sign * values for unit, values in self.parts.items()})

    def estimate(self) -> Estimate:
        """Return the estimate with its standard error and degrees of freedom."""
        variances = {unit: float(np.sum((values - self.z) ** 2)) for unit, values in self.parts.items()}
        freedom = {unit: max(1, len(values) - 2) for unit, values in self.parts.items()}
        names: list[Unit] = [unit for unit in variances if unit != "texts" or len(variances) == 1]
        largest = max(names, key=lambda unit: variances[unit])
        total = sum(variances[unit] for unit in names) - (variances["texts"] if len(names) > 1 else 0.0)
        if len(names) > 1 and total > variances[largest]:
            df = total**2 / sum(variances[unit] ** 2 / freedom[unit] for unit in names)
        else:
            total, df = variances[largest], float(freedom[largest])
        if total <= 1e-18:
            raise UndefinedStatistic("leaving out any part changes nothing, so there is no standard error")
        return Estimate(self.z, math.sqrt(total), max(1.0, df))


@dataclass(frozen=True)
class Estimate:
    """A correlation (or a difference of two) on Fisher's scale, with its standard error and degrees of freedom."""

    z: float
    error: float
    df: float

    @property
    def p(self) -> float:
        """Two-sided p that the true value is 0."""
        return t_two_sided(self.z / self.error, self.df)

    @property
    def p_greater(self) -> float:
        """One-sided p that the true value is above 0, for a direction that was chosen in advance."""
        return t_upper(self.z / self.error, self.df)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval of the correlation."""
        reach = t_quantile((1 + level) / 2, self.df) * self.error
        return math.tanh(self.z - reach), math.tanh(self.z + reach)


def leave_out(
    x: ArrayLike,
    y: ArrayLike,
    table: Crossed,
    level: Level = "global",
    method: Method = "pearson",
    unit: Unit = "both",
    seed: int = 0,
) -> LeftOut:
    """Return a correlation with each system, group of inputs, or group of texts left out.

    Args:
        x: Scores of a metric.
        y: Human scores.
        table: System and input of each text.
        level: Level of the correlation.
        method: Correlation coefficient.
        unit: What is left out: systems, inputs, both, or single texts.
        seed: Random seed of the groups.

    Raises:
        UndefinedStatistic: There are too few systems, inputs or texts, or a correlation has no value without one.
    """
    a, b = finite_pair(x, y, 3)
    require_units(table, level, unit)
    most = largest_correlation(method, table.units("systems") if level == "system" else table.n)

    def scaled(copies: Copies) -> Values:
        r = correlations(a, b, table, level, method, copies)
        if np.isnan(r).any():
            raise UndefinedStatistic("without one of its parts the correlation has no value")
        return np.asarray(np.arctanh(np.clip(r, -most, most)))

    names: list[Unit] = [*units_of(unit), "texts"] if unit == "both" else [unit]
    random = np.random.default_rng(seed)
    parts = {}
    for name in names:
        number = table.units(name)
        groups = number if name == "systems" else min(number, GROUPS)
        member = random.permutation(np.arange(number) % groups)
        block = max(1, BLOCK_CELLS // table.n)
        blocks = []
        for start in range(0, groups, block):
            kept = (member != np.arange(start, min(start + block, groups))[:, None]).astype(np.float64)
            blocks.append(scaled(Copies(**{name: kept})))
        parts[name] = np.concatenate(blocks)
    return LeftOut(float(scaled(Copies())[0]), parts)


def require_units(table: Crossed, level: Level, unit: Unit) -> None:
    """Raise UndefinedStatistic if there are too few systems, inputs or texts."""
    for name in units_of(unit):
        number = table.units(name)
        if number < FEWEST_LEFT_OUT:
            raise UndefinedStatistic(
                f"{number} {name} are too few for a statement about other {name}; at least {FEWEST_LEFT_OUT} are needed"
            )
    if level == "system" and table.units("systems") < FEWEST_MEANS:
        raise UndefinedStatistic(
            f"{table.units('systems')} systems are too few for a test of their correlation; at least {FEWEST_MEANS} "
            "are needed"
        )
