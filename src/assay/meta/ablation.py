"""Ablation of error categories: the correlation that a metric loses when errors of a category are not counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import AssayError
from assay.meta.correlate import CorrelateRequest, control_codes
from assay.meta.correlation_records import Matrix
from assay.stats.correlation import product_moment
from assay.stats.partial import residuals
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    import polars
    from numpy.typing import NDArray

    from assay.meta.joined_scores import JoinedScores

FLIP = "Flip_"
UNASSIGNED = "Other"


def flipped_scores(frame: polars.DataFrame, human: str, category: str) -> NDArray[np.float64]:
    """Return the human scores with errors of one category not counted.

    They are taken from a `Flip_X` column, or computed: with an `Other` column the categories are coded as in FRANK
    (share of sentences free of X and of unassigned errors, so the share of error X is Other - X), else the column is
    the share of sentences with that error.

    Raises:
        AssayError: There is no such column, or it does not contain shares.
    """
    y = frame[human].to_numpy().astype(float)
    for name in (category, f"{FLIP}{category}"):
        if name.startswith(FLIP) and name in frame.columns:
            return np.asarray(frame[name].to_numpy(), dtype=np.float64)
    if category not in frame.columns or not frame[category].dtype.is_numeric():
        raise AssayError(f"--ablate: the human file has no numeric column '{category}' or '{FLIP}{category}'.")
    share = frame[category].to_numpy().astype(float)
    if UNASSIGNED in frame.columns:
        share = frame[UNASSIGNED].to_numpy().astype(float) - share if category != UNASSIGNED else np.zeros_like(y)
    flipped = y + share
    if np.nanmax(flipped) > 1 + 1e-9 or np.nanmin(share) < -1e-9:
        raise AssayError(
            f"--ablate {category}: '{human}' plus the share of the error is outside 0 to 1. Give a column with the "
            f"share of sentences with the error, or '{FLIP}{category}'."
        )
    return np.asarray(flipped, dtype=np.float64)


def categories(frame: polars.DataFrame, names: Sequence[str]) -> list[str]:
    """Return the category columns; `all` means every flipped column."""
    if list(names) != ["all"]:
        return list(names)
    flipped = [name for name in frame.columns if name.startswith(FLIP)]
    if not flipped:
        raise AssayError(f"--ablate all: the human file has no {FLIP}... columns. Name the category columns.")
    return flipped


def ablate(data: JoinedScores, request: CorrelateRequest, names: Sequence[str]) -> Matrix:
    """Return, for each category and metric, Pearson's r minus r with the category not counted.

    A positive value means that the correlation of the metric depends on that kind of error.
    """
    known = data.frame.drop_nulls(request.human)
    lost: dict[str, dict[str, float | None]] = {}
    named = categories(known, names)
    flipped = {name: flipped_scores(known, request.human, name) for name in named}
    for metric in data.metrics:
        keep = known[metric].is_not_null().to_numpy()
        rows = known.filter(keep)
        controls = control_codes(rows, request.controls) if len(rows) else []

        def residual(values: NDArray[np.float64], controls: list[NDArray[np.int64]] = controls) -> NDArray[np.float64]:
            return residuals(values, *controls) if controls else values

        for name in named:
            lost.setdefault(name, {})[metric] = None
            try:
                x = residual(rows[metric].to_numpy().astype(float))
                base = product_moment(x, residual(rows[request.human].to_numpy().astype(float)))
                lost[name][metric] = base - product_moment(x, residual(flipped[name][keep]))
            except (UndefinedStatistic, ValueError):
                continue
    return lost
