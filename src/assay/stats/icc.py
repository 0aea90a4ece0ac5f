"""Intraclass correlation: the share of the variance of ratings that is between items, in six forms.

The forms are those of Shrout and Fleiss (1979). In form 1 every item has its own annotators. In form 2 annotators are
a random sample, and their leniency is noise. In form 3 annotators are fixed, and their leniency is not noise. `k` is
the reliability of the mean of all annotators of an item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.distributions import f_quantile
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

FORMS = ("1", "2", "3", "1k", "2k", "3k")
SINGULAR = 1e-10
"""Singular values below this share of the largest are 0: rounding errors of some processors exceed the usual limit."""


@dataclass(frozen=True)
class Parts:
    """Variance components of a table items x annotators; unbiased, so they can be negative."""

    items: float
    annotators: float
    rest: float
    items_alone: float
    """Between items and (`within`) within items, if annotators are not distinguished."""
    within: float
    raters: float
    """Harmonic mean of the number of annotators per item."""

    def form(self, name: str) -> float:
        """Return one of the six forms."""
        between, noise = {
            "1": (self.items_alone, self.within),
            "2": (self.items, self.annotators + self.rest),
            "3": (self.items, self.rest),
        }[name[0]]
        total = between + (noise / self.raters if name.endswith("k") else noise)
        if total <= 0:
            raise UndefinedStatistic("ratings vary less between items than within items, so this ICC has no value")
        return between / total


def variance_parts(table: ArrayLike, weights: NDArray[np.float64] | None = None) -> Parts:
    """Return variance components from sums of squares (Henderson's third method), with or without missing ratings.

    Items have weights, so that a bootstrap over items uses the same formula with other weights. Annotators are fitted
    by a linear system with one equation per annotator.
    """
    ratings = np.asarray(table, dtype=np.float64)
    known = ~np.isnan(ratings)
    w = np.ones(len(ratings)) if weights is None else weights
    use = (w > 0) & known.any(axis=1)
    y, here, w = np.where(known, ratings, 0.0)[use], known[use].astype(np.float64), w[use]
    by_item, by_annotator = here.sum(axis=1), w @ here
    seen = by_annotator > 0
    y, here, by_annotator = y[:, seen], here[:, seen], by_annotator[seen]
    n, items, annotators = float(w @ by_item), float(w.sum()), int(seen.sum())
    y = y - here * (w @ y).sum() / n  # centred, so that squares do not cancel
    mean = y.sum(axis=1) / by_item
    within = float(w @ ((y - here * mean[:, None]) ** 2).sum(axis=1))
    # normal equations of the annotators after the means of items are removed
    crossed = np.diag(by_annotator) - (here * (w / by_item)[:, None]).T @ here
    right = w @ (y - here * mean[:, None])
    fitted = float(right @ np.linalg.lstsq(crossed, right, rcond=SINGULAR)[0])
    rank = int(np.linalg.matrix_rank(crossed, rtol=SINGULAR, hermitian=True))
    rest_df = n - items - rank
    if items < 2 or annotators < 2 or rest_df <= 0 or rank < annotators - 1:
        raise UndefinedStatistic("an ICC needs two items and annotators with enough common items")
    rest = (within - fitted) / rest_df
    beyond_annotators = float(w @ ((y - here * (w @ y / by_annotator)) ** 2).sum(axis=1)) - (within - fitted)
    between = float(w @ (by_item * mean**2))
    within_mean = within / (n - items)
    spread = n - float(w @ by_item**2) / n
    return Parts(
        items=(beyond_annotators - (items - 1) * rest) / (n - annotators),
        annotators=(fitted - rank * rest) / float(np.trace(crossed)),
        rest=rest,
        items_alone=(between - (items - 1) * within_mean) / spread,
        within=within_mean,
        raters=items / float(w @ (1 / by_item)),
    )


def icc_interval(table: ArrayLike, form: str, level: float = 0.95) -> tuple[float, float] | None:
    """Return the interval from the F distribution; None where it is not defined.

    That is with missing ratings, and for a mean of annotators whose lower end would be below every possible value.
    """
    ratings = np.asarray(table, dtype=np.float64)
    if np.isnan(ratings).any():
        return None
    n, k = ratings.shape
    parts = variance_parts(ratings)
    rest_df = (n - 1) * (k - 1)
    items, annotators = k * parts.items + parts.rest, n * parts.annotators + parts.rest  # mean squares
    upper = (1 + level) / 2
    if form[0] == "2":
        low, high = _random_annotators(items, annotators, parts.rest, parts.form("2"), n, k, upper)
    else:
        noise, df = (parts.within, n * (k - 1)) if form[0] == "1" else (parts.rest, rest_df)
        between = k * parts.items_alone + parts.within if form[0] == "1" else items
        if noise <= 0:
            return 1.0, 1.0
        f_low = between / noise / f_quantile(upper, n - 1, df)
        f_high = between / noise * f_quantile(upper, df, n - 1)
        low, high = (f_low - 1) / (f_low + k - 1), (f_high - 1) / (f_high + k - 1)
    if form.endswith("k"):
        if 1 + (k - 1) * low <= 0:  # below -1 / (k - 1), the least value an ICC can have, its mean has none
            return None
        low, high = (k * end / (1 + (k - 1) * end) for end in (low, high))
    return low, high


def _random_annotators(
    items: float, annotators: float, rest: float, value: float, n: int, k: int, upper: float
) -> tuple[float, float]:
    """Return the interval of form 2, with Satterthwaite's degrees of freedom of a sum of two mean squares."""
    if rest <= 0:
        rest = 1e-300
    ratio, other = annotators / rest, n * (1 + (k - 1) * value) - k * value
    df = (k - 1) * (n - 1) * (k * value * ratio + other) ** 2 / ((n - 1) * (k * value * ratio) ** 2 + other**2)
    above, below = f_quantile(upper, n - 1, df), f_quantile(upper, df, n - 1)
    noise = k * annotators + (k * n - k - n) * rest
    low = n * (items - above * rest) / (above * noise + n * items)
    high = n * (below * items - rest) / (noise + n * below * items)
    return low, high
