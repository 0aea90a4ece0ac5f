"""Intervals of agreement over annotators: what it would be with other people, not only with other items."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.stats.distributions import t_quantile
from assay.stats.undefined import UndefinedStatistic

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.stats.agreement import Ratings

Over = Literal["item", "annotator", "both"]
"""What is drawn anew: other items for the same people, other people for the same items, or both."""


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
        known = drawn[~np.isnan(drawn)]
        if 2 * len(known) < len(drawn):
            raise UndefinedStatistic(f"{len(drawn) - len(known)} of {len(drawn)} resamples have no value")
        over_items = float(known.var(ddof=1))
    variance = over_items + annotators
    if variance == 0:
        return value, value
    df = variance**2 / (over_items**2 / max(items - 1, 1) + annotators**2 / (people - 1))
    reach = t_quantile((1 + level) / 2, max(df, 1.0)) * math.sqrt(variance)
    return value - reach, min(1.0, value + reach)
