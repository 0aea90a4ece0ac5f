"""Order and fatigue effects: the position of a text in its task, and the progress of the annotator.

Judgements are compared with those of other annotators on the same text, so that systems, items and the leniency of
annotators cannot cause an effect. Standard errors are clustered by annotator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.records import Judgement
from assay.stats.clusters import cluster_error
from assay.stats.validation import UndefinedStatistic, group_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int64]

SWEEPS = 200
SETTLED = 1e-10
LEAST = 0.01
"""Minimum share of the predictor's variance that must remain within texts and annotators."""
FEWEST = 20
"""Minimum number of judgements for an estimate."""


@dataclass(frozen=True)
class Effect:
    """Change of a judgement per unit of a predictor; `slope` is None, with a reason, if it cannot be estimated."""

    name: str
    slope: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int = 0
    why: str = ""


def order_effect(judgements: Sequence[Judgement]) -> Effect:
    """Return the change in points for each position further down."""
    rows = [j for j in judgements if j.position is not None and isinstance(j.value, int | float)]
    return _effect("place", rows, [float(j.position or 0) for j in rows], [float(j.value) for j in rows])


def fatigue_effects(judgements: Sequence[Judgement]) -> list[Effect]:
    """Return the changes from the first to the last judgement of an annotator, in the order of the file: in points, in
    the distance from the judgements of others on the same text, and in seconds."""
    rows = [j for j in judgements if isinstance(j.value, int | float)]
    if not rows:
        return []
    share = _progress(rows)
    values = np.array([float(j.value) for j in rows])
    text = group_codes([f"{j.id}\t{j.system}\t{j.unit}" for j in rows])
    counts = np.bincount(text)[text]
    others = (np.bincount(text, values)[text] - values) / np.maximum(counts - 1, 1)
    shared = counts > 1
    kept = [row for row, keep in zip(rows, shared, strict=True) if keep]
    effects = [
        _effect("work: points", rows, share, values),
        _effect("work: distance from others", kept, share[shared], np.abs(values - others)[shared]),
    ]
    timed = np.array([j.seconds is not None for j in rows])
    if timed.any():
        seconds = [float(j.seconds or 0) for j in rows if j.seconds is not None]
        timed_rows = [j for j in rows if j.seconds is not None]
        effects.append(_effect("work: seconds", timed_rows, share[timed], seconds))
    return effects


def _progress(rows: Sequence[Judgement]) -> Floats:
    """Return the progress of the annotator at each judgement, from 0 to 1."""
    so_far: dict[str, int] = {}
    index = []
    for row in rows:
        index.append(so_far.get(row.annotator, 0))
        so_far[row.annotator] = index[-1] + 1
    return np.array([i / max(so_far[row.annotator] - 1, 1) for i, row in zip(index, rows, strict=True)])


def _effect(name: str, rows: Sequence[Judgement], x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> Effect:
    """Return the slope of y in x within texts and within annotators."""
    if len(rows) < FEWEST:
        return Effect(name, None, n=len(rows), why=f"{len(rows)} judgements, at least {FEWEST} are required")
    text = group_codes([f"{j.id}\t{j.system}\t{j.unit}" for j in rows])
    annotator = group_codes([j.annotator for j in rows])
    a = residuals_within(np.asarray(x, dtype=np.float64), text, annotator)
    b = residuals_within(np.asarray(y, dtype=np.float64), text, annotator)
    squares = float(a @ a)
    total = float(np.sum((np.asarray(x) - np.mean(x)) ** 2))
    if squares <= LEAST * total:
        return Effect(name, None, n=len(rows), why="the predictor hardly varies within texts and annotators")
    slope = float(a @ b) / squares
    free = len(rows) - int(text.max()) - int(annotator.max()) - 2
    if free < 1:
        return Effect(name, None, n=len(rows), why="too few judgements per text")
    # Effects of texts and annotators were fitted, which makes residuals too small.
    influence = len(rows) * a * (b - slope * a) / squares * (len(rows) / free) ** 0.5
    try:
        error = cluster_error(influence, annotator)
        low, high = error.interval(slope)
        return Effect(name, slope, low, high, error.p(slope), len(rows))
    except UndefinedStatistic as why:
        return Effect(name, slope, n=len(rows), why=str(why))


def residuals_within(values: Floats, *groups: Codes) -> Floats:
    """Return the residuals of values after the means of crossed groups (alternating projections)."""
    residuals = values.copy()
    counts = [np.bincount(codes) for codes in groups]
    for _ in range(SWEEPS):
        before = residuals
        for codes, size in zip(groups, counts, strict=True):
            residuals = residuals - (np.bincount(codes, residuals) / size)[codes]
        if float(np.abs(residuals - before).max()) < SETTLED:
            break
    return residuals
