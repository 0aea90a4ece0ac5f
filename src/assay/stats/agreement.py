"""How far annotators agree: percent, majority share, Fleiss, Cohen, Krippendorff and Gwet, each a fold over items.

Ratings come as a table items x annotators with NaN where someone gave no answer. Every coefficient takes optional
item weights, so that a bootstrap over items is the same formula with other weights.
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
    """Ratings in two shapes: codes (items x annotators, -1 = none) and counts (items x distinct values)."""

    values: NDArray[np.float64]
    codes: NDArray[np.int64]
    counts: NDArray[np.float64]

    @property
    def items(self) -> int:
        return len(self.codes)

    @cached_property
    def shared(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Every two answers to one item: number of the annotator pair, item, the one's code, the other's code."""
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
        """The same ratings with one annotator left out."""
        return tabulate(np.delete(self.table, annotator, axis=1))

    @property
    def table(self) -> NDArray[np.float64]:
        """Items x annotators, NaN where someone gave no answer."""
        return np.where(self.codes >= 0, self.values[self.codes], np.nan)


def tabulate(table: ArrayLike) -> Ratings:
    """Read a table items x annotators (NaN = no answer); items with fewer than two answers carry no pair but stay."""
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
    """Read a table items x categories of vote counts (for Fleiss, percent and majority share)."""
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.sum(axis=1).max(initial=0) < 2:
        raise UndefinedStatistic("no item has two votes, so agreement cannot be measured")
    return Ratings(np.arange(counts.shape[1], dtype=np.float64), np.full((len(counts), 0), -1), counts)


def percent(ratings: Ratings, weights: NDArray[np.float64] | None = None) -> float:
    """Mean over items of the share of annotator pairs that gave the same answer."""
    rows, w = _paired(ratings, weights)
    return float(np.average(_pair_share(rows), weights=w))


def majority_share(ratings: Ratings, weights: NDArray[np.float64] | None = None) -> float:
    """Mean over items of the share of annotators who gave the item's most frequent answer."""
    rows, w = _paired(ratings, weights)
    return float(np.average(rows.max(axis=1) / rows.sum(axis=1), weights=w))


def fleiss(ratings: Ratings, weights: NDArray[np.float64] | None = None) -> float:
    """Fleiss' kappa; items may have different numbers of answers."""
    rows, w = _paired(ratings, weights)
    shares = w @ rows / float(np.sum(w @ rows))
    expected = float(np.sum(shares**2))
    if expected == 1:
        raise UndefinedStatistic("every answer is the same value, so chance agreement is total and kappa has no value")
    return (float(np.average(_pair_share(rows), weights=w)) - expected) / (1 - expected)


def mean_cohen(ratings: Ratings, weighting: Weighting = "none", weights: NDArray[np.float64] | None = None) -> float:
    """Cohen's kappa averaged over pairs of annotators, each pair weighted by its number of common items."""
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
    has_kappa = expected > 0  # a pair that used one value throughout has none
    if not has_kappa.any():
        raise UndefinedStatistic("no pair of annotators has a kappa on common items")
    kappa = 1 - (observed * common)[has_kappa] / expected[has_kappa]
    return float(np.average(kappa, weights=common[has_kappa]))


def krippendorff(ratings: Ratings, level: Level = "ordinal", weights: NDArray[np.float64] | None = None) -> float:
    """Krippendorff's alpha for any number of annotators and missing answers."""
    rows, w = _paired(ratings, weights)
    per_pair = w / (rows.sum(axis=1) - 1)
    coincidence = (rows * per_pair[:, None]).T @ rows - np.diag(per_pair @ rows)
    margins = coincidence.sum(axis=1)
    total = float(margins.sum())
    distance = _alpha_distance(ratings.values, margins, level)
    expected = float(margins @ distance @ margins) / (total - 1)
    if expected <= 0:
        raise UndefinedStatistic("every answer is the same value, so alpha has no value")
    return 1 - float(np.sum(coincidence * distance)) / expected


def gwet(ratings: Ratings, weighting: Weighting = "none", weights: NDArray[np.float64] | None = None) -> float:
    """Gwet's AC1, and AC2 where answers that are near count in part; chance is that of answers that are hard to give.

    Agreement is taken over items with two answers, the use of the categories over all that have one. The categories
    are the values that somebody gave: a value of the scale that nobody used is not known here.
    """
    rows, w = _paired(ratings, weights)
    categories = len(ratings.values)
    if categories < 2:
        raise UndefinedStatistic("every answer is the same value, so chance agreement has no value and neither has AC")
    distance = _distance(ratings.values, weighting)
    near = 1 - distance / distance.max()
    n = rows.sum(axis=1)
    observed = float(np.average((rows * (rows @ near - 1)).sum(axis=1) / (n * (n - 1)), weights=w))
    answered = ratings.counts.sum(axis=1) > 0
    everyone = ratings.counts[answered]
    uses = np.ones(len(everyone)) if weights is None else weights[answered]
    shares = np.average(everyone / everyone.sum(axis=1, keepdims=True), axis=0, weights=uses)
    expected = float(near.sum() * np.sum(shares * (1 - shares))) / (categories * (categories - 1))
    return (observed - expected) / (1 - expected)


def _alpha_distance(values: NDArray[np.float64], margins: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    if level == "nominal":
        return np.not_equal.outer(values, values).astype(np.float64)
    # ordinal: a value sits at the middle of the answers it received, in order
    place = values if level == "interval" else np.cumsum(margins) - margins / 2
    return np.asarray((place[:, None] - place[None, :]) ** 2)


def _distance(values: NDArray[np.float64], weighting: Weighting) -> NDArray[np.float64]:
    gap = np.abs(values[:, None] - values[None, :])
    if weighting == "none":
        return np.asarray(gap > 0, dtype=np.float64)
    return np.asarray(gap if weighting == "linear" else gap**2, dtype=np.float64)


def _pair_share(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    n = rows.sum(axis=1)
    return np.asarray(((rows**2).sum(axis=1) - n) / (n * (n - 1)))


def _paired(ratings: Ratings, weights: NDArray[np.float64] | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Counts and weights of the items that at least two people judged."""
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
