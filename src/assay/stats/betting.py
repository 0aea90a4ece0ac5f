"""Bounds for the mean of bounded values that hold at any sample size, by betting (Waudby-Smith and Ramdas, 2024).

A hypothetical mean is tested by a fair game against it: capital starts at 1, a stake that depends on earlier values
only is bet on the next value, and capital never becomes negative. If the mean is right, the capital exceeds 1 / level
with probability at most `level` (Ville's inequality), whatever the distribution of the values. Stakes decide only how
often a wrong mean is detected.
"""

from __future__ import annotations

from functools import lru_cache
from math import erfc, exp, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from assay.stats.distributions import incomplete_beta

Values = NDArray[np.float64]
STEPS = 1500
"""Largest number of times that stakes are chosen; longer samples bet on blocks of values."""
CANDIDATES = 40
ROUNDS = 3
"""Hypothetical means that are tested at once, and how often the interval between two of them is divided again."""
PRIOR_UNITS, PRIOR_SHARE = 20, 0.2
"""Weight of the assumed variance: this many values, or this share of all, whichever gives the smaller stakes."""


def betting_bounds(
    values: Values, down: float, up: float, level: float, *, weights: Values | None = None, at: tuple[float, ...] = ()
) -> tuple[float, float]:
    """Return lower and upper bound of a mean, each of which is wrong with probability at most `level`.

    Args:
        values: Independent values in random order, each from `-down` to `up` times its weight.
        down: Largest possible value below 0.
        up: Largest possible value above 0.
        level: Error rate of each bound, e.g. 0.05 for both ends of a 90 % interval.
        weights: Weights of values; the mean is sum(values) / sum(weights) (default: 1 each).
        at: Means that are tested exactly, e.g. a margin.
    """
    weights = np.ones(len(values)) if weights is None else weights
    if not len(values) or weights.sum() <= 0:
        return -down, up
    low = _lower_bound(values, weights, down, level, at)
    high = -_lower_bound(-values, weights, up, level, tuple(-each for each in at))
    return low, high


def _lower_bound(values: Values, weights: Values, down: float, level: float, at: tuple[float, ...]) -> float:
    """Return the largest mean up to which all candidates are rejected; `-down` if none is."""
    estimate = float(values.sum() / weights.sum())
    low, high = -down, estimate
    for _ in range(ROUNDS):
        inside = [each for each in at if low < each < high]
        means = np.unique(np.concatenate([np.linspace(low, high, CANDIDATES + 2)[1:-1], inside]))
        means = means[(means > low) & (means < high)]
        if not len(means):
            break
        rejected = mean_rejected(values, weights, down, means, level)
        first = int(np.argmin(rejected)) if not rejected.all() else len(means)
        low, high = (float(means[first - 1]) if first else low), (float(means[first]) if first < len(means) else high)
    return low


def mean_rejected(
    values: Values, weights: Values, down: float, means: Values, level: float | Values
) -> NDArray[np.bool_]:
    """Return, for each hypothetical mean, whether the hypothesis that the true mean is at most that is rejected.

    Stakes replicate the test that is best for the remaining values if their sum were normal: the capital of an option
    that pays 1 / level if the z-test rejects. While all values are either 0 or the largest loss, stakes replicate the
    exact binomial test instead.
    """
    n, widest = len(values), float(weights.max())
    levels = np.broadcast_to(np.asarray(level, dtype=np.float64), means.shape)
    reach = widest * (means + down)
    start, log_capital = _binomial_start(values, weights, down, means, levels)
    heavy = max(PRIOR_UNITS, PRIOR_SHARE * n)
    prior = np.maximum(np.abs(means), 0.01 * down) * reach * widest / 2  # of rare failures, half as many as allowed
    totals = [np.concatenate([[0.0], np.cumsum(a * b)]) for a, b in _products(values, weights)]
    size = max(1, n // STEPS)
    target = -np.log(levels)
    for place in range(start, n, size):
        sum_d, sum_w, sum_dd, sum_dw, sum_ww = (float(total[place]) for total in totals)
        squares = sum_dd - 2 * means * sum_dw + means**2 * sum_ww
        if place:
            squares -= (sum_d - means * sum_w) ** 2 / place
        squares = np.maximum(squares, 0.0)
        variance = np.maximum(*((units * prior + squares) / (units + place) for units in (PRIOR_UNITS, heavy)))
        playing = (log_capital < target) & (log_capital > -np.inf)
        if not playing.any():
            break
        wanted = _hazard(log_capital - target) / np.sqrt(np.maximum(variance * (n - place), 1e-300))
        stakes = np.where(playing, np.minimum(wanted, 1 / reach), 0.0)
        gains = values[place : place + size, None] - weights[place : place + size, None] * means
        with np.errstate(divide="ignore"):
            log_capital = log_capital + np.log(np.maximum(1 + stakes * gains, 0.0)).sum(axis=0)
    return np.asarray(log_capital >= target - 1e-9)


def _products(values: Values, weights: Values) -> list[tuple[Values, Values]]:
    one = np.ones(len(values))
    return [(values, one), (weights, one), (values, values), (values, weights), (weights, weights)]


def _binomial_start(values: Values, weights: Values, down: float, means: Values, levels: Values) -> tuple[int, Values]:
    """Return the number of first values that are 0 or the largest loss, and the log capital after them.

    The capital is the share of sequences that pass the exact binomial test, now and at the start. Means that even a
    sample without losses could not reject keep their capital of 1.
    """
    capital = np.zeros(len(means))
    n = len(values)
    if float(weights.min()) != float(weights.max()):
        return 0, capital
    other = np.flatnonzero((values != 0.0) & (values != -down * weights))
    start = int(other[0]) if len(other) else n
    losses = int(np.count_nonzero(values[:start]))
    for number, (mean, level) in enumerate(zip(means, levels, strict=True)):
        chance = -float(mean) / down
        most = most_failures(n, chance, float(level)) if 0 < chance < 1 else -1
        if most < 0:
            continue
        left = binomial_at_most(most - losses, n - start, chance)
        capital[number] = log(left / binomial_at_most(most, n, chance)) if left > 0 else -np.inf
    return start, capital


def binomial_at_most(count: int, n: int, chance: float) -> float:
    """Return P(X <= count) of a binomial distribution."""
    if count < 0:
        return 0.0
    return 1.0 if count >= n else incomplete_beta(n - count, count + 1, 1 - chance, chance)


def most_failures(n: int, chance: float, level: float) -> int:
    """Return the largest number of failures that the exact binomial test accepts; -1 if n is too small for any."""
    low, high = -1, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if binomial_at_most(middle, n, chance) <= level else (low, middle)
    return low


def items_without_loss(margin: float, down: float, level: float) -> int:
    """Return the number of values without any change from which a mean of `-margin` is excluded."""
    return int(np.ceil(log(level) / np.log1p(-margin / down))) if 0 < margin < down else 1


@lru_cache(maxsize=1)
def _hazards() -> tuple[Values, Values]:
    scores = np.linspace(-9.0, 9.0, 721)
    shares = np.array([erfc(-z / sqrt(2)) / 2 for z in scores])
    densities = np.array([exp(-z * z / 2) / sqrt(2 * pi) for z in scores])
    return np.log(shares), densities / shares


def _hazard(log_share: Values) -> Values:
    """Return density / probability of the standard normal distribution where its probability is exp(log_share)."""
    return np.asarray(np.interp(log_share, *_hazards()))
