"""How much of what people said is noise: the reliability of a mean over annotators, and what a metric could reach.

Noise in the human scores lowers every correlation with them. A metric that knew the true scores would correlate with
the mean of a few annotators by the square root of that mean's reliability: the ceiling. Divided by it, a correlation is
what it would be with the mean of arbitrarily many annotators (Spearman's correction for attenuation).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.crossed import Copies, Crossed, Level, Unit, correlations, resample_units, system_means, text_copies
from assay.stats.interval import percentile
from assay.stats.validation import UndefinedStatistic, finite_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Values = NDArray[np.float64]
    Codes = NDArray[np.int64]


@dataclass(frozen=True)
class HumanNoise:
    """For each text the estimated error variance of its mean over annotators."""

    variance: Values
    annotators: float
    """Per text, on average."""
    complete: bool
    """Whether all annotators judged all texts, so that a mild or strict one moves all texts alike and is no noise."""


def human_noise(values: ArrayLike, texts: Codes, annotators: Codes) -> HumanNoise:
    """From single judgements: the spread of annotators around each text's mean, over their number.

    A text with one judgement has the usual spread of the others.
    """
    given = finite_vector(values, 2)
    count = np.bincount(texts)
    away = given - (np.bincount(texts, weights=given) / count)[texts]
    several = int(annotators.max()) + 1
    complete = several > 1 and len(given) == len(count) * several and bool((count == several).all())
    if complete:
        away = away - (np.bincount(annotators, weights=away) / len(count))[annotators]
    squares = np.bincount(texts, weights=away**2)
    judged_twice = count > 1
    if not judged_twice.any():
        raise UndefinedStatistic("every text has one judgement, so the noise of people cannot be told")
    freedom = np.maximum(count - 1, 1).astype(np.float64)
    if complete:
        freedom *= (len(count) - 1) / len(count)  # the annotators' means are fitted too
    usual = squares[judged_twice].sum() / freedom[judged_twice].sum()
    return HumanNoise(np.where(judged_twice, squares / freedom, usual) / count, float(count.mean()), complete)


def reliability(y: Values, noise: Values, table: Crossed, level: Level, copies: Copies | None = None) -> Values:
    """The share of true variance in the human scores that a correlation of this level compares, in each draw."""
    copies = copies or Copies()
    if level == "system":
        means = system_means(y, table, copies)
        weights = np.ones(means.shape) if copies.systems is None else copies.systems
        error = _mean_error(noise, table, copies)
        there = ~np.isnan(means)
        weights = weights * there
        total, bad = _variance(np.where(there, means, 0.0), weights), np.where(there, error, 0.0)
        return np.asarray(1 - (weights * bad).sum(axis=1) / weights.sum(axis=1) / total)
    groups = {"global": table.controls, "summary": table.inputs, "within": table.systems}[level]
    weights = text_copies(table, copies, systems=True, inputs=True)
    found = _variance(y[None, :], weights, groups)
    return np.asarray(1 - (weights * noise).sum(axis=1) / weights.sum(axis=1) / found)


def ceiling(reliable: float) -> float:
    """The correlation of a metric that knew the true scores."""
    if not reliable > 0:
        raise UndefinedStatistic("annotators differ about a text as much as texts differ, so there is no true score")
    return math.sqrt(reliable)


def disattenuated_interval(
    x: Values,
    y: Values,
    noise: Values,
    estimate: float,
    table: Crossed,
    level: Level,
    unit: Unit,
    samples: int,
    seed: int,
) -> tuple[float, float] | None:
    """Interval of Pearson's r divided by the ceiling, both from the same draws, which are centred on the estimate."""
    drawn = []
    for copies in resample_units(table, unit, samples, seed):
        reliable = reliability(y, noise, table, level, copies)
        root = np.sqrt(np.where(reliable > 0, reliable, np.nan))
        drawn.append(correlations(x, y, table, level, "pearson", copies) / root)
    values = np.concatenate(drawn)
    ends = percentile(values)
    if ends is None or np.isnan(values).sum() > len(values) / 2:
        return None
    middle = float(np.nanmedian(values))
    return min(estimate, estimate + ends[0] - middle), max(estimate, estimate + ends[1] - middle)


def _mean_error(noise: Values, table: Crossed, copies: Copies) -> Values:
    """Error variance of every system's mean over its texts, whose noises are apart from each other."""
    assert table.systems is not None
    member = (table.systems[:, None] == np.arange(table.units("systems"))).astype(np.float64)
    weights = text_copies(table, copies, systems=False, inputs=True)
    with np.errstate(invalid="ignore"):
        return np.asarray((weights @ (member * noise[:, None])) / (weights @ member) / member.sum(axis=0))


def _variance(y: Values, weights: Values, groups: Codes | None = None) -> Values:
    """Weighted variance, of deviations from group means where there are groups."""
    if groups is None:
        total = weights.sum(axis=1, keepdims=True)
        away = y - (weights * y).sum(axis=1, keepdims=True) / total
        return np.asarray((weights * away**2).sum(axis=1) / (total[:, 0] - 1))
    member = (groups[:, None] == np.arange(int(groups.max()) + 1)).astype(np.float64)
    size = weights @ member
    away = y - ((weights * y) @ member / np.maximum(size, 1e-300))[:, groups]
    return np.asarray((weights * away**2).sum(axis=1) / np.maximum(weights.sum(axis=1) - (size > 0).sum(axis=1), 1.0))
