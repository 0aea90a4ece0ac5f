"""Ordinal mixed models, for ordered answers (1 to 5) without known distances.

A cumulative logit model, P(answer <= j) = logistic(threshold_j - x'b - effects), with a random effect for every level
of crossed and nested factors, fitted by maximum likelihood in Laplace's approximation, as in `ordinal::clmm`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.minimize import curvature_of, minimize_sizes
from assay.stats.random_effects import Design, Solved, Vector
from assay.stats.validation import UndefinedStatistic, group_codes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

FAR = 50.0
"""Argument beyond which the logistic function is 0 or 1 to the last bit."""
NEWTON = 50
SEPARATED = 15.0
"""Difference in logits above which an effect is not estimated: one side has a single answer."""


@dataclass(frozen=True)
class Ordinal:
    """A fitted model: thresholds between answers, fixed effects in logits, and variances by factor."""

    thresholds: Floats
    fixed: Floats
    covariance: Floats
    """Covariance of the fixed effects."""
    errors: Floats
    """Standard errors of the thresholds."""
    variances: dict[str, float]
    log_likelihood: float
    converged: bool


class _Likelihood:
    """Laplace's approximation of minus the log-likelihood, and its gradient in thresholds, fixed effects and sizes."""

    def __init__(
        self, y: ArrayLike, x: ArrayLike, factors: Mapping[str, ArrayLike], penalty: ArrayLike | None = None
    ) -> None:
        answers = np.asarray(y)
        self.levels, codes = np.unique(answers, return_inverse=True)
        self.codes = codes.reshape(-1)
        if len(self.levels) < 2:
            raise UndefinedStatistic("all answers are identical, so there is no model")
        self.x = np.asarray(x, dtype=np.float64).reshape(len(answers), -1)
        self.cuts = len(self.levels) - 1
        self.penalty = np.zeros((self.x.shape[1],) * 2) if penalty is None else np.asarray(penalty, dtype=np.float64)
        full = np.column_stack([np.ones(len(answers)), self.x])
        if np.linalg.matrix_rank(full) < full.shape[1]:
            raise UndefinedStatistic(f"{self.x.shape[1]} fixed effects are not identifiable from the thresholds")
        self.design = Design([group_codes(levels) for levels in factors.values()])
        count, slots, columns = self.design.shape
        self.modes = Vector(np.zeros((count, slots, 1)), np.zeros((columns, 1)))

    def split(self, at: Floats) -> tuple[Floats, Floats, Floats]:
        return at[: self.cuts], at[self.cuts : self.cuts + self.x.shape[1]], at[self.cuts + self.x.shape[1] :]

    def ends(self, thresholds: Floats, where: Floats) -> tuple[Floats, Floats]:
        """Return the ends of the interval of the latent variable for each answer."""
        edges = np.concatenate([[-np.inf], thresholds, [np.inf]])
        return edges[self.codes + 1] - where, edges[self.codes] - where

    def value_and_slope(self, at: Floats) -> tuple[float, Floats]:
        """Return value and gradient; infinity if thresholds are not increasing, or parameters are very large."""
        usable = bool(np.all(np.diff(at[: self.cuts]) > 0)) and float(np.abs(at).max()) < 1e3
        return self._inside(at) if usable else (math.inf, np.zeros_like(at))

    def _inside(self, at: Floats) -> tuple[float, Floats]:
        thresholds, fixed, sizes = self.split(at)
        design, line = self.design, self.x @ fixed
        modes, where, solved = self._modes(thresholds, line, sizes)
        high, low = self.ends(thresholds, where)
        upper, lower = _logistic(high), _logistic(low)
        peak_up, peak_low = upper * (1 - upper), lower * (1 - lower)
        bend_up, bend_low = peak_up * (1 - 2 * upper), peak_low * (1 - 2 * lower)
        score, weight, turn = upper + lower - 1, peak_up + peak_low, -(bend_up + bend_low)
        total = -float(_log_interval(high, low).sum()) + float(modes.dot(modes)[0, 0]) / 2 + solved.log_determinant / 2
        total += float(fixed @ self.penalty @ fixed) / 2

        # the gradient of the determinant in each row's weight, directly and through the modes
        reach, parts = self._leverage(solved, sizes)
        moved = solved.solve(design.scaled(design.gather((reach * turn / 2)[:, None]), sizes))
        along = self._along(moved, sizes)
        first = -score + reach * turn / 2 - along * weight  # derivative in the linear predictor of a row
        slope = np.empty_like(at)
        edge_up = -_density_share(high, low, upper) + reach * bend_up / 2 + along * peak_up
        edge_low = _density_share(high, low, lower) + reach * bend_low / 2 + along * peak_low
        slope[: self.cuts] = np.bincount(self.codes, edge_up)[:-1] + np.bincount(self.codes, edge_low)[1:]
        slope[self.cuts : self.cuts + len(fixed)] = self.x.T @ first + self.penalty @ fixed
        for k in range(len(sizes)):
            effect, back = design.pick(modes, k), design.pick(moved, k)
            slope[self.cuts + len(fixed) + k] = float(effect @ first + weight @ parts[k] + back @ score)
        return total, slope

    def _modes(self, thresholds: Floats, line: Floats, sizes: Floats) -> tuple[Vector, Floats, Solved]:
        """Return the modes of the random effects (in standard deviations), by Newton steps from the last modes."""
        design, modes = self.design, self.modes

        def cost(effects: Vector) -> tuple[float, Floats]:
            where = line + self._along(effects, sizes)
            likely = float(_log_interval(*self.ends(thresholds, where)).sum())
            return float(effects.dot(effects)[0, 0]) / 2 - likely, where

        value, where = cost(modes)
        for _ in range(NEWTON):
            high, low = self.ends(thresholds, where)
            upper, lower = _logistic(high), _logistic(low)
            solved = Solved(design, design.gram(upper * (1 - upper) + lower * (1 - lower)), sizes)
            pull = design.scaled(design.gather((upper + lower - 1)[:, None]), sizes)
            rest = Vector(pull.blocks - modes.blocks, pull.dense - modes.dense)
            if float(rest.dot(rest)[0, 0]) < 1e-14 * max(1.0, float(modes.dot(modes)[0, 0])):
                break
            step, length = solved.solve(rest), 1.0
            while length > 1e-6:
                tried = Vector(modes.blocks + length * step.blocks, modes.dense + length * step.dense)
                following, there = cost(tried)
                if following <= value + 1e-12 * abs(value):
                    break
                length /= 2
            else:
                break
            modes, value, where = tried, following, there
        self.modes = modes
        return modes, where, solved

    def _along(self, effects: Vector, sizes: Floats) -> Floats:
        """Return the sum of the effects of each row."""
        return np.asarray(sum(size * self.design.pick(effects, k) for k, size in enumerate(sizes)))

    def _leverage(self, solved: Solved, sizes: Floats) -> tuple[Floats, list[Floats]]:
        """Return z'T M^-1 T z of each row, and its part for each factor, not yet multiplied by the factor's size."""
        design = self.design
        columns = design.shape[2]
        rows = np.arange(len(self.codes))
        q = np.zeros((len(rows), columns))
        within: Floats = np.zeros((len(rows), design.shape[1]))
        for k, (places, inside) in enumerate(zip(design.places, design.inside, strict=True)):
            if inside:
                q -= sizes[k] * solved.carried_to(places)
                within += sizes[k] * solved.inverse[design.block, places]
            else:
                q[rows, places] += sizes[k]
        r = np.linalg.solve(solved.rest, q.T).T if columns else q
        parts = []
        for places, inside in zip(design.places, design.inside, strict=True):
            if inside:
                parts.append(within[rows, places] - np.einsum("nd,nd->n", solved.carried_to(places), r))
            else:
                parts.append(r[rows, places])
        return np.asarray(sum(size * part for size, part in zip(sizes, parts, strict=True))), parts


def fit_ordinal(
    y: ArrayLike, x: ArrayLike, factors: Mapping[str, ArrayLike], penalty: ArrayLike | None = None
) -> Ordinal:
    """Fit an ordinal mixed model.

    If the answers under two fixed effects do not overlap (separation), the estimate is infinite; a penalty keeps it
    finite.

    Args:
        y: Ordered answers.
        x: Columns of fixed effects, without an intercept, which the thresholds replace.
        factors: Level of each row, by name of the random effect.
        penalty: Inverse covariance of a normal prior of the fixed effects (default: none).
    """
    likelihood = _Likelihood(y, x, factors, penalty)
    share = np.cumsum(np.bincount(likelihood.codes))[:-1] / len(likelihood.codes)
    cuts, p = likelihood.cuts, likelihood.x.shape[1]
    start = np.concatenate([np.log(share / (1 - share)) * 1.3, np.zeros(p), np.full(len(factors), 0.7)])
    at, converged = minimize_sizes(likelihood.value_and_slope, [start], range(cuts + p, len(start)))
    # variances of 0 are at the boundary and have no curvature
    free = np.flatnonzero(np.concatenate([np.ones(cuts + p, dtype=bool), at[cuts + p :] > 0]))

    def slope(inner: Floats) -> Floats:
        whole = at.copy()
        whole[free] = inner
        return likelihood.value_and_slope(whole)[1][free]

    covariance: Floats = np.asarray(np.linalg.pinv(curvature_of(slope, at[free]), hermitian=True), dtype=np.float64)
    thresholds, fixed, sizes = likelihood.split(at)
    variances = {name: float(size) ** 2 for name, size in zip(factors, sizes, strict=True)}
    errors = np.sqrt(np.maximum(np.diag(covariance)[:cuts], 0))
    return Ordinal(
        thresholds, fixed, covariance[cuts : cuts + p, cuts : cuts + p], errors, variances,
        -likelihood.value_and_slope(at)[0], converged and bool(np.all(np.abs(fixed) < SEPARATED)),
    )  # fmt: skip


def _logistic(z: Floats) -> Floats:
    return np.where(z < -FAR, 0.0, 1 / (1 + np.exp(-np.clip(z, -FAR, FAR))))


def _log_interval(high: Floats, low: Floats) -> Floats:
    """Return log(logistic(high) - logistic(low)), exact if both are close to 0 or close to 1."""
    gap = np.where(np.isinf(high) | np.isinf(low), np.inf, high - low)
    near = np.where(np.isinf(gap), 0.0, np.log(-np.expm1(-np.where(np.isinf(gap), 1.0, gap))))
    return np.asarray(-np.logaddexp(0, -high) - np.logaddexp(0, low) + near)


def _density_share(high: Floats, low: Floats, end: Floats) -> Floats:
    """Return the density at one end of an answer's interval divided by the probability of the interval."""
    return np.asarray(end * (1 - end) * np.exp(-_log_interval(high, low)))
