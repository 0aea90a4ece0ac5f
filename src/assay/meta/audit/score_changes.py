"""Estimated change of scores with confidence intervals, from contributions of items before and after."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.results.result import Result
from assay.stats.distributions import t_quantile
from assay.stats.interval import FEWEST_UNITS, LEVEL, too_alike, too_few
from assay.stats.pivot import jackknife_values
from assay.stats.resample import Resamples

Floats = NDArray[np.float64]
GROUPS = 20
"""Number of groups of items to leave out for metrics over words, which have no contributions of single items."""


class TextScores(NamedTuple):
    """The scores of some texts, and the contributions of items (or groups of items) to each."""

    values: dict[str, float]
    units: dict[str, Floats]


def score_texts(result: Result) -> TextScores:
    """Return scores and contributions, without metrics that become undefined if items are left out."""
    units = dict(result.contributions)
    words = [m for m in result.measurements if m.metric.summands(m.rows) is None and not m.metric.interdependent]
    if words and result.n >= GROUPS:
        left = result.fold([without_groups(result.n)], words)
        units |= {name: jackknife_values(result.values[name], without) for name, without in left.items()}
    return TextScores(result.values, {name: each for name, each in units.items() if np.isfinite(each).all()})


def without_groups(n: int) -> Resamples:
    """Return one resample per group of items, of all others; groups depend only on the number of items."""
    group_of = np.random.default_rng(n).permutation(n) % GROUPS
    kept = [np.flatnonzero(group_of != group) for group in range(GROUPS)]
    longest = max(map(len, kept))
    return Resamples(np.array([np.pad(each, (0, longest - len(each)), constant_values=-1) for each in kept]), n)


class ChangeEstimate(NamedTuple):
    """The change of a score, after - before."""

    change: float
    error: float | None
    """Its standard error; None if it cannot be estimated."""
    df: int
    why: str | None = None
    unmoved: bool = False
    """Whether no item contributes to a change."""

    def within(self, margin: float) -> bool:
        """Return whether the change is shown to be smaller than a margin (two one-sided tests at .05)."""
        ends = self.interval(1 - 2 * (1 - LEVEL))
        return self.unmoved or (ends is not None and -margin < ends[0] and ends[1] < margin)

    def interval(self, level: float = LEVEL) -> tuple[float, float] | None:
        """Return the confidence interval by Student's t on the contributions."""
        if self.error is None:
            return None
        reach = t_quantile((1 + level) / 2, self.df) * self.error
        return self.change - reach, self.change + reach

    def excludes_zero(self, sign: int, level: float = LEVEL) -> bool:
        """Return whether the interval is above zero (`sign` 1) or below (-1)."""
        ends = self.interval(level)
        return ends is not None and (ends[0] > 0 if sign > 0 else ends[1] < 0)


def estimate_change(before: TextScores, after: list[TextScores], name: str) -> ChangeEstimate:
    """Return the change of one score over all repeats; the contribution of an item is its mean over repeats."""
    change = float(np.mean([each.values[name] for each in after])) - before.values[name]
    if name not in before.units or any(name not in each.units for each in after):
        return ChangeEstimate(change, None, 0, "no interval: items cannot be left out")
    units = np.mean([each.units[name] for each in after], axis=0) - before.units[name]
    units[np.abs(units) <= 1e-12 * np.abs(before.units[name]).max(initial=1.0)] = 0.0  # ignore rounding
    why = too_few(len(units)) or (too_alike(units) if np.median(units) == 0 else None)
    if why:
        return ChangeEstimate(change, None, 0, why, not units.any() and len(units) >= FEWEST_UNITS)
    return ChangeEstimate(change, float(units.std(ddof=1)) / len(units) ** 0.5, len(units) - 1)
