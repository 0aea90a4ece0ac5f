"""An estimate, its standard error, and how far off in standard errors such estimates are: intervals and tests of any
value from one thing, so that they never contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.distributions import t_quantile, t_two_sided, t_upper
from assay.stats.interval import LEVEL
from assay.stats.resample import narrow_product

Values = NDArray[np.float64]
ROUNDING = 1e-9
"""Distances that differ by less, relatively, are equal: the order of a sum must not decide."""


UNSEEN = 3
"""One-sided tests take so many units' share off a distance: the end of a long tail is what few units do not show. Of
20 or 30 differences with a skewness of 2 to 3 they then reject 5 to 6 % at .05 and not 7."""


@dataclass(frozen=True)
class Pivot:
    """`drawn` are the studentised deviations of resampled estimates, resample by resample; `shorter` is what distances
    are divided by in one-sided tests."""

    estimate: float
    error: float
    drawn: Values
    shorter: float = 1.0

    @cached_property
    def distances(self) -> Values:
        """How far off they are, in ascending order."""
        return np.sort(np.abs(self.drawn))

    @cached_property
    def above(self) -> Values:
        """The deviations in ascending order."""
        return np.sort(self.drawn)

    @cached_property
    def below(self) -> Values:
        """The deviations to the other side, in ascending order."""
        return np.sort(-self.drawn)

    def interval(self, level: float = LEVEL) -> tuple[float, float] | None:
        """The values that `p_of` does not find less likely than the level allows; None with too few resamples."""
        return self.within(reach_of(self.distances, level))

    def within(self, reach: float | None) -> tuple[float, float] | None:
        """So many standard errors to both sides."""
        return None if reach is None else (self.estimate - reach * self.error, self.estimate + reach * self.error)

    def p_of(self, value: float) -> float:
        """Two-sided p of the truth being `value`; one is added above and below."""
        return _p_of(abs(self.estimate - value) / self.error, self.distances)

    def p_at_most(self, value: float) -> float:
        """One-sided p of the truth being `value` or less: small where the estimate lies well above."""
        return self._p_beyond((self.estimate - value) / self.error, self.above)

    def p_at_least(self, value: float) -> float:
        """One-sided p of the truth being `value` or more: small where the estimate lies well below."""
        return self._p_beyond((value - self.estimate) / self.error, self.below)

    def _p_beyond(self, far: float, deviations: Values) -> float:
        """By the deviations to this side and by those to both, whichever is more careful: with a long tail to one side
        they are not alike, and of few units neither can be told well."""
        far /= self.shorter
        half = _p_of(abs(far), self.distances) / 2
        return max(half if far > 0 else 1 - half, _p_of(far, deviations))

    def bounds(self, level: float) -> tuple[float, float] | None:
        """Between the values that neither one-sided test rejects at (1 - level) / 2."""
        tail = (1 + level) / 2
        reaches = [reach_of(self.distances, level), reach_of(self.above, tail), reach_of(self.below, tail)]
        if any(reach is None for reach in reaches):
            return None
        both, above, below = (self.shorter * self.error * (reach or 0.0) for reach in reaches)
        return self.estimate - max(both, above), self.estimate + max(both, below)


@dataclass(frozen=True)
class StudentPivot(Pivot):
    """Deviations that follow Student's t, so that none has to be drawn."""

    df: int = 1

    @classmethod
    def of(cls, estimate: float, error: float, df: int) -> StudentPivot:
        return cls(estimate, error, np.empty(0), df=df)

    def interval(self, level: float = LEVEL) -> tuple[float, float] | None:
        return self.within(t_quantile((1 + level) / 2, self.df))

    def p_of(self, value: float) -> float:
        return t_two_sided((self.estimate - value) / self.error, self.df)

    def p_at_most(self, value: float) -> float:
        return t_upper((self.estimate - value) / self.error, self.df)

    def p_at_least(self, value: float) -> float:
        return t_upper((value - self.estimate) / self.error, self.df)

    def bounds(self, level: float) -> tuple[float, float] | None:
        return self.interval(level)


def _p_of(far: float, deviations: Values) -> float:
    """The share of ascending deviations that reach so far; one is added above and below."""
    extreme = len(deviations) - int(np.searchsorted(deviations, far - abs(far) * ROUNDING))
    return (extreme + 1) / (len(deviations) + 1)


def reach_of(distances: Values, level: float) -> float | None:
    """How far, in standard errors, an interval of this level goes: the distance that fewer than 1 - level reach."""
    place = floor(level * (len(distances) + 1) + ROUNDING) + 1
    if place > len(distances) or not np.isfinite(distances[place - 1]):
        return None
    return float(distances[place - 1])


def simultaneous(pivots: Sequence[Pivot | None], level: float = LEVEL) -> list[tuple[float, float] | None]:
    """Intervals that all hold their truth together with this probability: as far as the farthest of each resample."""
    known = [pivot for pivot in pivots if pivot is not None]
    if not known:
        return [None] * len(pivots)
    reach = reach_of(np.sort(np.max([np.abs(pivot.drawn) for pivot in known], axis=0)), level)
    return [pivot.within(reach) if pivot else None for pivot in pivots]


def studentized(units: Values, blocks: Iterable[NDArray[np.float64]]) -> list[Pivot | None]:
    """A pivot for the mean of every column, from the bootstrap-t: each resample is measured by its own error.

    `blocks` hold how often each unit is drawn, one row a resample. None for a column that does not vary, or that has a
    value that is no number.
    """
    n = len(units)
    if n < 2:
        return [None] * units.shape[1]
    means = units.mean(axis=0)
    centred = units - means
    errors = np.sqrt((centred**2).sum(axis=0) / (n - 1) / n)
    both = np.hstack([centred, centred**2])
    drawn = []
    for weights in blocks:
        shifts, squares = np.hsplit(narrow_product(weights, both) / n, 2)
        variances = np.maximum(squares - shifts**2, 0.0) / (n - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn.append(shifts / np.sqrt(variances))  # a resample of one unit has no error: as far as can be
    return pivots_from(means, errors, np.concatenate(drawn), n)


def pivots_from(means: Values, errors: Values, distances: Values, n: int) -> list[Pivot | None]:
    """A pivot for each mean of n units, from how far its resamples are in their own errors; None where it does not
    vary, or is no number."""
    distances[np.isnan(distances)] = np.inf
    varies = np.isfinite(means) & (errors > ROUNDING * np.abs(means))
    return [
        Pivot(float(mean), float(error), column, 1 + UNSEEN / n) if known else None
        for mean, error, column, known in zip(means, errors, distances.T, varies, strict=True)
    ]


def pivot_of_resamples(estimate: float, resampled: Values) -> Pivot | None:
    """A pivot from values that were resampled already, each as an error of one size; None where they do not vary."""
    known = resampled[~np.isnan(resampled)]
    error = float(known.std()) if len(known) else 0.0
    if not np.isfinite(estimate) or error <= ROUNDING * abs(estimate):
        return None
    return Pivot(estimate, error, (resampled - known.mean()) / error)


def jackknife_values(value: ArrayLike, without: Values) -> Values:
    """What each unit contributes to a value (or to each of several), from the values without each of them: their mean
    is the value itself, and their spread is that of as many independent contributions (the jackknife)."""
    means = without.mean(axis=-1, keepdims=True)
    return np.asarray(np.asarray(value)[..., None] + (without.shape[-1] - 1) * (means - without))


def standardised(units: Values) -> float | None:
    """The mean in standard deviations of the units: Cohen's d of paired differences (d_z)."""
    mean, spread = float(units.mean()), float(units.std(ddof=1)) if len(units) > 1 else 0.0
    return mean / spread if spread > ROUNDING * abs(mean) else None
