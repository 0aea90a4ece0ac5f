"""Linear and logistic regression with a penalty on the squares of the weights of standardised features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STEPS = 50
SMALL = 1e-8
"""Largest step at which the weights no longer change."""


class Fitted(NamedTuple):
    """Means and spreads of the features, and weights and intercept of the standardised ones."""

    means: Floats
    spreads: Floats
    weights: Floats
    intercept: float

    def __call__(self, x: Floats) -> Floats:
        return np.asarray((x - self.means) / self.spreads @ self.weights + self.intercept)


def sigmoid(values: Floats) -> Floats:
    """Return the logistic function, without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * values)))


def standardised(x: Floats) -> tuple[Floats, Floats]:
    """Return means and spreads; a constant feature has the spread 1."""
    spreads = x.std(axis=0)
    return x.mean(axis=0), np.where(spreads > 1e-12, spreads, 1.0)


def ridges(x: Floats, values: Floats, penalties: Sequence[float]) -> list[Fitted]:
    """Fit a linear regression for each penalty, from one decomposition."""
    means, spreads = standardised(x)
    left, sizes, right = np.linalg.svd((x - means) / spreads, full_matrices=False)
    aim = left.T @ (values - values.mean())
    mean = float(values.mean())
    return [Fitted(means, spreads, right.T @ (sizes / (sizes**2 + one) * aim), mean) for one in penalties]


def logistic_ridge(x: Floats, labels: NDArray[np.bool_], penalty: float) -> Fitted:
    """Fit a logistic regression by Newton steps, in the space that the rows span."""
    means, spreads = standardised(x)
    left, sizes, right = np.linalg.svd((x - means) / spreads, full_matrices=False)
    kept = sizes > 1e-9 * sizes[0] if len(sizes) else np.zeros(0, dtype=bool)
    z = np.column_stack([left[:, kept] * sizes[kept], np.ones(len(x))])
    shrink = np.full(z.shape[1], penalty)
    shrink[-1] = SMALL  # the intercept is free
    weights = np.zeros(z.shape[1])
    for _ in range(STEPS):
        p = sigmoid(z @ weights)
        gradient = z.T @ (labels - p) - shrink * weights
        curvature = (z.T * np.maximum(p * (1 - p), 1e-10)) @ z + np.diag(shrink)
        step = np.linalg.solve(curvature, gradient)
        weights = weights + step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
        if np.abs(step).max() < SMALL:
            break
    return Fitted(means, spreads, right[kept].T @ weights[:-1], float(weights[-1]))


def f_score(labels: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> float:
    """Return F1 of the class True; 0 if it is neither predicted nor present."""
    both = int((labels & predicted).sum())
    return 2 * both / max(1, int(labels.sum()) + int(predicted.sum()))


def macro_f(labels: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> float:
    """Return the mean F1 of both classes."""
    return (f_score(labels, predicted) + f_score(~labels, ~predicted)) / 2
