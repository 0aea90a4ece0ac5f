"""What answers owe to where and when they were given: the place of a text among others, and the work done before.

A text's answers are compared with those of other people to the same text, so that neither systems nor items nor how
kind people are can make an effect. Errors are robust against answers of one person being alike.
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
"""Of the variance of what an effect is of: with less left within texts and people, nothing can be told."""
FEWEST = 20
"""Answers below which nothing is said."""


@dataclass(frozen=True)
class Effect:
    """By how much an answer changes with one more of something; None with a reason where it cannot be told."""

    name: str
    slope: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int = 0
    why: str = ""


def order_effect(judgements: Sequence[Judgement]) -> Effect:
    """Points that a text gains for each place further down."""
    rows = [j for j in judgements if j.position is not None and isinstance(j.value, int | float)]
    return _effect("place", rows, [float(j.position or 0) for j in rows], [float(j.value) for j in rows])


def fatigue_effects(judgements: Sequence[Judgement]) -> list[Effect]:
    """From the first answer of a person to the last, in the order of the file: points, distance from what others say of
    the same text, and seconds."""
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
    found = [
        _effect("work: points", rows, share, values),
        _effect("work: distance from others", kept, share[shared], np.abs(values - others)[shared]),
    ]
    timed = np.array([j.seconds is not None for j in rows])
    if timed.any():
        seconds = [float(j.seconds or 0) for j in rows if j.seconds is not None]
        timed_rows = [j for j in rows if j.seconds is not None]
        found.append(_effect("work: seconds", timed_rows, share[timed], seconds))
    return found


def _progress(rows: Sequence[Judgement]) -> Floats:
    """How far somebody had come when they gave an answer, from 0 to 1."""
    so_far: dict[str, int] = {}
    place = []
    for row in rows:
        place.append(so_far.get(row.annotator, 0))
        so_far[row.annotator] = place[-1] + 1
    return np.array([p / max(so_far[row.annotator] - 1, 1) for p, row in zip(place, rows, strict=True)])


def _effect(name: str, rows: Sequence[Judgement], x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> Effect:
    """The slope of y in x within texts and within people."""
    if len(rows) < FEWEST:
        return Effect(name, None, n=len(rows), why=f"only {len(rows)} answers; it takes {FEWEST}")
    text = group_codes([f"{j.id}\t{j.system}\t{j.unit}" for j in rows])
    person = group_codes([j.annotator for j in rows])
    a = within(np.asarray(x, dtype=np.float64), text, person)
    b = within(np.asarray(y, dtype=np.float64), text, person)
    squares = float(a @ a)
    total = float(np.sum((np.asarray(x) - np.mean(x)) ** 2))
    if squares <= LEAST * total:
        return Effect(name, None, n=len(rows), why="it hardly varies within texts and people")
    slope = float(a @ b) / squares
    free = len(rows) - int(text.max()) - int(person.max()) - 2
    if free < 1:
        return Effect(name, None, n=len(rows), why="texts have too few answers each")
    # what texts and people have in common was fitted, which makes residuals too small
    influence = len(rows) * a * (b - slope * a) / squares * (len(rows) / free) ** 0.5
    try:
        error = cluster_error(influence, person)
        low, high = error.interval(slope)
        return Effect(name, slope, low, high, error.p(slope), len(rows))
    except UndefinedStatistic as why:
        return Effect(name, slope, n=len(rows), why=str(why))


def within(values: Floats, *groups: Codes) -> Floats:
    """Values less what their groups have in common, for groups that cross (alternating projections)."""
    left = values.copy()
    counts = [np.bincount(codes) for codes in groups]
    for _ in range(SWEEPS):
        before = left
        for codes, size in zip(groups, counts, strict=True):
            left = left - (np.bincount(codes, left) / size)[codes]
        if float(np.abs(left - before).max()) < SETTLED:
            break
    return left
