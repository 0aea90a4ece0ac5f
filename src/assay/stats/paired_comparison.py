"""Strengths of systems from pairwise choices: Bradley and Terry (1952), with ties Davidson (1970), and covariates.

A choice between i and j is a multinomial logit: i wins with the weight exp(s_i + x b / 2), j with exp(s_j - x b / 2),
and a tie has the weight exp((s_i + s_j) / 2 + t). Covariates x, such as the difference in length, are 0 for a fair
comparison, so that the strengths are those at equal length. Without ties and covariates this is Bradley and Terry.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.distributions import normal_two_sided
from assay.stats.validation import UndefinedStatistic, group_codes

Floats = NDArray[np.float64]
STEPS = 200
SINGULAR = 1e-10
"""Singular values below this share of the largest are 0: only differences of strengths are determined."""
CLOSE = 1e-12


@dataclass(frozen=True)
class PairedComparison:
    """Fitted strengths (mean 0) with their covariance, the tie parameter and covariate effects."""

    systems: tuple[str, ...]
    strengths: Floats
    covariance: Floats
    """Of the strengths, robust to choices that share an item."""
    tie: float | None
    """Davidson's nu = exp(t); 0 means no ties."""
    effects: dict[str, tuple[float, float]]
    """Effect of each covariate with its standard error."""
    items: int

    def interval(self, place: int, z: float = 1.959963984540054) -> tuple[float, float]:
        """Return the 95 % confidence interval of a strength."""
        reach = z * math.sqrt(max(0.0, self.covariance[place, place]))
        return float(self.strengths[place] - reach), float(self.strengths[place] + reach)

    def difference(self, a: int, b: int) -> tuple[float, float, float]:
        """Return the difference of two strengths, its standard error and its p value."""
        value = float(self.strengths[a] - self.strengths[b])
        variance = self.covariance[a, a] + self.covariance[b, b] - 2 * self.covariance[a, b]
        error = math.sqrt(max(0.0, float(variance)))
        return value, error, normal_two_sided(value / error) if error else float(value == 0)

    def win_probability(self, a: int, b: int) -> float:
        """Return the probability that a is better than b, ties divided."""
        p = _probabilities(np.array([[self.strengths[a], self.strengths[b]]]), self.tie)[0]
        return float(p[0] + p[2] / 2)


def paired_comparison(
    first: Sequence[str], second: Sequence[str], results: ArrayLike, items: Sequence[str],
    covariates: Mapping[str, ArrayLike] | None = None, ties: bool | None = None,
) -> PairedComparison:  # fmt: skip
    """Fit the strengths of systems by maximum likelihood.

    Args:
        first: First system of each choice.
        second: Second system of each choice.
        results: 1 if the first won, 0 if the second did, 0.5 for a tie.
        items: Item of each choice; choices about an item are not independent.
        covariates: Columns that are positive in favour of the first system.
        ties: Whether to fit a tie parameter (default: if there are ties).

    Raises:
        UndefinedStatistic: systems are not connected by wins, so that a strength is infinite.
    """
    y = np.asarray(results, dtype=np.float64)
    names = sorted({*first, *second})
    place = {name: i for i, name in enumerate(names)}
    a, b = (np.array([place[name] for name in side]) for side in (first, second))
    with_ties = bool(np.any(y == 0.5)) if ties is None else ties
    _refuse_unconnected(names, a, b, y)
    columns = {name: np.asarray(column, dtype=np.float64) for name, column in (covariates or {}).items()}
    features = _features(len(names), a, b, columns, with_ties)
    chosen = np.where(y == 1, 0, np.where(y == 0, 1, 2))
    if not with_ties and np.any(chosen == 2):
        raise UndefinedStatistic("there are ties; fit them (Davidson), or count each as half a win of both")
    weights, information, scores = _fit(features, chosen)
    codes = group_codes(np.asarray(items))
    groups = int(codes.max()) + 1
    summed = np.zeros((groups, scores.shape[1]))
    np.add.at(summed, codes, scores)
    inverse = np.linalg.pinv(information, rtol=SINGULAR, hermitian=True)
    small = groups / (groups - 1) if groups > 1 else 1.0
    robust = inverse @ (summed.T @ summed) @ inverse * small
    many = len(names)
    centre = np.eye(many) - 1 / many
    effects = {
        name: (float(weights[many + i]), math.sqrt(max(0.0, robust[many + i, many + i])))
        for i, name in enumerate(columns)
    }
    tie = float(math.exp(weights[-1])) if with_ties else None
    return PairedComparison(
        tuple(names), centre @ weights[:many], centre @ robust[:many, :many] @ centre, tie, effects, groups
    )


def _features(many: int, a: NDArray[np.int64], b: NDArray[np.int64], columns: dict[str, Floats], ties: bool) -> Floats:
    """Return the features of the three outcomes of each choice."""
    n = len(a)
    features = np.zeros((n, 3 if ties else 2, many + len(columns) + ties))
    rows = np.arange(n)
    features[rows, 0, a] = features[rows, 1, b] = 1
    for i, column in enumerate(columns.values()):
        features[:, 0, many + i], features[:, 1, many + i] = column / 2, -column / 2
    if ties:
        features[rows, 2, a] = features[rows, 2, b] = 0.5
        features[:, 2, -1] = 1
    return features


def _fit(features: Floats, chosen: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """Return weights, information and the score of each choice, by Newton's method with step halving."""
    weights = np.zeros(features.shape[2])
    rows = np.arange(len(chosen))
    picked = features[rows, chosen]

    def loss(at: Floats) -> float:
        logits = features @ at
        top = logits.max(axis=1)
        return float(np.sum(np.log(np.exp(logits - top[:, None]).sum(axis=1)) + top - picked @ at))

    before = loss(weights)
    for _ in range(STEPS):
        shares = _shares(features @ weights)
        expected = np.einsum("no,nof->nf", shares, features)
        scores = picked - expected
        information = np.einsum("no,nof,nog->fg", shares, features, features) - expected.T @ expected
        step = np.linalg.pinv(information, rtol=SINGULAR, hermitian=True) @ scores.sum(axis=0)
        size = 1.0
        while loss(weights + size * step) > before + 1e-12 and size > 1e-8:
            size /= 2
        weights = weights + size * step
        now = loss(weights)
        if float(np.abs(step).max()) < CLOSE or before - now < 1e-15 * max(1.0, abs(before)):
            break
        before = now
    return weights, information, scores


def _shares(logits: Floats) -> Floats:
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def _probabilities(strengths: Floats, tie: float | None) -> Floats:
    """Return the probabilities of win, loss and tie of pairs of strengths."""
    middle = strengths.mean(axis=1) + (math.log(tie) if tie else -math.inf)
    return _shares(np.column_stack([strengths, middle]))


def _refuse_unconnected(names: Sequence[str], a: NDArray[np.int64], b: NDArray[np.int64], y: Floats) -> None:
    """Raise if some systems never lose, even by a tie, to the others: their strength would be infinite."""
    beats = np.zeros((len(names), len(names)), dtype=bool)
    beats[a[y > 0], b[y > 0]] = True
    beats[b[y < 1], a[y < 1]] = True
    reach = beats | np.eye(len(names), dtype=bool)
    for _ in names:
        reach = reach | (reach.astype(np.int64) @ reach.astype(np.int64) > 0)
    if not reach.all():
        i, j = (int(each[0]) for each in np.nonzero(~reach))
        raise UndefinedStatistic(
            f"{names[i]} never wins against {names[j]}, directly or by way of others, so strengths are not finite; "
            "compare more systems or items"
        )
