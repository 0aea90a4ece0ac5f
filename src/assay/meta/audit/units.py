"""How sure it is that a number moved: what each item contributes to it before and after."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.results.result import Result
from assay.stats.distributions import t_quantile
from assay.stats.interval import LEVEL, too_alike, too_few
from assay.stats.pivot import jackknife_values
from assay.stats.resample import Resamples

Floats = NDArray[np.float64]
GROUPS = 20
"""Numbers of words (types, entropies) have no share of an item: so many groups of items are left out instead."""


class Seen(NamedTuple):
    """All numbers of some texts: their values, and what the items (or groups of items) contribute to each."""

    values: dict[str, float]
    units: dict[str, Floats]


def seen(result: Result) -> Seen:
    """Contributions are known of every number but those that leaving items out makes undefined."""
    units = dict(result.contributions)
    words = [m for m in result.measurements if m.metric.summands(m.rows) is None and not m.metric.interdependent]
    if words and result.n >= GROUPS:
        left = result.fold([without_groups(result.n)], words)
        units |= {name: jackknife_values(result.values[name], without) for name, without in left.items()}
    return Seen(result.values, {name: each for name, each in units.items() if np.isfinite(each).all()})


def without_groups(n: int) -> Resamples:
    """One draw for each group of items, of all the others; the same groups for the same number of items."""
    group_of = np.random.default_rng(n).permutation(n) % GROUPS
    kept = [np.flatnonzero(group_of != group) for group in range(GROUPS)]
    longest = max(map(len, kept))
    return Resamples(np.array([np.pad(each, (0, longest - len(each)), constant_values=-1) for each in kept]), n)


class Change(NamedTuple):
    """By how much a number changed, after minus before."""

    change: float
    error: float | None
    """Its standard error; None where these items tell none."""
    df: int
    why: str | None = None

    def interval(self, level: float = LEVEL) -> tuple[float, float] | None:
        """Student's, on as many contributions as there are."""
        if self.error is None:
            return None
        reach = t_quantile((1 + level) / 2, self.df) * self.error
        return self.change - reach, self.change + reach

    def beyond_zero(self, sign: int, level: float = LEVEL) -> bool:
        """Whether it is surely above zero (`sign` 1), or below (-1)."""
        ends = self.interval(level)
        return ends is not None and (ends[0] > 0 if sign > 0 else ends[1] < 0)


def changed(before: Seen, after: list[Seen], name: str) -> Change:
    """Of one number, over all repeats: an item's contribution after the change is the mean of its contributions."""
    change = float(np.mean([each.values[name] for each in after])) - before.values[name]
    if name not in before.units or any(name not in each.units for each in after):
        return Change(change, None, 0, "no interval: items cannot be left out of it")
    units = np.mean([each.units[name] for each in after], axis=0) - before.units[name]
    units[np.abs(units) <= 1e-12 * np.abs(before.units[name]).max(initial=1.0)] = 0.0  # rounding is no difference
    why = too_few(len(units)) or (too_alike(units) if np.median(units) == 0 else None)
    if why:
        return Change(change, None, 0, why)
    return Change(change, float(units.std(ddof=1)) / len(units) ** 0.5, len(units) - 1)
