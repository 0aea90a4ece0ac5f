"""Confidence intervals for means of ratings on a scale with two ends, also near an end and without any variation.

Wilson's interval, generalised: the variance of a rating with mean m on a scale from a to b is taken to be
d (m - a)(b - m), where the dispersion d is 1 for rates. An interval contains the means that the estimate does not
contradict by their own variance, so that it stays on the scale, is longer towards the middle, and exists if all
judgements are equal. With few judgements, the dispersion of a system is moved towards that of all systems.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.distributions import t_quantile
from assay.stats.prediction_powered import Estimates, Judged, Population, estimate_means

Values = NDArray[np.float64]
PRIOR = 2.0
"""Weight of the dispersion of all systems, in judgements."""
LEAST = 1e-12
"""Variance, relative to the square of the scale, below which judgements are equal."""
MOST_LEVELS = 11
"""Different judgements up to which they are ratings on a scale with two ends."""


@dataclass(frozen=True)
class BoundedMeans:
    """What the intervals of all systems need."""

    value: Values
    """Estimates."""
    dispersion: Values
    unit: Values
    """Variance of the estimate if that of a rating were 1."""
    extra: Values
    """Variance that does not depend on the mean: of proxies with another slope, of annotators."""
    df: Values
    ends: tuple[float, float]

    def clipped(self, value: float) -> float:
        """Return a value on the scale."""
        return min(max(value, self.ends[0]), self.ends[1])

    def reach_together(self, reach: float, equal: int) -> float:
        """Return the critical value of all systems together.

        Args:
            reach: That of the systems with variation.
            equal: Number of systems without variation, for which all share the level (Bonferroni).
        """
        systems = len(self.value)
        return max(reach, t_quantile(1 - 0.025 / systems, float(self.df.min()))) if equal else reach

    def interval(self, system: int, reach: float | None = None) -> tuple[float, float]:
        """Return the interval of a system (default of `reach`: the critical value of a 95 % confidence interval)."""
        low, high = self.ends
        reach = t_quantile(0.975, float(self.df[system])) if reach is None else reach
        mean = self.clipped(float(self.value[system]))
        own = reach**2 * float(self.dispersion[system] * self.unit[system])
        rest = reach**2 * float(self.extra[system])
        # (mean - m)^2 = own (m - low)(high - m) + rest
        half = mean + own * (low + high) / 2
        root = sqrt(max(half**2 - (1 + own) * (mean**2 + own * low * high - rest), 0.0))
        return (
            max(low, min(mean, (half - root) / (1 + own))),
            min(high, max(mean, (half + root) / (1 + own))),
        )


def bounded_means(estimates: Estimates, alone: Estimates, ends: tuple[float, float]) -> BoundedMeans:
    """Return what intervals of estimates on a scale need.

    Args:
        estimates: Means of all systems, with or without proxies.
        alone: The same from judgements alone.
        ends: Ends of the scale.
    """
    (error, df), (plain, _) = estimates.variances(), alone.variances()
    unit, judged = estimates.unit, estimates.judged
    low, high = ends
    mean = np.clip(alone.value, low, high)
    variance = np.divide(error, unit, out=np.zeros_like(error), where=unit > 0)
    spread = np.divide(plain, unit, out=np.zeros_like(plain), where=unit > 0)
    possible = (mean - low) * (high - mean) + spread / judged
    explained = np.minimum(variance, possible)
    freedom = np.maximum(judged - 1.0, 1.0)
    total = float((freedom * possible).sum())
    common = float((freedom * explained).sum()) / total if total > LEAST * (high - low) ** 2 else 0.0
    common = common or 1.0  # no variation at all: the largest dispersion that there is
    varies = possible > LEAST * (high - low) ** 2
    ratio = np.divide(explained, possible, out=np.full_like(possible, common), where=varies)
    dispersion = (freedom * ratio + PRIOR * common) / (freedom + PRIOR)
    known = np.where(varies, df + PRIOR, float(freedom.sum()))
    extra = (variance - explained + estimates.unseen) * unit
    return BoundedMeans(estimates.value, dispersion, unit, extra, known, ends)


def observed_ends(values: ArrayLike) -> tuple[float, float] | None:
    """Return the ends of the scale that single judgements show; None if they have none, or if all are equal."""
    levels = np.unique(np.asarray(values, dtype=np.float64))
    if np.isin(levels, (0, 1)).all():
        return 0.0, 1.0
    return (float(levels[0]), float(levels[-1])) if 1 < len(levels) <= MOST_LEVELS else None


def intervals_on_scale(table: Values, ends: tuple[float, float]) -> list[tuple[float, float]]:
    """Return the confidence interval of the mean of each row, which stays on the scale.

    Args:
        table: Ratings or means of ratings, systems x items, at least two items.
        ends: Ends of the scale.
    """
    systems, items = table.shape
    texts = Population(
        np.zeros((table.size, 0)), np.repeat(np.arange(systems), items), np.tile(np.arange(items), systems)
    )
    means = estimate_means(texts, Judged(np.arange(table.size), table.ravel()))
    bounded = bounded_means(means, means, ends)
    return [bounded.interval(system) for system in range(systems)]
