"""Confidence intervals of agreement, for other items, other annotators, or both."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.stats.distributions import t_quantile
from assay.stats.interval import too_few
from assay.stats.pivot import ROUNDING
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.stats.agreement import Ratings

Over = Literal["item", "annotator", "both"]
"""What is resampled: items with the same annotators, annotators with the same items, or both."""

FEWEST_APART = 5
"""Number of items that must have another answer than the most frequent one, because rare answers need more items."""
NEAREST = 1 / 20
"""Smallest disagreement of a resample, relative to the observed one."""


def no_item_interval(ratings: Ratings, clusters: NDArray[np.int64] | None = None) -> str | None:
    """Return why there is no interval: too few items or clusters, or too few with another answer than the most
    frequent one. None if there is one."""
    usual = int(ratings.counts.sum(axis=0).argmax())
    other = ratings.counts[:, usual] < ratings.counts.sum(axis=1)
    units, what = (ratings.items, "items") if clusters is None else (int(clusters.max()) + 1, "inputs")
    apart = int(other.sum()) if clusters is None else len(np.unique(clusters[other]))
    if apart >= FEWEST_APART:
        return too_few(units, what=what)
    rare = f"only {apart} of {units} {what} have another answer than the most frequent one"
    return too_few(units, what=what) or f"no interval: {rare}, at least {FEWEST_APART} are needed"


def interval_over_items(
    value: float, resampled: NDArray[np.float64], items: int, level: float = 0.95
) -> tuple[float, float]:
    """Return the interval of agreement from its values on resampled items.

    Agreement is bounded by 1 and its distribution is skewed, so the interval is that of the logarithm of disagreement,
    with the standard deviation of the resamples and Student's t.
    """
    known = _known(resampled)
    if value >= 1:
        raise UndefinedStatistic("annotators never disagree, so there is no interval")
    disagreement = np.log(np.maximum(1 - known, NEAREST * (1 - value)))
    reach = t_quantile((1 + level) / 2, items - 1) * math.sqrt(items / (items - 1)) * float(disagreement.std(ddof=1))
    if reach < ROUNDING:
        raise UndefinedStatistic("all resamples have the same value, so there is no interval")
    return 1 - (1 - value) * math.exp(reach), 1 - (1 - value) * math.exp(-reach)


def jackknife_variance(ratings: Ratings, statistic: Callable[[Ratings], float]) -> float:
    """Return the variance over annotators from the values without each annotator (jackknife; Gwet, 2008).

    In a bootstrap over annotators, some would agree with themselves.
    """
    people = ratings.codes.shape[1]
    if people < 3:
        raise UndefinedStatistic(f"an interval over annotators needs at least three of them; there are {people}")
    without = np.array([statistic(ratings.without(k)) for k in range(people)])
    return float((people - 1) / people * np.sum((without - without.mean()) ** 2))


def interval_over(
    value: float, annotators: float, people: int, resampled: NDArray[np.float64] | None, items: int, level: float = 0.95
) -> tuple[float, float]:
    """Return the interval of agreement from its variance over annotators and, if given, its values on resampled items.

    The two variances are added, which counts the noise of single answers twice and is conservative. The degrees of
    freedom are Satterthwaite's, and the upper end is at most 1.
    """
    over_items = 0.0
    if resampled is not None:
        over_items = float(_known(resampled).var(ddof=1))
    variance = over_items + annotators
    if variance == 0:
        return value, value
    df = variance**2 / (over_items**2 / max(items - 1, 1) + annotators**2 / (people - 1))
    reach = t_quantile((1 + level) / 2, max(df, 1.0)) * math.sqrt(variance)
    return value - reach, min(1.0, value + reach)


def _known(resampled: NDArray[np.float64]) -> NDArray[np.float64]:
    known = resampled[~np.isnan(resampled)]
    if 2 * len(known) < len(resampled):
        missing = len(resampled) - len(known)
        raise UndefinedStatistic(f"{missing} of {len(resampled)} resamples have no value, so there is no interval")
    return known
