"""Linear mixed models with crossed and nested random effects, by restricted likelihood (REML).

The model `y ~ x + (1 | item) + (1 | annotator)` of lme4 is `fit(y, x, {"item": .., "annotator": ..})`. A random slope,
such as an annotator's preference for a system, is the factor of both combined.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.stats.distributions import t_quantile, t_two_sided
from assay.stats.minimize import curvature_of, minimize_sizes
from assay.stats.random_effects import Design, Solved
from assay.stats.validation import UndefinedStatistic, finite_vector, group_codes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

STARTS = (0.5, 2.0)
"""Standard deviations of random effects, relative to the residual, from which the search starts."""
LARGEST = 1e8
"""Relative size of an effect above which the residual is lost by rounding."""
NOTHING = 1e-6
"""Share of the total variance below which the residual is 0."""
LOST = "the model has no residual variance; if all annotators agree, compare the items instead"


@dataclass(frozen=True)
class Contrast:
    """A weighted sum of fixed effects with standard error, degrees of freedom, interval, and test against 0."""

    value: float
    error: float
    df: float
    low: float
    high: float
    p: float


@dataclass
class Mixed:
    """A fitted model with variances by factor, `residual` last."""

    fixed: Floats
    covariance: Floats
    """Covariance of the fixed effects."""
    variances: dict[str, float]
    criterion: float
    """Minus twice the (restricted) log-likelihood, constants included."""
    converged: bool
    problem: Problem = field(repr=False)

    def contrast(self, weights: ArrayLike, level: float = 0.95, most: float = math.inf) -> Contrast:
        """Return a weighted sum of fixed effects, with Satterthwaite's degrees of freedom, at most `most`."""
        c = np.asarray(weights, dtype=np.float64)
        value, error = float(c @ self.fixed), math.sqrt(float(c @ self.covariance @ c))
        df = min(self._df(c), most)
        reach = t_quantile((1 + level) / 2, df) * error
        return Contrast(value, error, df, value - reach, value + reach, t_two_sided(value / error, df))

    def _df(self, c: Floats) -> float:
        """Return the degrees of freedom of the variance of a contrast.

        They follow from its gradient in the logarithms of the non-zero variances and the curvature of the criterion.
        """
        slopes, inverse = self._curvature
        slope = np.einsum("kij,i,j->k", slopes, c, c)
        uncertainty = 2 * float(slope @ inverse @ slope)
        spread = float(c @ self.covariance @ c)
        return max(1.0, 2 * spread**2 / uncertainty) if uncertainty > 0 else float(self.problem.n - self.problem.p)

    @cached_property
    def _curvature(self) -> tuple[Floats, Floats]:
        """Gradients of the covariance of the fixed effects, and the inverse of the curvature of the criterion."""
        names = [name for name, variance in self.variances.items() if variance > 0]
        logs = np.log([self.variances[name] for name in names])

        def at(x: Floats) -> Local:
            return self.problem.at(dict(zip(names, np.exp(x).tolist(), strict=True)))

        kept = [name in names for name in (*self.problem.names, "residual")]
        curvature = curvature_of(lambda x: at(x).slope[kept], logs)
        inverse: Floats = np.asarray(np.linalg.pinv(curvature, hermitian=True), dtype=np.float64)
        return at(logs).covariance_slopes[kept], inverse


class Terms(NamedTuple):
    """Cross products of the rows after random effects are removed, their log determinant, and the gradients of both in
    the sizes of the effects."""

    left: Floats
    log_determinant: float
    slopes: Floats
    pulls: Floats


class Local(NamedTuple):
    """Gradients of the criterion and of the covariance of the fixed effects in the logarithms of all variances."""

    slope: Floats
    covariance_slopes: Floats


class Problem:
    """The data in the form that the likelihood needs: cross products of rows and random effects."""

    def __init__(self, y: ArrayLike, x: ArrayLike, factors: Mapping[str, ArrayLike], reml: bool = True) -> None:
        values = finite_vector(y, 3)
        fixed = np.asarray(x, dtype=np.float64).reshape(len(values), -1)
        self.names = list(factors)
        self.n, self.p = fixed.shape
        self.reml = reml
        self.df = self.n - self.p if reml else self.n
        if np.linalg.matrix_rank(fixed) < self.p or self.n <= self.p:
            raise UndefinedStatistic(f"{self.p} fixed effects are not identifiable on {self.n} rows")
        if not factors:
            raise UndefinedStatistic("no group has two rows, so there are no random effects")
        codes = [group_codes(levels) for levels in factors.values()]
        for name, each in zip(self.names, codes, strict=True):
            if int(each.max()) + 1 >= self.n:
                raise UndefinedStatistic(f"every row has its own {name}, so it is not identifiable from the residual")
        self.shift = values.mean()
        rows = np.column_stack([fixed, values - self.shift])
        self.offset = np.linalg.lstsq(fixed, np.full(self.n, self.shift), rcond=None)[0]
        if not np.allclose(fixed @ self.offset, self.shift, rtol=1e-12):  # there is no intercept for the mean
            rows[:, -1], self.offset = values, np.zeros(self.p)
        self.design = Design(codes)
        self.gram = self.design.gram(np.ones(self.n))
        self.right = self.design.gather(rows)
        self.products = rows.T @ rows

    def terms(self, sizes: Floats) -> Terms:
        """Return the terms of the criterion, for sizes of the random effects relative to the residual."""
        design = self.design
        solved = Solved(design, self.gram, sizes)
        right = design.scaled(self.right, sizes)
        diagonals = solved.diagonals()
        effects = solved.solve(right)
        slopes, pulls = [], []
        for k, diagonal, of_factor in zip(range(len(sizes)), diagonals, design.parts(effects), strict=True):
            size = sizes[k] if abs(sizes[k]) > 1e-8 else math.inf  # at 0 the gradient is 0
            slopes.append(2 / size * float(np.sum(1 - diagonal)))
            pulls.append(-2 / size * of_factor.T @ of_factor)
        left = self.products - right.dot(effects)
        if self.residual_squares(left) <= 1e-14 * float(self.products[self.p, self.p]):
            raise UndefinedStatistic(LOST)
        return Terms(left, solved.log_determinant, np.array(slopes), np.array(pulls))

    def residual_squares(self, left: Floats) -> float:
        """Return the penalised residual sum of squares of the best fixed effects."""
        p = self.p
        return float(left[p, p] - left[p, :p] @ np.linalg.solve(left[:p, :p], left[:p, p]))

    def profile(self, sizes: Floats) -> tuple[float, Floats]:
        """Return the criterion with the best fixed effects and residual, and its gradient in the sizes."""
        if float(np.abs(sizes).max()) > LARGEST:
            return math.inf, np.zeros_like(sizes)
        terms = self.terms(sizes)
        squares = self.residual_squares(terms.left)
        _, slope, change = self._determinants(terms)
        return self._criterion(terms, squares), slope + self.df * change / squares

    def _criterion(self, terms: Terms, squares: float) -> float:
        """Return the criterion with the best fixed effects and residual."""
        return self._determinants(terms)[0] + self.df * (1 + math.log(2 * math.pi * squares / self.df))

    def criterion(self, sizes: Floats, residual: float) -> tuple[float, Floats, float]:
        """Return the criterion with the best fixed effects, its gradient in the sizes and in the residual's logarithm.

        The second gradient is that of the residual alone, with sizes relative to it.
        """
        terms = self.terms(sizes)
        squares = self.residual_squares(terms.left)
        logs, slope, change = self._determinants(terms)
        value = logs + self.df * math.log(2 * math.pi * residual) + squares / residual
        return value, slope + change / residual, self.df - squares / residual

    def _determinants(self, terms: Terms) -> tuple[float, Floats, Floats]:
        """Return the log determinants, their gradients, and the gradients of the residual sum of squares."""
        p, left, pulls = self.p, terms.left, terms.pulls
        logs, slope = terms.log_determinant, terms.slopes
        inverse = _inverse(left[:p, :p])
        if self.reml:
            logs += float(np.linalg.slogdet(left[:p, :p])[1])
            slope = slope + np.einsum("ij,kji->k", inverse, pulls[:, :p, :p])
        toward = np.append(-inverse @ left[:p, p], 1.0)
        return logs, slope, np.einsum("i,kij,j->k", toward, pulls, toward)

    def at(self, variances: Mapping[str, float]) -> Local:
        """Return the gradients at these variances; factors that are not named have variance 0."""
        residual = variances["residual"]
        sizes = np.sqrt([variances.get(name, 0.0) / residual for name in self.names])
        terms = self.terms(sizes)
        squares = self.residual_squares(terms.left)
        _, slope, of_squares = self._determinants(terms)
        by_size = (slope + of_squares / residual) * sizes / 2  # in the logarithm of a factor's variance
        inverse = _inverse(terms.left[: self.p, : self.p])
        moves = terms.pulls[:, : self.p, : self.p] * (sizes / 2)[:, None, None]
        change = -residual * inverse @ moves @ inverse
        return Local(
            np.append(by_size, self.df - squares / residual - by_size.sum()),
            np.concatenate([change, (residual * inverse - change.sum(axis=0))[None]]),
        )

    def solve(self, sizes: Floats, converged: bool) -> Mixed:
        """Return the model at the best sizes."""
        terms, p = self.terms(sizes), self.p
        left = terms.left
        squares = self.residual_squares(left)
        criterion, residual = self._criterion(terms, squares), squares / self.df
        inverse = _inverse(left[:p, :p])
        fixed = inverse @ left[:p, p] + self.offset
        variances = {name: residual * size**2 for name, size in zip(self.names, sizes.tolist(), strict=True)}
        if residual <= NOTHING * sum(variances.values()):
            raise UndefinedStatistic(LOST)
        return Mixed(fixed, residual * inverse, {**variances, "residual": residual}, criterion, converged, self)


def fit(
    y: ArrayLike,
    x: ArrayLike,
    factors: Mapping[str, ArrayLike],
    reml: bool = True,
    starts: Sequence[float] = STARTS,
) -> Mixed:
    """Fit a linear mixed model.

    Args:
        y: Responses.
        x: Columns of fixed effects.
        factors: Level of each row, by name of the random effect.
        reml: Whether to maximise the restricted likelihood instead of the likelihood.
        starts: Standard deviations from which the search starts; one is enough where many models are fitted.

    Raises:
        UndefinedStatistic: Effects are not identifiable, or there is no residual variance.
    """
    problem = Problem(y, x, factors, reml)
    points = [np.full(len(problem.names), start) for start in starts]
    sizes, converged = minimize_sizes(problem.profile, points, range(len(problem.names)))
    return problem.solve(sizes, converged)


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
