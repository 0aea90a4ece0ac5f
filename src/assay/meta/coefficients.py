"""Every coefficient of agreement with its interval: over other items, over other annotators, or over both."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

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


class Resampled(NamedTuple):
    """What intervals are over, how often each item is drawn in every resample, and the clusters drawn as wholes."""

    over: Over
    weights: Floats
    clusters: Codes | None

    def units(self, ratings: Ratings) -> int:
        """How many independent things are drawn."""
        return ratings.items if self.clusters is None else int(self.clusters.max()) + 1


def coefficients(
    ratings: Ratings, numeric: bool, samples: int, seed: int, over: Over, clusters: Codes | None = None
) -> dict[str, dict[str, Any]]:
    """Value and interval of every coefficient that these answers have; the others say why they have none.

    Items of one cluster (outputs for the same input, sentences of the same text) are resampled together.
    """
    found: dict[str, dict[str, Any]] = {}
    blocks = list(item_weights(ratings.items, samples, seed, clusters)) if samples and over != "annotator" else []
    how = Resampled(over, np.concatenate(blocks) if blocks else np.empty((0, ratings.items)), clusters)
    for name, formula in COEFFICIENTS.items():
        if not numeric and name not in NOMINAL_ONLY:
            found[name] = _wordless()
            continue
        drawn = np.array([_or_nan(formula, ratings, row) for row in how.weights])
        found[name] = _entry(ratings, partial(_unweighted, formula), drawn, bool(samples), how)
    return found | _intraclass(ratings, numeric, bool(samples), how)


def _intraclass(ratings: Ratings, numeric: bool, wanted: bool, how: Resampled) -> dict[str, dict[str, Any]]:
    """The six forms; where nothing is missing and items are independent, F gives their interval over items, and of form
    2 over annotators too."""
    if not numeric:
        return {f"icc-{form}": _wordless() for form in FORMS}
    table = ratings.table
    over = how.over
    complete = how.clusters is None and not np.isnan(table).any()
    found = {}
    drawn: list[Parts | None] | None = None
    for form in FORMS:
        by_f = complete and (over == "item" or (over == "both" and form[0] == "2"))
        if not by_f and drawn is None:
            drawn = [_parts(table, row) for row in how.weights]
        values = np.array([np.nan if parts is None else _or_nan(parts.form, form) for parts in drawn or []])
        entry = _entry(ratings, partial(_form, form), values, wanted and not by_f, how)
        if by_f and wanted and entry["value"] is not None:
            entry["low"], entry["high"] = icc_interval(table, form) or (None, None)
        found[f"icc-{form}"] = entry
    return found


def _entry(
    ratings: Ratings, formula: Callable[[Ratings], float], drawn: Floats, wanted: bool, how: Resampled
) -> dict[str, Any]:
    entry: dict[str, Any] = {"value": None, "low": None, "high": None}
    try:
        entry["value"] = formula(ratings)
    except UndefinedStatistic as why:
        return {**entry, "why": str(why)}
    if not wanted:
        return entry
    try:
        units = how.units(ratings)
        if how.over == "item":
            if why_not := no_item_interval(ratings, how.clusters):
                raise UndefinedStatistic(why_not)
            ends = interval_over_items(entry["value"], drawn, units)
        else:
            both = how.over == "both"
            noise = jackknife_variance(ratings, formula)
            people = ratings.codes.shape[1]
            ends = interval_over(entry["value"], noise, people, drawn if both else None, units)
            if both and entry["value"] < 1 and not no_item_interval(ratings, how.clusters):
                alone = interval_over_items(entry["value"], drawn, units)  # other people make nothing surer
                ends = min(ends[0], alone[0]), max(ends[1], alone[1])
        entry["low"], entry["high"] = ends
    except UndefinedStatistic as why:
        entry["why_no_interval"] = str(why)
    return entry


def _unweighted(formula: Callable[[Ratings, Floats | None], float], ratings: Ratings) -> float:
    return formula(ratings, None)


def _form(form: str, ratings: Ratings) -> float:
    return variance_parts(ratings.table).form(form)


def _wordless() -> dict[str, Any]:
    return {"value": None, "why": "the answers are words, which have no order"}


def _parts(table: Floats, weights: Floats) -> Parts | None:
    try:
        return variance_parts(table, weights)
    except UndefinedStatistic:
        return None


def _or_nan(function: Callable[..., float], *given: Any) -> float:
    try:
        return function(*given)
    except UndefinedStatistic:
        return float("nan")
