"""Inter-annotator agreement: percent, majority share, Fleiss, Cohen, Krippendorff and Gwet.

Ratings are a table items x annotators with NaN for missing answers. Every coefficient takes item weights, so that a
bootstrap over items uses the same formula with other weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

Level = Literal["nominal", "ordinal", "interval"]
Weighting = Literal["none", "linear", "quadratic"]


@dataclass(frozen=True)
class Ratings:
    """Ratings as codes (items x annotators, -1 for missing) and as counts (items x distinct values)."""

    values: NDArray[np.float64]
    codes: NDArray[np.int64]
    counts: NDArray[np.float64]

    @property
    def items(self) -> int:
        return len(self.codes)

    @cached_property
    def shared(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """All pairs of answers to one item: number of the annotator pair, item, and the codes of both."""
        columns = range(self.codes.shape[1])
        pairs, items = [], []
        for number, (first, second) in enumerate(combinations(columns, 2)):
            common = np.flatnonzero((self.codes[:, first] >= 0) & (self.codes[:, second] >= 0))
            pairs.append(np.tile([number, first, second], (len(common), 1)))
            items.append(common)
        if not pairs:
            return (np.empty(0, dtype=np.int64),) * 4
        number, first, second = np.concatenate(pairs).T
        item = np.concatenate(items)
        _, dense = np.unique(number, return_inverse=True)
        return dense.reshape(-1), item, self.codes[item, first], self.codes[item, second]

    def without(self, annotator: int) -> Ratings:
        """Return the ratings without one annotator."""
        return tabulate(np.delete(self.table, annotator, axis=1))

    @property
    def table(self) -> NDArray[np.float64]:
        """The table items x annotators, NaN for missing answers."""
        return np.where(self.codes >= 0, self.values[self.codes], np.nan)


def tabulate(table: ArrayLike) -> Ratings:
    """Return the ratings of a table items x annotators (NaN for missing answers)."""
    ratings = np.asarray(table, dtype=np.float64)
    if ratings.ndim != 2 or ratings.shape[1] < 2:
        raise UndefinedStatistic("agreement needs at least two annotators; there is one")
    known = ~np.isnan(ratings)
    if not np.any(known.sum(axis=1) >= 2):
        raise UndefinedStatistic("no item was judged by two annotators, so agreement cannot be measured")
    values, inverse = np.unique(ratings[known], return_inverse=True)
    codes = np.full(ratings.shape, -1, dtype=np.int64)
    codes[known] = inverse.reshape(-1)
    counts = np.zeros((len(ratings), len(values)))
    rows = np.nonzero(known)[0]
    np.add.at(counts, (rows, codes[known]), 1)
    return Ratings(values, codes, counts)


def from_counts(table: ArrayLike) -> Ratings:
    """Return the ratings of a table items x categories of vote counts, for Fleiss, percent and majority share."""
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.sum(axis=1).max(initial=0) < 2:
        raise UndefinedStatistic("no item has two votes, so agreement cannot be measured")
    return Ratings(np.arange(counts.shape[1], dtype=np.float64), np.full((len(counts), 0), -1), counts)


def percent(ratings: Ratings, weights: NDArray[np.float64] | None = None) -> float:
    """Return the mean over items of the share of annotator pairs with the same answer."""
    rows, w = _paired(ratings, weights)
    return float(np.average(_pair_share(rows), weights=w))


def majority_share(ratings: Ratings, weights: NDArray[np.float64] | None = None) -> float:
    """Return the mean over items of the share of annotators who gave the most frequent answer."""
    rows, w = _paired(ratings, weights)
    return float(np.average(rows.max(axis=1) / rows.sum(axis=1), weights=w))


def fleiss(ratings: Ratings, weights: NDArray[np.float64] | None = None) -> float:
    """Return Fleiss' kappa; items can have different numbers of answers."""
    rows, w = _paired(ratings, weights)
    shares = w @ rows / float(np.sum(w @ rows))
    expected = float(np.sum(shares**2))
    if expected == 1:
        raise UndefinedStatistic("all answers are identical, so expected agreement is 1 and kappa has no value")
    return (float(np.average(_pair_share(rows), weights=w)) - expected) / (1 - expected)


def mean_cohen(ratings: Ratings, weighting: Weighting = "none", weights: NDArray[np.float64] | None = None) -> float:
    """Return Cohen's kappa averaged over pairs of annotators, weighted by their number of common items."""
    pair, item, a, b = ratings.shared
    if not len(pair):
        raise UndefinedStatistic("no two annotators have an item in common")
    w = np.ones(ratings.items) if weights is None else weights
    k, pairs = len(ratings.values), int(pair.max()) + 1
    tables = np.bincount((pair * k + a) * k + b, weights=w[item], minlength=pairs * k * k).reshape(pairs, k, k)
    common = tables.sum(axis=(1, 2))
    distance = _distance(ratings.values, weighting)
    observed = np.einsum("pij,ij->p", tables, distance)
    expected = np.einsum("pi,ij,pj->p", tables.sum(axis=2), distance, tables.sum(axis=1))
    has_kappa = expected > 0  # a pair that used one value only has none
    if not has_kappa.any():
        raise UndefinedStatistic("no pair of annotators has a kappa on common items")
    kappa = 1 - (observed * common)[has_kappa] / expected[has_kappa]
    return float(np.average(kappa, weights=common[has_kappa]))


def krippendorff(ratings: Ratings, level: Level = "ordinal", weights: NDArray[np.float64] | None = None) -> float:
    """Return Krippendorff's alpha, for any number of annotators and missing answers."""
    rows, w = _paired(ratings, weights)
    per_pair = w / (rows.sum(axis=1) - 1)
    coincidence = (rows * per_pair[:, None]).T @ rows - np.diag(per_pair @ rows)
    margins = coincidence.sum(axis=1)
    total = float(margins.sum())
    distance = _alpha_distance(ratings.values, margins, level)
    expected = float(margins @ distance @ margins) / (total - 1)
    if expected <= 0:
        raise UndefinedStatistic("all answers are identical, so alpha has no value")
    return 1 - float(np.sum(coincidence * distance)) / expected


def gwet(ratings: Ratings, weighting: Weighting = "none", weights: NDArray[np.float64] | None = None) -> float:
    """Return Gwet's AC1, or AC2 with a weighting that gives partial credit for close answers.

    Agreement is over items with at least two answers, the use of categories over all items with an answer. Categories
    are the values that occur: a value of the scale that no annotator used is unknown.
    """
    rows, w = _paired(ratings, weights)
    categories = len(ratings.values)
    if categories < 2:
        raise UndefinedStatistic("all answers are identical, so expected agreement and AC have no value")
    distance = _distance(ratings.values, weighting)
    credit = 1 - distance / distance.max()
    n = rows.sum(axis=1)
    observed = float(np.average((rows * (rows @ credit - 1)).sum(axis=1) / (n * (n - 1)), weights=w))
    answered = ratings.counts.sum(axis=1) > 0
    counts = ratings.counts[answered]
    uses = np.ones(len(counts)) if weights is None else weights[answered]
    shares = np.average(counts / counts.sum(axis=1, keepdims=True), axis=0, weights=uses)
    expected = float(credit.sum() * np.sum(shares * (1 - shares))) / (categories * (categories - 1))
    return (observed - expected) / (1 - expected)


def _alpha_distance(values: NDArray[np.float64], margins: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    if level == "nominal":
        return np.not_equal.outer(values, values).astype(np.float64)
    # ordinal: the position of a value is the mean rank of its answers
    position = values if level == "interval" else np.cumsum(margins) - margins / 2
    return np.asarray((position[:, None] - position[None, :]) ** 2)


def _distance(values: NDArray[np.float64], weighting: Weighting) -> NDArray[np.float64]:
    gap = np.abs(values[:, None] - values[None, :])
    if weighting == "none":
        return np.asarray(gap > 0, dtype=np.float64)
    return np.asarray(gap if weighting == "linear" else gap**2, dtype=np.float64)


def _pair_share(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    n = rows.sum(axis=1)
    return np.asarray(((rows**2).sum(axis=1) - n) / (n * (n - 1)))


def _paired(ratings: Ratings, weights: NDArray[np.float64] | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return counts and weights of the items with at least two answers."""
    enough = ratings.counts.sum(axis=1) >= 2
    w = np.ones(ratings.items) if weights is None else weights
    if not w[enough].any():
        raise UndefinedStatistic("no item with two answers in this resample")
    return ratings.counts[enough], w[enough]


COEFFICIENTS: dict[str, Callable[[Ratings, NDArray[np.float64] | None], float]] = {
    "percent": percent,
    "majority": majority_share,
    "fleiss": fleiss,
    "cohen": lambda r, w: mean_cohen(r, "none", w),
    "cohen-linear": lambda r, w: mean_cohen(r, "linear", w),
    "cohen-quadratic": lambda r, w: mean_cohen(r, "quadratic", w),
    "ac1": lambda r, w: gwet(r, "none", w),
    "ac2-linear": lambda r, w: gwet(r, "linear", w),
    "ac2-quadratic": lambda r, w: gwet(r, "quadratic", w),
    "alpha-nominal": lambda r, w: krippendorff(r, "nominal", w),
    "alpha-ordinal": lambda r, w: krippendorff(r, "ordinal", w),
    "alpha-interval": lambda r, w: krippendorff(r, "interval", w),
}
