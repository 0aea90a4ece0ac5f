"""Texts of several systems for several inputs: what is drawn anew, and the correlation at a level in every draw."""

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
"""What would be other in a repetition: systems (their inputs stay), inputs (the systems stay), systems and inputs, or
every text for itself."""
BLOCK_CELLS = 500_000


@dataclass(frozen=True)
class Crossed:
    """Which system wrote each text, and for which input: numbers from 0; None where that is not known."""

    n: int
    systems: Codes | None = None
    inputs: Codes | None = None
    controls: Codes | None = None
    """Groups that are held constant, at the global level."""

    def units(self, of: Unit) -> int:
        """How many are drawn; of both, systems, which are fewer as a rule."""
        codes = {"systems": self.systems, "both": self.systems, "inputs": self.inputs, "texts": None}[of]
        return self.n if codes is None else int(codes.max()) + 1


@dataclass(frozen=True)
class Copies:
    """How often each system, input or text stands in each draw; None where each stands once."""

    systems: Values | None = None
    inputs: Values | None = None
    texts: Values | None = None

    def __len__(self) -> int:
        return next((len(each) for each in (self.systems, self.inputs, self.texts) if each is not None), 1)


def resample_units(table: Crossed, unit: Unit, samples: int, seed: int) -> Iterator[Copies]:
    """`samples` draws with replacement in blocks; of both, systems and inputs are drawn apart from each other."""
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
    """The correlation at a level in each draw; NaN where there is none. A column may differ from draw to draw.

    `global`: of all texts. `system`: of the systems' means. `summary`: within each input, averaged over inputs.
    `within`: within each system, averaged over systems.
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
    """The mean of every system (draws x systems) over the inputs or texts that were drawn; NaN for one without any.

    A column that is the same in every draw is summed once for each system and input.
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
    """The correlation of means that are known (draws x systems); systems without a text take no part."""
    weights = np.ones((1, table.units("systems"))) if copies.systems is None else copies.systems
    there = ~np.isnan(x) & ~np.isnan(y)
    weights = np.broadcast_to(weights, (max(len(weights), len(there)), weights.shape[1])) * there
    return weighted_correlation(np.where(there, x, 0.0), np.where(there, y, 0.0), weights, method)


def text_copies(table: Crossed, copies: Copies, *, systems: bool, inputs: bool) -> Values:
    """How often each text counts (draws x texts): the product of what was drawn."""
    weights = np.ones((1, table.n)) if copies.texts is None else copies.texts
    for wanted, drawn, codes in (
        (systems, copies.systems, table.systems),
        (inputs, copies.inputs, table.inputs),
    ):
        if wanted and drawn is not None and codes is not None:
            weights = weights * drawn[:, codes]
    return weights


def _averaged(x: Values, y: Values, groups: Codes, weights: Values, average: Values | None, method: Method) -> Values:
    """The mean over groups of the correlation inside each; groups without one take no part."""
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    if x.ndim == y.ndim == 1 and len(weights) == 1:  # the same inside in all draws: the groups are computed together
        places = np.arange(sizes.max()) < sizes[:, None]
        first = np.cumsum(sizes) - sizes
        rows = order[first[:, None] + np.where(places, np.arange(sizes.max()), 0)]  # filled up with one of its own
        inside = weighted_correlation(x[rows], y[rows], weights[0][rows] * places, method)[None, :]
    else:
        parts = np.split(order, np.cumsum(sizes)[:-1])
        each = [weighted_correlation(x[..., part], y[..., part], weights[:, part], method) for part in parts]
        inside = np.stack(each, axis=1)
    share = np.where(np.isnan(inside), 0.0, 1.0 if average is None else average)
    count = share.sum(axis=1)
    return np.where(count > 0, (share * np.nan_to_num(inside)).sum(axis=1) / np.where(count > 0, count, 1.0), np.nan)
