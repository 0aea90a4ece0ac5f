"""Reliability of human scores, and the highest correlation that a metric can reach (the human ceiling).

Noise in human scores lowers every correlation with them. The correlation of the true scores with the mean of some
annotators is the square root of the reliability of that mean: the ceiling. A correlation divided by the ceiling is that
with the mean of arbitrarily many annotators (Spearman's correction for attenuation).
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
    """The estimated error variance of the mean over annotators, for each text."""

    variance: Values
    annotators: float
    """Mean number of annotators per text."""
    complete: bool
    """Whether all annotators judged all texts, so that their leniency affects all texts equally and is no noise."""


def human_noise(values: ArrayLike, texts: Codes, annotators: Codes) -> HumanNoise:
    """Return the noise of human scores: the variance of annotators around the mean of a text, divided by their number.

    A text with one judgement has the pooled variance of the other texts.
    """
    judgements = finite_vector(values, 2)
    count = np.bincount(texts)
    away = judgements - (np.bincount(texts, weights=judgements) / count)[texts]
    several = int(annotators.max()) + 1
    complete = several > 1 and len(judgements) == len(count) * several and bool((count == several).all())
    if complete:
        away = away - (np.bincount(annotators, weights=away) / len(count))[annotators]
    squares = np.bincount(texts, weights=away**2)
    judged_twice = count > 1
    if not judged_twice.any():
        raise UndefinedStatistic("every text has one judgement, so the noise of annotators cannot be estimated")
    freedom = np.maximum(count - 1, 1).astype(np.float64)
    if complete:
        freedom *= (len(count) - 1) / len(count)  # the means of the annotators are fitted, too
    usual = squares[judged_twice].sum() / freedom[judged_twice].sum()
    return HumanNoise(np.where(judged_twice, squares / freedom, usual) / count, float(count.mean()), complete)


def reliability(y: Values, noise: Values, table: Crossed, level: Level, copies: Copies | None = None) -> Values:
    """Return the share of true variance in the human scores at a level, in each resample."""
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
    total = _variance(y[None, :], weights, groups)
    return np.asarray(1 - (weights * noise).sum(axis=1) / weights.sum(axis=1) / total)


def ceiling(reliable: float) -> float:
    """Return the correlation of the true scores with the human scores: the square root of the reliability."""
    if not reliable > 0:
        raise UndefinedStatistic("annotators differ on a text as much as texts differ, so the reliability is 0")
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
    """Return the interval of Pearson's r divided by the ceiling, from the same resamples, centred on the estimate."""
    resampled = []
    for copies in resample_units(table, unit, samples, seed):
        reliable = reliability(y, noise, table, level, copies)
        root = np.sqrt(np.where(reliable > 0, reliable, np.nan))
        resampled.append(correlations(x, y, table, level, "pearson", copies) / root)
    values = np.concatenate(resampled)
    ends = percentile(values)
    if ends is None or np.isnan(values).sum() > len(values) / 2:
        return None
    middle = float(np.nanmedian(values))
    return min(estimate, estimate + ends[0] - middle), max(estimate, estimate + ends[1] - middle)


def _mean_error(noise: Values, table: Crossed, copies: Copies) -> Values:
    """Return the error variance of the mean of each system, with independent noise of its texts."""
    assert table.systems is not None
    member = (table.systems[:, None] == np.arange(table.units("systems"))).astype(np.float64)
    weights = text_copies(table, copies, systems=False, inputs=True)
    with np.errstate(invalid="ignore"):
        return np.asarray((weights @ (member * noise[:, None])) / (weights @ member) / member.sum(axis=0))


def _variance(y: Values, weights: Values, groups: Codes | None = None) -> Values:
    """Return the weighted variance; with groups, that of deviations from group means."""
    if groups is None:
        total = weights.sum(axis=1, keepdims=True)
        away = y - (weights * y).sum(axis=1, keepdims=True) / total
        return np.asarray((weights * away**2).sum(axis=1) / (total[:, 0] - 1))
    member = (groups[:, None] == np.arange(int(groups.max()) + 1)).astype(np.float64)
    size = weights @ member
    away = y - ((weights * y) @ member / np.maximum(size, 1e-300))[:, groups]
    return np.asarray((weights * away**2).sum(axis=1) / np.maximum(weights.sum(axis=1) - (size > 0).sum(axis=1), 1.0))
