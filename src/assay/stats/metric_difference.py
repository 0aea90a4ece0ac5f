"""Permutation test of the difference between the human correlations of two metrics.

The standardised scores of the metrics are exchanged at random; exchanging them text by text is PERM-BOTH of Deutsch et
al. (2021). The statistic is Williams' t of the three correlations: unlike the plain difference, it keeps the level of
the test if the two metrics have errors on different systems.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.correlation import Method
from assay.stats.crossed import BLOCK_CELLS, Copies, Crossed, Level, Unit, correlations, resample_units, system_means
from assay.stats.validation import UndefinedStatistic, finite_pair
from assay.stats.williams import williams_t

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    Values = NDArray[np.float64]

INFLATION_RESAMPLES = 300
SAME = 1e-12
"""Metrics whose correlation differs from 1 by less than this are equal."""


@dataclass(frozen=True)
class MetricDifference:
    """The human correlations of two metrics, and the p of their difference."""

    first: float
    second: float
    p: float
    permutations: int
    exact: bool

    @property
    def difference(self) -> float:
        return self.first - self.second


def metric_permutation_test(
    x1: ArrayLike,
    x2: ArrayLike,
    y: ArrayLike,
    table: Crossed,
    level: Level = "global",
    method: Method = "pearson",
    unit: Unit = "texts",
    samples: int = 1000,
    seed: int = 0,
    lost_df: int = 0,
    inflation: float = 1.0,
) -> MetricDifference:
    """Test whether two metrics have the same correlation with human judgements (two-sided).

    Both metrics must have the same direction. With few units, all permutations are enumerated and p is exact.

    Args:
        x1: Scores of the first metric.
        x2: Scores of the second metric.
        y: Human scores.
        table: System and input of each text.
        level: Level of the correlation.
        method: Correlation coefficient.
        unit: Scores that are exchanged together: those of a system, of an input, or of a text. With `both`, systems
            are exchanged and the null distribution is widened by `inflation`.
        samples: Number of permutations.
        seed: Random seed.
        lost_df: Degrees of freedom lost by controls.
        inflation: Factor for the effect of other inputs, from `inflation`.

    Raises:
        UndefinedStatistic: A metric has no correlation, or the metrics are equal up to scale.
    """
    a, people = finite_pair(x1, y, 3)
    b, _ = finite_pair(x2, y, 3)
    table = replace(table, controls=None)
    if level == "system" and unit in ("systems", "both"):
        a, b, people = (system_means(column, table, Copies())[0] for column in (a, b, people))
        table = Crossed(len(a), np.arange(len(a)))
    a, b = (_standardised(column, table, level) for column in (a, b))
    rows = max(4, _rows(table, level) - lost_df)

    def three(first: Values, second: Values) -> list[Values]:
        pairs = ((first, people), (second, people), (first, second))
        return [correlations(one, other, table, level, method, Copies()) for one, other in pairs]

    def statistic(first: Values, second: Values) -> Values:
        with_people, other_with_people, between = three(first, second)
        return williams_t(with_people, other_with_people, between, rows)

    r12, r13, r23 = (float(r[0]) for r in three(a, b))
    if math.isnan(r12 + r13 + r23):
        raise UndefinedStatistic("a metric has no correlation, so there is nothing to compare")
    if r23 >= 1 - SAME:
        raise UndefinedStatistic("the two metrics are equal up to scale, so their correlations cannot differ")
    t = abs(float(williams_t(r12, r13, r23, rows)))
    exact, masks = _masks(table, unit, samples, seed)
    extreme = permutations = 0
    for mask in masks:
        permuted = statistic(np.where(mask, b, a), np.where(mask, a, b))
        # permutations without a value count as extreme, and so do values that are equal up to rounding
        extreme += int(np.sum(~(inflation * np.abs(permuted) < t - 1e-9 * max(1.0, t))))
        permutations += len(mask)
    return MetricDifference(
        r12, r13, extreme / permutations if exact else (extreme + 1) / (permutations + 1), permutations, exact
    )


def inflation(first: Spread, second: Spread) -> float:
    """Return the factor by which other inputs widen a difference over other systems.

    Resampled systems and resampled inputs both contain the noise of single texts, which is counted once.
    """
    systems, inputs, texts = (
        float(np.nanvar(one - other))
        for one, other in (
            (first.systems, second.systems),
            (first.inputs, second.inputs),
            (first.texts, second.texts),
        )
    )
    return math.sqrt(max(1.0, (systems + inputs - texts) / systems)) if systems > 0 else 1.0


@dataclass(frozen=True)
class Spread:
    """Correlations of a metric in resamples of systems, of inputs and of single texts."""

    systems: Values
    inputs: Values
    texts: Values


def spread(
    x: ArrayLike,
    y: ArrayLike,
    table: Crossed,
    level: Level,
    method: Method,
    seed: int = 0,
    samples: int = INFLATION_RESAMPLES,
) -> Spread:
    """Return the correlations of a metric in resamples of systems, inputs and texts."""
    a, people = finite_pair(x, y, 3)
    units: tuple[Unit, ...] = ("systems", "inputs", "texts")
    resampled = [
        np.concatenate(
            [
                correlations(a, people, table, level, method, block)
                for block in resample_units(table, unit, samples, seed)
            ]
        )
        for unit in units
    ]
    return Spread(*resampled)


def _standardised(column: Values, table: Crossed, level: Level) -> Values:
    """Return a column with mean 0 and standard deviation 1 over all texts, system means, or in each group."""
    if level == "global":
        groups = np.zeros(len(column), dtype=np.int64)
    elif level == "system":
        means = system_means(column, table, Copies())[0]
        return np.asarray((column - means.mean()) / (float(means.std()) or 1.0))
    else:
        codes = table.inputs if level == "summary" else table.systems
        assert codes is not None
        groups = codes
    size = np.bincount(groups)
    away = column - (np.bincount(groups, weights=column) / size)[groups]
    deviation = np.sqrt(np.bincount(groups, weights=away**2) / size)
    return np.asarray(away / np.where(deviation > 0, deviation, 1.0)[groups])


def _rows(table: Crossed, level: Level) -> int:
    """Return the mean number of rows of a correlation of this level."""
    if level == "system":
        return table.units("systems")
    groups = {"global": 1, "summary": table.units("inputs"), "within": table.units("systems")}[level]
    return table.n // groups


def _masks(table: Crossed, unit: Unit, samples: int, seed: int) -> tuple[bool, Iterator[NDArray[np.bool_]]]:
    """Return masks (permutations x texts) of exchanged texts: all permutations if these are at most `samples`."""
    codes = {"systems": table.systems, "both": table.systems, "inputs": table.inputs, "texts": np.arange(table.n)}[unit]
    assert codes is not None
    units = int(codes.max()) + 1
    exact = units < 60 and 2**units <= samples
    count = 2**units if exact else samples
    random = np.random.default_rng(seed)
    block = max(1, BLOCK_CELLS // table.n)

    def masks() -> Iterator[NDArray[np.bool_]]:
        for start in range(0, count, block):
            numbers = np.arange(start, min(start + block, count))
            if exact:
                chosen = (numbers[:, None] >> np.arange(units)) & 1
            else:
                chosen = random.integers(0, 2, size=(len(numbers), units), dtype=np.int8)
            yield chosen[:, codes].astype(bool)

    return exact, masks()
