"""Confidence sequences and e-values for the mean of bounded values: valid after every value, however often one looks.

The capital of several constant stakes is averaged (a mixture of nonnegative martingales), so that no stake needs to
fit a number of values known in advance (Waudby-Smith and Ramdas, 2024). Under the hypothesis, the capital exceeds
1 / level at any time with probability at most `level` (Ville's inequality).
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
STAKES = np.geomspace(0.002, 0.98, 20)
"""Shares of the largest stake that cannot lose more than all."""
BISECTIONS = 40


class Evidence(NamedTuple):
    """Log capital against one hypothesis after each value."""

    log_capital: Values

    def first_above(self, level: float) -> int | None:
        """Return the number of values after which the hypothesis is rejected for the first time; None if never."""
        above = np.flatnonzero(self.log_capital >= -log(level))
        return int(above[0]) + 1 if len(above) else None


def evidence_above(values: Values, weights: Values, down: float, mean: float) -> Evidence:
    """Return the evidence against the hypothesis that the mean is at most `mean`.

    Args:
        values: Values in order of arrival, each at least `-down` times its weight.
        weights: Their weights; the mean is sum(values) / sum(weights).
        down: Largest possible value below 0, for weight 1.
        mean: The hypothetical mean, above `-down`.
    """
    gains = (values - mean * weights) / (float(weights.max()) * (mean + down))
    capital = np.cumsum(np.log1p(STAKES[:, None] * np.maximum(gains, -1.0)), axis=1)
    largest = capital.max(axis=0)
    return Evidence(np.asarray(largest + np.log(np.exp(capital - largest).mean(axis=0))))


def lower_limit(values: Values, weights: Values, down: float, level: float) -> float:
    """Return the largest mean that was rejected at any time, so that the mean is above it; `-down` if none was."""
    low, high = -down, float((np.cumsum(values) / np.maximum(np.cumsum(weights), 1e-300)).max())
    for _ in range(BISECTIONS):  # capital decreases with the hypothetical mean, so the limit is unique
        middle = (low + high) / 2
        if middle <= -down:
            break
        rejected = evidence_above(values, weights, down, middle).first_above(level) is not None
        low, high = (middle, high) if rejected else (low, middle)
    return low


def confidence_sequence(values: Values, weights: Values, down: float, up: float, level: float) -> tuple[float, float]:
    """Return the limits of the mean after the last value; each is wrong at any time with probability at most `level`.

    Args:
        values: Values in order of arrival, each from `-down` to `up` times its weight.
        weights: Their weights; the mean is sum(values) / sum(weights).
        down: Largest possible value below 0, for weight 1.
        up: Largest possible value above 0, for weight 1.
        level: Error rate of each limit.
    """
    return lower_limit(values, weights, down, level), -lower_limit(-values, weights, up, level)
