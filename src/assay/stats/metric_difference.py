"""Does one metric follow people better than another? Their standardised scores are swapped at random.

The statistic is Williams' t of the three correlations at the level that is asked about: unlike the plain difference it
keeps the test's level when the two metrics err on different systems. Swapping each text's two scores is the test of
Deutsch et al. (2021, PERM-BOTH).
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
"""Metrics that correlate with each other by all but this are one metric."""


@dataclass(frozen=True)
class MetricDifference:
    """The correlations of two metrics with people, and the p of their difference from so many swaps."""

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
    """Two-sided p that two metrics follow people equally well; both must be better when higher (or both lower).

    All scores of a system, of an input, or of a text alone are swapped together. For `both`, systems are swapped and
    the null is widened by `inflation` (see there), for what other inputs would change. Few units: all swaps, exactly.
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
        raise UndefinedStatistic("a metric has no correlation here, so there is none to compare")
    if r23 >= 1 - SAME:
        raise UndefinedStatistic("the two metrics are the same up to scale, so their correlations cannot be told apart")
    t = abs(float(williams_t(r12, r13, r23, rows)))
    exact, masks = _masks(table, unit, samples, seed)
    extreme = permutations = 0
    for mask in masks:
        swapped = statistic(np.where(mask, b, a), np.where(mask, a, b))
        # a swap without a value counts as extreme, and so do those that are equal but for rounding
        extreme += int(np.sum(~(inflation * np.abs(swapped) < t - 1e-9 * max(1.0, t))))
        permutations += len(mask)
    return MetricDifference(
        r12, r13, extreme / permutations if exact else (extreme + 1) / (permutations + 1), permutations, exact
    )


def inflation(first: Spread, second: Spread) -> float:
    """By how much other inputs widen a difference over other systems.

    Systems drawn anew already carry the noise of single texts, and so do inputs drawn anew; it is counted once.
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
    """A metric's correlation with people when systems, inputs, or single texts are drawn anew."""

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
    a, people = finite_pair(x, y, 3)
    units: tuple[Unit, ...] = ("systems", "inputs", "texts")
    drawn = [
        np.concatenate(
            [
                correlations(a, people, table, level, method, block)
                for block in resample_units(table, unit, samples, seed)
            ]
        )
        for unit in units
    ]
    return Spread(*drawn)


def _standardised(column: Values, table: Crossed, level: Level) -> Values:
    """Mean 0 and deviation 1 where the correlation is taken: over all texts, system means, or inside each group."""
    if level == "global":
        groups = np.zeros(len(column), dtype=np.int64)
    elif level == "system":
        means = system_means(column, table, Copies())[0]
        return np.asarray((column - means.mean()) / (float(means.std()) or 1.0))
    else:
        found = table.inputs if level == "summary" else table.systems
        assert found is not None
        groups = found
    size = np.bincount(groups)
    away = column - (np.bincount(groups, weights=column) / size)[groups]
    deviation = np.sqrt(np.bincount(groups, weights=away**2) / size)
    return np.asarray(away / np.where(deviation > 0, deviation, 1.0)[groups])


def _rows(table: Crossed, level: Level) -> int:
    """How many rows a correlation of this level has, on average."""
    if level == "system":
        return table.units("systems")
    groups = {"global": 1, "summary": table.units("inputs"), "within": table.units("systems")}[level]
    return table.n // groups


def _masks(table: Crossed, unit: Unit, samples: int, seed: int) -> tuple[bool, Iterator[NDArray[np.bool_]]]:
    """Which texts are swapped (draws x texts): all possible swaps where there are no more of them than asked for."""
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
