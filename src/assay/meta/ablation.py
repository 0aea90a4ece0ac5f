"""What a metric's correlation rests on: how much is lost when one kind of error is forgiven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import AssayError
from assay.meta.correlate import Question, control_codes
from assay.stats.correlation import product_moment
from assay.stats.partial import residuals
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    import polars
    from numpy.typing import NDArray

    from assay.meta.frames import Joined

FLIP = "Flip_"
UNASSIGNED = "Other"


def forgiven(frame: polars.DataFrame, human: str, category: str) -> NDArray[np.float64]:
    """The human score if errors of this category were no errors.

    Taken from the column itself when it is a flipped one (`Flip_X`), from `Flip_X`, or computed: with an `Other` column
    the categories are coded as in FRANK (share of sentences free of X and of unassigned errors, so the share of
    error X is Other - X), else the column is the share of sentences with that error.
    """
    y = frame[human].to_numpy().astype(float)
    for name in (category, f"{FLIP}{category}"):
        if name.startswith(FLIP) and name in frame.columns:
            return np.asarray(frame[name].to_numpy(), dtype=np.float64)
    if category not in frame.columns or not frame[category].dtype.is_numeric():
        raise AssayError(f"--ablate: no column '{category}' or '{FLIP}{category}' with numbers in the human file")
    share = frame[category].to_numpy().astype(float)
    if UNASSIGNED in frame.columns:
        share = frame[UNASSIGNED].to_numpy().astype(float) - share if category != UNASSIGNED else np.zeros_like(y)
    flipped = y + share
    if np.nanmax(flipped) > 1 + 1e-9 or np.nanmin(share) < -1e-9:
        raise AssayError(
            f"--ablate {category}: '{human}' plus the share of that error leaves 0..1; give a column of shares of "
            f"sentences with the error, or '{FLIP}{category}'"
        )
    return np.asarray(flipped, dtype=np.float64)


def categories(frame: polars.DataFrame, asked: Sequence[str]) -> list[str]:
    """The columns asked for; `all` means every flipped column there is."""
    if list(asked) != ["all"]:
        return list(asked)
    found = [name for name in frame.columns if name.startswith(FLIP)]
    if not found:
        raise AssayError(f"--ablate all: the human file has no {FLIP}... columns; name the category columns")
    return found


def influence(data: Joined, question: Question, asked: Sequence[str]) -> dict[str, dict[str, float | None]]:
    """Per category and metric: r(metric, human) - r(metric, human with the category forgiven), Pearson.

    Positive means that the metric's correlation rests on that kind of error.
    """
    known = data.frame.drop_nulls(question.human)
    found: dict[str, dict[str, float | None]] = {}
    named = categories(known, asked)
    flipped = {name: forgiven(known, question.human, name) for name in named}
    for metric in data.metrics:
        keep = known[metric].is_not_null().to_numpy()
        rows = known.filter(keep)
        controls = control_codes(rows, question.controls) if len(rows) else []

        def left(values: NDArray[np.float64], controls: list[NDArray[np.int64]] = controls) -> NDArray[np.float64]:
            return residuals(values, *controls) if controls else values

        for name in named:
            found.setdefault(name, {})[metric] = None
            try:
                x = left(rows[metric].to_numpy().astype(float))
                base = product_moment(x, left(rows[question.human].to_numpy().astype(float)))
                found[name][metric] = base - product_moment(x, left(flipped[name][keep]))
            except (UndefinedStatistic, ValueError):
                continue
    return found
