"""Maps from a score to the human scale, with conformal intervals for single texts (cross-validation+).

Barber et al. (2021), Predictive inference with the jackknife+: a map is fitted without each fold of inputs; the
interval of a new text combines the errors of the left-out texts with the maps that have not seen them. It needs no
assumption about errors, but new texts must come from the same population.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.stats.minimize import minimize
from assay.stats.validation import UndefinedStatistic, group_codes

Values = NDArray[np.float64]
Form = Literal["isotonic", "linear", "ordinal"]
FOLDS = 20
FEWEST = 20
"""Judged texts below which there is no interval."""
BLOCK = 2_000_000
RIDGE = 1e-3
STEP = 1e-6


@dataclass(frozen=True)
class Curve:
    """A monotone map: straight lines between knots, constant outside. A linear map continues beyond them."""

    x: Values
    y: Values
    continues: bool = False

    def __call__(self, score: Values) -> Values:
        if self.continues:
            slope = (self.y[-1] - self.y[0]) / (self.x[-1] - self.x[0])
            return np.asarray(self.y[0] + slope * (score - self.x[0]))
        return np.interp(score, self.x, self.y)

    def record(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {"x": self.x.tolist(), "y": self.y.tolist(), "continues": self.continues}


def fit_curve(score: Values, human: Values, form: Form) -> Curve:
    """Fit the human value as a function of the score.

    Raises:
        UndefinedStatistic: All scores are equal.
    """
    if not len(score) or score.min() == score.max():
        raise UndefinedStatistic("all scores are equal, so that they say nothing about the judgements")
    if form == "isotonic":
        return _isotonic(score, human)
    if form == "linear":
        centred = score - score.mean()
        slope = float(centred @ human) / float(centred @ centred)
        ends = np.array([score.min(), score.max()])
        return Curve(ends, human.mean() + slope * (ends - score.mean()), True)
    return _ordinal(score, human)


def _isotonic(score: Values, human: Values) -> Curve:
    """Return the non-decreasing least-squares fit (pool adjacent violators)."""
    x, place = np.unique(score, return_inverse=True)
    weight = np.bincount(place).astype(np.float64)
    means = np.bincount(place, human) / weight
    blocks: list[list[float]] = []
    for value, size in zip(means, weight, strict=True):
        blocks.append([float(value), float(size), 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            value_b, size_b, count_b = blocks.pop()
            value_a, size_a, count_a = blocks.pop()
            total = size_a + size_b
            blocks.append([(value_a * size_a + value_b * size_b) / total, total, count_a + count_b])
    return Curve(x, np.repeat([each[0] for each in blocks], [int(each[2]) for each in blocks]))


def _ordinal(score: Values, human: Values) -> Curve:
    """Return the expected level of a proportional-odds model, on a grid of scores."""
    levels, level = np.unique(human, return_inverse=True)
    if len(levels) < 2:
        raise UndefinedStatistic("all judgements are equal, so that there is nothing to fit")
    spread, middle = float(score.std()), float(score.mean())
    z = (score - middle) / spread
    many = len(levels)
    shares = np.clip(np.cumsum(np.bincount(level))[:-1] / len(level), 0.01, 0.99)
    cuts = np.log(shares / (1 - shares))
    start = np.concatenate([[0.0], cuts[:1], np.log(np.maximum(np.diff(cuts), 1e-3))])

    def chances(parameters: Values, at: Values) -> Values:
        edges = np.concatenate([parameters[1:2], parameters[1] + np.cumsum(np.exp(np.clip(parameters[2:], -20, 5)))])
        below = 1 / (1 + np.exp(-np.clip(edges[None, :] - parameters[0] * at[:, None], -30, 30)))
        ends = np.concatenate([np.zeros((len(at), 1)), below, np.ones((len(at), 1))], axis=1)
        return np.asarray(np.diff(ends, axis=1))

    def loss(parameters: Values) -> float:
        own = chances(parameters, z)[np.arange(len(z)), level]
        return float(-np.log(np.maximum(own, 1e-12)).mean() + RIDGE * parameters[0] ** 2)

    def with_gradient(parameters: Values) -> tuple[float, Values]:
        steps = np.eye(len(parameters)) * STEP
        slopes = [(loss(parameters + step) - loss(parameters - step)) / (2 * STEP) for step in steps]
        return loss(parameters), np.array(slopes)

    fitted, _ = minimize(with_gradient, start, 1e-6)
    if many == 2:
        fitted = fitted[:2]
    grid = np.linspace(score.min(), score.max(), 200)
    return Curve(grid, chances(fitted, (grid - middle) / spread) @ levels)


@dataclass(frozen=True)
class Calibration:
    """A map of all judged texts, and for intervals the maps without each fold and the errors of the left-out texts."""

    curve: Curve
    folds: tuple[Curve, ...]
    fold: NDArray[np.int64]
    """Fold of each judged text."""
    error: Values
    """Absolute error of each judged text by the map without its fold."""
    low: float
    high: float
    """Ends of the human scale."""

    def predict(self, score: Values) -> Values:
        """Return the human value of each score."""
        return np.clip(self.curve(score), self.low, self.high)

    def intervals(self, score: Values, level: float = 0.9) -> tuple[Values, Values]:
        """Return the interval of each text; the whole scale if the judged texts are too few for the level."""
        many = len(self.error)
        rank = int(np.ceil(level * (many + 1)))
        if rank > many:
            return np.full(len(score), self.low), np.full(len(score), self.high)
        low, high = np.empty(len(score)), np.empty(len(score))
        block = max(1, BLOCK // many)
        for start in range(0, len(score), block):
            part = slice(start, start + block)
            own = np.stack([curve(score[part]) for curve in self.folds])[self.fold]
            low[part] = np.partition(own - self.error[:, None], many - rank, axis=0)[many - rank]
            high[part] = np.partition(own + self.error[:, None], rank - 1, axis=0)[rank - 1]
        return np.clip(low, self.low, self.high), np.clip(high, self.low, self.high)


def calibrate(
    score: Values, human: Values, cluster: Any, form: Form, ends: tuple[float, float], seed: int = 0
) -> Calibration:
    """Fit a map and the maps without each fold of clusters.

    Args:
        score: Scores of the judged texts.
        human: Their human values.
        cluster: Input of each text; texts of one input are left out together.
        form: Form of the map.
        ends: Ends of the human scale.
        seed: Random seed of the folds.

    Raises:
        UndefinedStatistic: Too few judged texts or inputs, or equal scores.
    """
    code = group_codes(cluster)
    groups = int(code.max(initial=-1)) + 1
    if len(score) < FEWEST or groups < 5:
        raise UndefinedStatistic(
            f"{len(score)} judged texts of {groups} inputs; {FEWEST} of at least 5 inputs are needed"
        )
    many = min(FOLDS, groups)
    order = np.random.default_rng(seed).permutation(groups)
    of_group = np.empty(groups, dtype=np.int64)
    of_group[order] = np.arange(groups) % many
    fold = of_group[code]
    curves = tuple(fit_curve(score[fold != each], human[fold != each], form) for each in range(many))
    left_out = np.stack([curve(score) for curve in curves])[fold, np.arange(len(score))]
    return Calibration(fit_curve(score, human, form), curves, fold, np.abs(human - left_out), *ends)


def shift_p(first: Values, second: Values, permutations: int = 500, seed: int = 0) -> tuple[float, float]:
    """Return the largest distance of two distributions (Kolmogorov and Smirnov), and p by random permutations."""
    both = np.concatenate([first, second])
    order = np.argsort(both, kind="stable")
    last = np.append(np.diff(both[order]) > 0, True)
    sign = np.where(np.arange(len(both)) < len(first), 1 / len(first), -1 / len(second))

    def distance(signs: Values) -> float:
        return float(np.abs(np.cumsum(signs)[last]).max())

    observed = distance(sign[order])
    rng = np.random.default_rng(seed)
    extreme = sum(distance(rng.permutation(sign)) >= observed - 1e-12 for _ in range(permutations))
    return observed, (1 + extreme) / (1 + permutations)
