"""Variance components of items, annotators, seeds or decoding runs, crossed or nested.

In a balanced design (all combinations equally often) the components are estimated from mean squares. A negative
estimate is set to 0, with a note. Otherwise they are estimated by restricted likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.mixed import fit
from assay.stats.profile_interval import variance_interval
from assay.stats.random_effects import within
from assay.stats.validation import UndefinedStatistic, finite_vector, group_codes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int64]

CHI_SQUARE_DRAWS = 20_000
"""Random chi-square values for an interval."""


@dataclass(frozen=True)
class Component:
    """The variance of one factor, its interval, its share of the total, and its number of levels."""

    name: str
    variance: float
    low: float
    high: float | None
    share: float
    levels: int
    estimate: float
    """Estimate before a negative value is set to 0."""


@dataclass(frozen=True)
class Components:
    """All components, the residual last, and the method of estimation."""

    parts: dict[str, Component]
    method: str
    notes: tuple[str, ...] = ()

    def variance(self, name: str) -> float:
        return self.parts[name].variance


def components(values: ArrayLike, factors: Mapping[str, ArrayLike], level: float = 0.95, seed: int = 0) -> Components:
    """Estimate the variance components of rows that belong to one level of each factor.

    Args:
        values: One value per row.
        factors: Level of each row, by factor. A nested factor has its own levels in each level of the outer one
            (`group_codes(seed, run)`).
        level: Confidence level.
        seed: Random seed of the intervals.

    Returns:
        Components by factor, and `residual`: with one row per combination, the interaction and noise.
    """
    y = finite_vector(values, 3)
    codes = {name: group_codes(column) for name, column in factors.items()}
    for name, each in codes.items():
        if len(each) != len(y):
            raise UndefinedStatistic(f"there are {len(y)} values and {len(each)} levels of {name}")
        if int(each.max()) + 1 in (1, len(y)):
            few = "one level" if each.max() == 0 else "a level for every row"
            raise UndefinedStatistic(f"{name} has {few}, so it has no component of variance of its own")
    squares = _mean_squares(y, codes)
    return _restricted(y, codes, level) if squares is None else _analysis_of_variance(*squares, codes, level, seed)


def _mean_squares(y: Floats, codes: Mapping[str, Codes]) -> tuple[dict[str, float], dict[str, int]] | None:
    """Return sums of squares and degrees of freedom of each factor and the residual; None if not independent."""
    if not balanced(codes):
        return None
    squares: dict[str, float] = {}
    freedom: dict[str, int] = {}
    y = y - y.mean()
    for name in sorted(codes, key=lambda each: int(codes[each].max())):
        each = codes[name]
        size = np.bincount(each)
        coarser = [other for other in squares if within(each, codes[other])]
        squares[name] = float(np.sum(np.bincount(each, y) ** 2 / size)) - sum(squares[other] for other in coarser)
        freedom[name] = len(size) - 1 - sum(freedom[other] for other in coarser)
    squares["residual"] = max(0.0, float(y @ y) - sum(squares.values()))
    freedom["residual"] = len(y) - 1 - sum(freedom.values())
    return (squares, freedom) if min(freedom.values()) > 0 else None


def balanced(codes: Mapping[str, Codes]) -> bool:
    """Return whether all levels of a factor have equally many rows, and all pairs of factors are evenly crossed."""
    if any(len(set(np.bincount(each).tolist())) > 1 for each in codes.values()):
        return False
    names = list(codes)
    whole = np.zeros_like(codes[names[0]])
    for k, a in enumerate(names):
        for b in names[:k]:
            if within(codes[a], codes[b]) or within(codes[b], codes[a]):
                continue
            holding = [codes[c] for c in names if within(codes[a], codes[c]) and within(codes[b], codes[c])]
            outer = max(holding, key=lambda each: int(each.max()), default=whole)
            cells = np.bincount(group_codes(codes[a], codes[b]))
            possible = _levels_by(codes[a], outer) @ _levels_by(codes[b], outer)
            if len(set(cells.tolist())) > 1 or len(cells) != possible:
                return False
    return True


def _levels_by(codes: Codes, outer: Codes) -> Codes:
    """Return the number of levels of a factor in each level of an outer factor."""
    outer_of = np.empty(int(codes.max()) + 1, dtype=np.int64)
    outer_of[codes] = outer
    return np.bincount(outer_of, minlength=int(outer.max()) + 1)


def _analysis_of_variance(
    squares: dict[str, float], freedom: dict[str, int], codes: Mapping[str, Codes], level: float, seed: int
) -> Components:
    """Estimate components from mean squares, with generalised confidence intervals (Weerahandi).

    For the intervals, each mean square is replaced by random values from its chi-square distribution.
    """
    rng = np.random.default_rng(seed)
    names = sorted(codes, key=lambda name: -int(codes[name].max()))
    random = {name: squares[name] / rng.chisquare(freedom[name], CHI_SQUARE_DRAWS) for name in ("residual", *names)}
    point = {name: np.array([squares[name] / freedom[name]]) for name in random}
    estimates, allowed = (_solve(mean, names, codes) for mean in (point, random))
    tail = 100 * (1 - level) / 2
    parts, notes = {}, []
    total = sum(max(0.0, float(estimates[name][0])) for name in estimates)
    for name in (*codes, "residual"):
        low, high = np.percentile(np.maximum(allowed[name], 0.0), [tail, 100 - tail]).tolist()
        raw = float(estimates[name][0])
        if raw < 0:
            notes.append(f"{name}: the estimate is negative ({raw:.4g}) and was set to 0")
        kept = max(0.0, raw)
        levels = int(codes[name].max()) + 1 if name in codes else len(next(iter(codes.values())))
        parts[name] = Component(name, kept, low, high, kept / total if total else 0.0, levels, raw)
    return Components(parts, "mean squares", tuple(notes))


def _solve(mean: Mapping[str, Floats], names: list[str], codes: Mapping[str, Codes]) -> dict[str, Floats]:
    """Solve mean squares for components: each contains the residual and all nested factors, times their rows."""
    variances = {"residual": mean["residual"]}
    for name in names:  # nested factors first
        finer = [other for other in names if other in variances and within(codes[other], codes[name])]
        rest = mean[name] - mean["residual"]
        rest = rest - sum((variances[other] * _rows(codes[other]) for other in finer), np.zeros(1))
        variances[name] = rest / _rows(codes[name])
    return variances


def _rows(codes: Codes) -> float:
    return len(codes) / (int(codes.max()) + 1)


def _restricted(y: Floats, codes: Mapping[str, Codes], level: float) -> Components:
    """Estimate components by restricted likelihood, with intervals by its profile."""
    model = fit(y, np.ones(len(y)), codes)
    total = sum(model.variances.values())
    parts, notes = {}, []
    for name, variance in model.variances.items():
        levels = int(codes[name].max()) + 1 if name in codes else len(y)
        low, high = variance_interval(model, name, level)
        if variance == 0:
            notes.append(f"{name}: the estimate is 0")
        if high is None:
            notes.append(f"{name}: the data do not limit the variance from above")
        parts[name] = Component(name, variance, low, high, variance / total, levels, variance)
    if not model.converged:
        notes.append("the fit did not converge")
    return Components(parts, "restricted likelihood", tuple(notes))
