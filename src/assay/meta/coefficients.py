"""Agreement coefficients with confidence intervals over items, over annotators, or over both."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, NotRequired, TypedDict

import numpy as np

from assay.stats.agreement import COEFFICIENTS, Ratings
from assay.stats.annotators import Over, interval_over, interval_over_items, jackknife_variance, no_item_interval
from assay.stats.icc import FORMS, Parts, icc_interval, variance_parts
from assay.stats.uncertainty import item_weights
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.int64]
    Floats = NDArray[np.float64]

NOMINAL_ONLY = ("percent", "majority", "fleiss", "cohen", "ac1", "alpha-nominal")


class Coefficient(TypedDict):
    """An agreement coefficient with its confidence interval, or the reason why there is none."""

    value: float | None
    low: NotRequired[float | None]
    high: NotRequired[float | None]
    why: NotRequired[str]
    why_no_interval: NotRequired[str]


class Resampled(NamedTuple):
    """What intervals generalise to, the weight of each item in every resample, and clusters of items."""

    over: Over
    weights: Floats
    clusters: Codes | None

    def units(self, ratings: Ratings) -> int:
        """Return the number of independent units."""
        return ratings.items if self.clusters is None else int(self.clusters.max()) + 1


def coefficients(
    ratings: Ratings, numeric: bool, samples: int, seed: int, over: Over, clusters: Codes | None = None
) -> dict[str, Coefficient]:
    """Return value and confidence interval of every coefficient, or the reason why there is none.

    Items of one cluster (outputs for the same input, sentences of the same text) are resampled together.
    """
    entries: dict[str, Coefficient] = {}
    blocks = list(item_weights(ratings.items, samples, seed, clusters)) if samples and over != "annotator" else []
    how = Resampled(over, np.concatenate(blocks) if blocks else np.empty((0, ratings.items)), clusters)
    for name, formula in COEFFICIENTS.items():
        if not numeric and name not in NOMINAL_ONLY:
            entries[name] = _not_numeric()
            continue
        drawn = np.array([_or_nan(formula, ratings, row) for row in how.weights])
        entries[name] = _entry(ratings, partial(_unweighted, formula), drawn, bool(samples), how)
    return entries | _intraclass(ratings, numeric, bool(samples), how)


def _intraclass(ratings: Ratings, numeric: bool, wanted: bool, how: Resampled) -> dict[str, Coefficient]:
    """Return the six forms of ICC. For complete, independent items the F distribution gives the interval over items,
    and for form 2 also over annotators."""
    if not numeric:
        return {f"icc-{form}": _not_numeric() for form in FORMS}
    table = ratings.table
    over = how.over
    complete = how.clusters is None and not np.isnan(table).any()
    entries = {}
    drawn: list[Parts | None] | None = None
    for form in FORMS:
        by_f = complete and (over == "item" or (over == "both" and form[0] == "2"))
        if not by_f and drawn is None:
            drawn = [_parts(table, row) for row in how.weights]
        values = np.array([np.nan if parts is None else _or_nan(parts.form, form) for parts in drawn or []])
        entry = _entry(ratings, partial(_form, form), values, wanted and not by_f, how)
        if by_f and wanted and entry["value"] is not None:
            entry["low"], entry["high"] = icc_interval(table, form) or (None, None)
        entries[f"icc-{form}"] = entry
    return entries


def _entry(
    ratings: Ratings, formula: Callable[[Ratings], float], drawn: Floats, wanted: bool, how: Resampled
) -> Coefficient:
    entry: Coefficient = {"value": None, "low": None, "high": None}
    try:
        entry["value"] = value = formula(ratings)
    except UndefinedStatistic as why:
        return {**entry, "why": str(why)}
    if not wanted:
        return entry
    try:
        units = how.units(ratings)
        if how.over == "item":
            if why_not := no_item_interval(ratings, how.clusters):
                raise UndefinedStatistic(why_not)
            ends = interval_over_items(value, drawn, units)
        else:
            both = how.over == "both"
            noise = jackknife_variance(ratings, formula)
            annotators = ratings.codes.shape[1]
            ends = interval_over(value, noise, annotators, drawn if both else None, units)
            if both and value < 1 and not no_item_interval(ratings, how.clusters):
                alone = interval_over_items(value, drawn, units)  # other annotators do not reduce uncertainty
                ends = min(ends[0], alone[0]), max(ends[1], alone[1])
        entry["low"], entry["high"] = ends
    except UndefinedStatistic as why:
        entry["why_no_interval"] = str(why)
    return entry


def _unweighted(formula: Callable[[Ratings, Floats | None], float], ratings: Ratings) -> float:
    return formula(ratings, None)


def _form(form: str, ratings: Ratings) -> float:
    return variance_parts(ratings.table).form(form)


def _not_numeric() -> Coefficient:
    return {"value": None, "why": "the judgements are words without an order"}


def _parts(table: Floats, weights: Floats) -> Parts | None:
    try:
        return variance_parts(table, weights)
    except UndefinedStatistic:
        return None


def _or_nan(function: Callable[..., float], *arguments: Any) -> float:
    try:
        return function(*arguments)
    except UndefinedStatistic:
        return float("nan")
