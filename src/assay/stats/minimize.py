"""Minimisation of a smooth function of a few variables by the quasi-Newton method BFGS."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STEPS = 200


def minimize(
    function: Callable[[Floats], tuple[float, Floats]], start: Floats, tolerance: float = 1e-8
) -> tuple[Floats, bool]:
    """Minimise a function that returns its value and gradient; infinity marks points without a value.

    Returns:
        The minimum, and whether the gradient vanishes there.
    """
    x = start.astype(np.float64)
    f, g = function(x)
    inverse = _steepest(g)
    for _ in range(STEPS):
        if float(np.abs(g).max()) < tolerance * max(1.0, abs(f)):
            return x, True
        step = -inverse @ g
        if float(step @ g) >= 0:
            inverse = _steepest(g)
            step = -inverse @ g
        length = 1.0
        while not (tried := function(x + length * step))[0] <= f + 1e-4 * length * float(step @ g):
            length /= 2
            if length < 1e-10:  # only rounding errors remain
                return x, float(np.abs(g).max()) < 1e4 * tolerance * max(1.0, abs(f))
        moved, turned = length * step, tried[1] - g
        x, (f, g) = x + moved, tried
        along = float(moved @ turned)
        if along > 1e-12 * float(np.linalg.norm(moved) * np.linalg.norm(turned)):
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
