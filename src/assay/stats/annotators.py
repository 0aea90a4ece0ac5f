"""Intervals of agreement: what it would be on other items, with other people, or with both."""

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
"""What is drawn anew: other items for the same people, other people for the same items, or both."""

FEWEST_APART = 5
"""So many items must have another answer than the most frequent one: a rare answer says nothing of how rare it is."""
NEAREST = 1 / 20
"""No resample counts as nearer to full agreement than by this part of what was seen."""


def no_item_interval(ratings: Ratings, clusters: NDArray[np.int64] | None = None) -> str | None:
    """Why these items give no interval: too few of them (or of the clusters they belong to), or hardly any with an
    answer that is not the usual one."""
    usual = int(ratings.counts.sum(axis=0).argmax())
    other = ratings.counts[:, usual] < ratings.counts.sum(axis=1)
    units, what = (ratings.items, "items") if clusters is None else (int(clusters.max()) + 1, "inputs")
    apart = int(other.sum()) if clusters is None else len(np.unique(clusters[other]))
    if apart >= FEWEST_APART:
        return too_few(units, what=what)
    rare = f"only {apart} of {units} {what} have another answer than the most frequent one"
    return too_few(units, what=what) or f"no interval: {rare}, and it takes {FEWEST_APART}"


def interval_over_items(
    value: float, drawn: NDArray[np.float64], items: int, level: float = 0.95
) -> tuple[float, float]:
    """Around the value, from its values on resampled items.

    Agreement has an upper end, and its resamples lie askew below it: what lacks to full agreement is read on the scale
    of logarithms, with the deviation of the resamples and Student's t for so many items.
    """
    known = _known(drawn)
    if value >= 1:
        raise UndefinedStatistic("nobody ever disagrees, so resampling cannot say how sure that is")
    lacking = np.log(np.maximum(1 - known, NEAREST * (1 - value)))
    reach = t_quantile((1 + level) / 2, items - 1) * math.sqrt(items / (items - 1)) * float(lacking.std(ddof=1))
    if reach < ROUNDING:
        raise UndefinedStatistic("every resample gives the same value, so resampling cannot say how sure that is")
    return 1 - (1 - value) * math.exp(reach), 1 - (1 - value) * math.exp(-reach)


def jackknife_variance(ratings: Ratings, statistic: Callable[[Ratings], float]) -> float:
    """The variance over annotators, from the value with each of them left out (Gwet, 2008).

    Drawing annotators with repetition would make some agree with themselves; leaving them out does not.
    """
    people = ratings.codes.shape[1]
    if people < 3:
        raise UndefinedStatistic(f"an interval over annotators needs at least three of them; there are {people}")
    without = np.array([statistic(ratings.without(k)) for k in range(people)])
    return float((people - 1) / people * np.sum((without - without.mean()) ** 2))


def interval_over(
    value: float, annotators: float, people: int, drawn: NDArray[np.float64] | None, items: int, level: float = 0.95
) -> tuple[float, float]:
    """Around the value, from its variance over annotators and (where given) its values on resampled items.

    The two variances are added, which counts the noise of single answers twice and so is cautious. The degrees of
    freedom are Satterthwaite's; no coefficient of agreement is above 1.
    """
    over_items = 0.0
    if drawn is not None:
        over_items = float(_known(drawn).var(ddof=1))
    variance = over_items + annotators
    if variance == 0:
        return value, value
    df = variance**2 / (over_items**2 / max(items - 1, 1) + annotators**2 / (people - 1))
    reach = t_quantile((1 + level) / 2, max(df, 1.0)) * math.sqrt(variance)
    return value - reach, min(1.0, value + reach)


def _known(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    known = drawn[~np.isnan(drawn)]
    if 2 * len(known) < len(drawn):
        missing = len(drawn) - len(known)
        raise UndefinedStatistic(f"{missing} of {len(drawn)} resamples have no value, so there is no interval")
    return known
