"""Crossed designs, texts of several systems for several inputs: resampling, and correlations in each resample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.stats.correlation import Method
from assay.stats.resample import Resamples
from assay.stats.weighted import weighted_correlation, weighted_partial

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.float64]
    Codes = NDArray[np.int64]

Level = Literal["global", "summary", "system", "within"]
Unit = Literal["systems", "inputs", "both", "texts"]
"""What is resampled: systems with fixed inputs, inputs with fixed systems, both, or single texts."""
BLOCK_CELLS = 500_000


@dataclass(frozen=True)
class Crossed:
    """The system and the input of each text, as numbers from 0; None if they are unknown."""

    n: int
    systems: Codes | None = None
    inputs: Codes | None = None
    controls: Codes | None = None
    """Groups to control for, at the global level."""

    def units(self, of: Unit) -> int:
        """Return the number of resampled units; for `both` the number of systems, usually the smaller one."""
        codes = {"systems": self.systems, "both": self.systems, "inputs": self.inputs, "texts": None}[of]
        return self.n if codes is None else int(codes.max()) + 1


@dataclass(frozen=True)
class Copies:
    """How often each system, input or text occurs in each resample; None if each occurs once."""

    systems: Values | None = None
    inputs: Values | None = None
    texts: Values | None = None

    def __len__(self) -> int:
        return next((len(each) for each in (self.systems, self.inputs, self.texts) if each is not None), 1)


def resample_units(table: Crossed, unit: Unit, samples: int, seed: int) -> Iterator[Copies]:
    """Yield bootstrap resamples in blocks; for `both`, systems and inputs are resampled independently."""
    random = np.random.default_rng(seed)
    block = max(1, BLOCK_CELLS // table.n)
    for start in range(0, samples, block):
        size = min(block, samples - start)

        def copies(units: int, size: int = size) -> Values:
            return Resamples(random.integers(0, units, size=(size, units)), units).weights

        yield Copies(
            copies(table.units("systems")) if unit in ("systems", "both") else None,
            copies(table.units("inputs")) if unit in ("inputs", "both") else None,
            copies(table.n) if unit == "texts" else None,
        )


def correlations(x: Values, y: Values, table: Crossed, level: Level, method: Method, copies: Copies) -> Values:
    """Return the correlation at a level in each resample, NaN if it has none. Columns can differ between resamples.

    Args:
        x: One column, or one row per resample.
        y: The other column.
        table: System and input of each text.
        level: `global`: all texts. `system`: means of systems. `summary`: within each input, averaged over inputs.
            `within`: within each system, averaged over systems.
        method: Correlation coefficient.
        copies: Resamples.
    """
    if level == "system":
        means = [system_means(column, table, copies) for column in (x, y)]
        return of_system_means(means[0], means[1], table, copies, method)
    if level == "global":
        weights = text_copies(table, copies, systems=True, inputs=True)
        if table.controls is not None:
            return weighted_partial(x, y, table.controls, weights, method)
        return weighted_correlation(x, y, weights, method)
    by_input = level == "summary"
    groups, average = (table.inputs, copies.inputs) if by_input else (table.systems, copies.systems)
    assert groups is not None
    return _averaged(x, y, groups, text_copies(table, copies, systems=by_input, inputs=not by_input), average, method)


def system_means(column: Values, table: Crossed, copies: Copies) -> Values:
    """Return the mean of each system (resamples x systems) over resampled inputs or texts; NaN for one without texts.

    A column that is the same in all resamples is summed once per system and input.
    """
    assert table.systems is not None
    systems = table.units("systems")
    middle = float(np.median(column))
    away = column - middle
    if away.ndim == 1 and copies.texts is None:
        inputs = table.units("inputs") if table.inputs is not None and copies.inputs is not None else 1
        cells = table.systems if inputs == 1 or table.inputs is None else table.inputs * systems + table.systems
        weights = np.ones((1, 1)) if inputs == 1 or copies.inputs is None else copies.inputs
        summed = np.bincount(cells, weights=away, minlength=inputs * systems).reshape(inputs, systems)
        counts = np.bincount(cells, minlength=inputs * systems).reshape(inputs, systems)
        sums, sizes = weights @ summed, weights @ counts
    else:
        member = (table.systems[:, None] == np.arange(systems)).astype(np.float64)
        weights = text_copies(table, copies, systems=False, inputs=True)
        sums, sizes = (weights * away) @ member, weights @ member
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / sizes + middle)


def of_system_means(x: Values, y: Values, table: Crossed, copies: Copies, method: Method) -> Values:
    """Return the correlation of means of systems (resamples x systems); systems without texts are left out."""
    weights = np.ones((1, table.units("systems"))) if copies.systems is None else copies.systems
    there = ~np.isnan(x) & ~np.isnan(y)
    weights = np.broadcast_to(weights, (max(len(weights), len(there)), weights.shape[1])) * there
    return weighted_correlation(np.where(there, x, 0.0), np.where(there, y, 0.0), weights, method)


def text_copies(table: Crossed, copies: Copies, *, systems: bool, inputs: bool) -> Values:
    """Return the weight of each text (resamples x texts): the product of the counts of its system and its input."""
    weights = np.ones((1, table.n)) if copies.texts is None else copies.texts
    for wanted, counts, codes in (
        (systems, copies.systems, table.systems),
        (inputs, copies.inputs, table.inputs),
    ):
        if wanted and counts is not None and codes is not None:
            weights = weights * counts[:, codes]
    return weights


def _averaged(x: Values, y: Values, groups: Codes, weights: Values, average: Values | None, method: Method) -> Values:
    """Return the mean over groups of the correlation in each group; groups without a correlation are left out."""
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    if x.ndim == y.ndim == 1 and len(weights) == 1:  # equal in all resamples: all groups are computed at once
        used = np.arange(sizes.max()) < sizes[:, None]
        first = np.cumsum(sizes) - sizes
        rows = order[first[:, None] + np.where(used, np.arange(sizes.max()), 0)]  # padded with rows of weight 0
        inside = weighted_correlation(x[rows], y[rows], weights[0][rows] * used, method)[None, :]
    else:
        parts = np.split(order, np.cumsum(sizes)[:-1])
        each = [weighted_correlation(x[..., part], y[..., part], weights[:, part], method) for part in parts]
        inside = np.stack(each, axis=1)
    share = np.where(np.isnan(inside), 0.0, 1.0 if average is None else average)
    count = share.sum(axis=1)
    return np.where(count > 0, (share * np.nan_to_num(inside)).sum(axis=1) / np.where(count > 0, count, 1.0), np.nan)
