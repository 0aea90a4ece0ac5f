"""Confidence intervals of variance components by the profile likelihood.

A variance is in the interval if fixing it there, with all other parameters at their best, raises the criterion by no
more than a chi-square quantile. Unlike an interval from the curvature this has an upper end where the estimate is 0,
and a lower end of 0 where the data do not exclude it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.distributions import normal_quantile
from assay.stats.minimize import minimize_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.stats.mixed import Mixed

    Floats = NDArray[np.float64]

SEARCHES = 60
"""Largest number of doublings until an end of the interval is passed."""
CLOSE = 3e-3
"""Error of the ends, on the scale of standard errors."""


def variance_interval(model: Mixed, name: str, level: float = 0.95) -> tuple[float, float | None]:
    """Return the ends of the interval of one variance, `residual` included; None if there is no upper end."""
    fixed = _FixedVariance(model, name)
    limit = normal_quantile((1 + level) / 2)

    def beyond(log_variance: float) -> float:
        """Return how far the square root of the rise of the criterion is above its limit."""
        return math.sqrt(max(0.0, fixed.criterion(math.exp(log_variance)) - model.criterion)) - limit

    estimate = model.variances[name]
    total = sum(model.variances.values())
    low = 0.0
    if estimate > 0 and (name == "residual" or fixed.criterion(0.0) - model.criterion > limit**2):
        low = _end(beyond, math.log(estimate), -0.7) or 0.0
    inside = math.log(estimate) if estimate > 0 else math.log(1e-6 * total)
    return low, _end(beyond, inside, 0.7)


def _end(beyond: Callable[[float], float], inside: float, step: float) -> float | None:
    """Return where `beyond` becomes 0, searched from a point inside; None if it stays below 0."""
    outside, over, under = inside + step, beyond(inside + step), beyond(inside)
    for _ in range(SEARCHES):
        if over > 0:
            break
        inside, under = outside, over
        step *= 1.5
        outside = inside + step
        over = beyond(outside)
    else:
        return None
    for _ in range(SEARCHES):
        middle = outside - over * (outside - inside) / (over - under)
        value = beyond(middle)
        if abs(value) < CLOSE or abs(outside - inside) < CLOSE**2:
            break
        if value > 0:
            outside, over, under = middle, value, under / 2  # halved, so that both sides close in
        else:
            inside, under, over = middle, value, over / 2
    return math.exp(middle)


class _FixedVariance:
    """The criterion of a model with one variance fixed, and all other parameters at their best."""

    def __init__(self, model: Mixed, name: str) -> None:
        problem = model.problem
        self.problem = problem
        self.of_residual = name == "residual"
        self.position = len(problem.names) if self.of_residual else problem.names.index(name)
        self.free = [k for k in range(len(problem.names)) if k != self.position]
        residual = model.variances["residual"]
        deviations = np.sqrt([model.variances[each] / residual for each in problem.names])
        self.start = np.append(deviations[self.free], [] if self.of_residual else math.log(residual))
        self.before = self.start

    def criterion(self, variance: float) -> float:
        def value(x: Floats) -> tuple[float, Floats]:
            if float(np.abs(x).max(initial=0.0)) > 1e4:
                return math.inf, np.zeros_like(x)
            residual = variance if self.of_residual else math.exp(float(x[-1]))
            sizes = np.zeros(len(self.problem.names))
            sizes[self.free] = x[: len(self.free)]
            if self.of_residual:
                total, slope, _ = self.problem.criterion(sizes, residual)
                return total, slope[self.free]
            sizes[self.position] = math.sqrt(variance / residual)
            total, slope, of_residual = self.problem.criterion(sizes, residual)
            through = -slope[self.position] * sizes[self.position] / 2
            return total, np.append(slope[self.free], of_residual + through)

        if not len(self.start):
            return value(self.start)[0]
        start = self.before.copy()
        start[: len(self.free)] = np.maximum(start[: len(self.free)], 0.05)  # a start at 0 would stay there
        best, _ = minimize_sizes(value, [start], range(len(self.free)), 1e-5)
        self.before = best
        return value(best)[0]
