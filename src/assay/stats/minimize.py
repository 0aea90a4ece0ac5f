"""Minimisation of a smooth function of a few variables by the quasi-Newton method BFGS.

`minimize_sizes` is for likelihoods of random effects. They are even in the standard deviations, so the gradient is 0
wherever a standard deviation is 0, at a minimum as well as at a saddle point. Whether 0 is the minimum is told by the
derivative in the variance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STEPS = 200
SMALL = 1e-2
"""Standard deviation below which 0 is tried instead."""
NEAR_ZERO = 1e-4
"""Standard deviation at which the derivative in a variance of 0 is taken."""
AWAY_FROM_ZERO = (0.03, 0.1, 0.3, 1.0)
"""Standard deviations from which the search starts again where the value falls away from 0."""
NO_GAIN = 1e-6
"""Decrease of the function that is not counted as one."""


def minimize(
    function: Callable[[Floats], tuple[float, Floats]], start: Floats, tolerance: float = 1e-8
) -> tuple[Floats, bool]:
    """Minimise a function that returns its value and gradient; infinity marks points without a value.

    Returns:
        The minimum, and whether the gradient vanishes there.
    """
    x = start.astype(np.float64)
    f, g = function(x)
    inverse, scaled = _steepest(g), False
    for _ in range(STEPS):
        if float(np.abs(g).max()) < tolerance * max(1.0, abs(f)):
            return x, True
        step = -inverse @ g
        if float(step @ g) >= 0:
            inverse, scaled = _steepest(g), False
            step = -inverse @ g
        length = 1.0
        while not (tried := function(x + length * step))[0] <= f + 1e-4 * length * float(step @ g):
            length /= 2
            if length < 1e-10:  # only rounding errors remain
                return x, float(np.abs(g).max()) < 1e2 * tolerance * max(1.0, abs(f))
        moved, turned = length * step, tried[1] - g
        x, (f, g) = x + moved, tried
        along = float(moved @ turned)
        if along > 1e-12 * float(np.linalg.norm(moved) * np.linalg.norm(turned)):
            if not scaled:  # the first step shows the curvature (Nocedal and Wright, 2006, 6.20)
                inverse, scaled = np.eye(len(x)) * along / float(turned @ turned), True
            keep = np.eye(len(x)) - np.outer(moved, turned) / along
            inverse = keep @ inverse @ keep.T + np.outer(moved, moved) / along
    return x, False


def _steepest(slope: Floats) -> Floats:
    return np.eye(len(slope)) / max(1.0, float(np.abs(slope).max()))


def curvature_of(slope: Callable[[Floats], Floats], at: Floats, width: float = 1e-3) -> Floats:
    """Return the matrix of second derivatives by central differences of the gradient."""
    steps = width * np.maximum(1.0, np.abs(at))
    moves = np.diag(steps)
    rows = [(slope(at + m) - slope(at - m)) / (2 * h) for m, h in zip(moves, steps, strict=True)]
    matrix: Floats = np.array(rows)
    return np.asarray((matrix + matrix.T) / 2)


def minimize_sizes(
    function: Callable[[Floats], tuple[float, Floats]],
    starts: Sequence[Floats],
    sizes: Sequence[int],
    tolerance: float = 1e-8,
) -> tuple[Floats, bool]:
    """Minimise a function that is even in some variables, the standard deviations of random effects.

    Args:
        function: Returns value and gradient.
        starts: Points from which the search starts, with standard deviations above 0; the lowest minimum is returned.
        sizes: Positions of the standard deviations.
        tolerance: Largest gradient at a minimum, relative to the value.

    Returns:
        The minimum, with standard deviations of at least 0, and whether it is one: the gradient vanishes, and the value
        does not fall in the variance of any effect that is 0.
    """
    minima = [_settled(function, start, sizes, tolerance) for start in starts]
    lowest = min(value for value, _, _ in minima)
    same = [each for each in minima if each[0] <= lowest + NO_GAIN]
    return min(same, key=lambda each: (not each[2], each[0]))[1:]


def _settled(
    function: Callable[[Floats], tuple[float, Floats]], start: Floats, sizes: Sequence[int], tolerance: float
) -> tuple[float, Floats, bool]:
    """Minimise from one start, and again while a standard deviation of 0 is not the minimum."""
    x, flat = _folded(function, start, sizes, tolerance)
    value = function(x)[0]
    refused: set[int] = set()
    while True:
        zero = [k for k in sizes if x[k] == 0 and k not in refused]
        raised = x.copy()
        raised[zero] = NEAR_ZERO
        slopes = function(raised)[1]
        falling = [k for k in zero if slopes[k] < 0]
        if not falling:
            return value, x, flat
        steepest = min(falling, key=lambda k: float(slopes[k]))
        again = min((_moved(x, steepest, size) for size in AWAY_FROM_ZERO), key=lambda at: function(at)[0])
        other, other_flat = _folded(function, again, sizes, tolerance)
        lower = function(other)[0]
        if lower < value - NO_GAIN:
            x, value, flat = other, lower, other_flat
            refused.clear()
        else:
            refused.add(steepest)


def _folded(
    function: Callable[[Floats], tuple[float, Floats]], start: Floats, sizes: Sequence[int], tolerance: float
) -> tuple[Floats, bool]:
    """Minimise, drop the signs of standard deviations, and set small ones to 0 if that is not worse."""
    x, flat = minimize(function, start, tolerance)
    x[list(sizes)] = np.abs(x[list(sizes)])
    for k in sizes:
        if 0 < x[k] < SMALL and function(without := _moved(x, k, 0.0))[0] <= function(x)[0] + NO_GAIN:
            x = without
    return x, flat


def _moved(x: Floats, k: int, value: float) -> Floats:
    moved = x.copy()
    moved[k] = value
    return moved
