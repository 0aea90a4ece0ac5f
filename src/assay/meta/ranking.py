"""Ranking of systems by human judgements: means with confidence intervals, shared ranks, and paired tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from assay.errors import AssayError
from assay.meta.agreement import distinct
from assay.stats.adjust import holm
from assay.stats.bounded_mean import intervals_on_scale, observed_ends
from assay.stats.interval import FEWEST_UNITS, widened_interval
from assay.stats.paired_tests import JUDGEMENT_TESTS
from assay.stats.ranking import rank_intervals, shared_ranks
from assay.stats.significance import sign_flip
from assay.stats.uncertainty import resampled_means
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.records import Judgement

Unit = Literal["item", "judgement"]
Direction = Literal["higher", "lower"]


class Ranked(msgspec.Struct, frozen=True):
    """One system: mean judgement with confidence interval, shared rank, and range of possible ranks."""

    system: str
    mean: float
    low: float | None
    high: float | None
    rank: int
    rank_low: int
    rank_high: int
    items: int
    better: Direction = "higher"
    """Direction of the scale."""


def rank_systems(
    scores: Mapping[str, Mapping[str, float]],
    samples: int = 1000,
    seed: int = 0,
    alpha: float = 0.05,
    better: Direction = "higher",
    ends: tuple[float, float] | None = None,
) -> list[Ranked]:
    """Rank systems by mean score on their common items.

    Systems share a rank if they are not significantly different: paired permutation test, Holm correction over pairs.

    Args:
        scores: Scores by system and item.
        samples: Number of bootstrap resamples of means and ranks.
        seed: Random seed.
        alpha: Significance level.
        better: Direction of the scale; means keep their sign.
        ends: Ends of the scale, which intervals respect. Without them a system whose scores are all equal has none.

    Raises:
        AssayError: There are fewer than two systems, or no common item.
    """
    names = list(scores)
    if len(names) < 2:
        raise AssayError("A ranking requires at least two systems.")
    common = sorted(set.intersection(*(set(items) for items in scores.values())))
    if not common:
        raise AssayError("The systems have no common item, so they cannot be ranked.")
    sign = 1.0 if better == "higher" else -1.0
    table = sign * np.array([[scores[name][item] for item in common] for name in names])
    adjusted = adjusted_pairs(table, seed)
    means = table.mean(axis=1)
    drawn = resampled_means(table, samples, seed)
    ranks, ranges = shared_ranks(means, adjusted, alpha), rank_intervals(drawn)
    intervals = _intervals(sign * table, sign * drawn, ends)
    rows = []
    for i, name in enumerate(names):
        # ranks that the tests leave open belong to the range even if no resample reaches them
        significantly_worse = int(((means < means[i]) & (adjusted[i] < alpha)).sum())
        best, worst = min(ranks[i], ranges[i].low), max(len(names) - significantly_worse, ranges[i].high)
        low, high = intervals[i] or (None, None)
        rows.append(Ranked(name, sign * float(means[i]), low, high, ranks[i], best, worst, len(common), better))
    return sorted(rows, key=lambda row: (row.rank, -sign * row.mean))


def _intervals(
    table: NDArray[np.float64], drawn: NDArray[np.float64], ends: tuple[float, float] | None
) -> list[tuple[float, float] | None]:
    """Return the interval of each mean: on the scale if its ends are known, otherwise from resamples, which say nothing
    about a system whose scores are all equal."""
    if table.shape[1] < FEWEST_UNITS:
        return [None] * len(table)
    if ends is not None:
        return list(intervals_on_scale(table, ends))
    return [
        widened_interval(float(scores.mean()), resampled, len(scores)) if np.ptp(scores) else None
        for scores, resampled in zip(table, drawn.T, strict=True)
    ]


def scale_ends(
    judgements: Sequence[Judgement], criterion: str, levels: Sequence[float] = ()
) -> tuple[float, float] | None:
    """Return the ends of the scale of a criterion: those of its levels, if the design states them and all judgements
    are between, or as single judgements show them; None if there are none."""
    values = [float(j.value) for j in judgements if j.criterion == criterion and not isinstance(j.value, str)]
    if values and len(levels) > 1 and min(levels) <= min(values) and max(values) <= max(levels):
        return float(min(levels)), float(max(levels))
    return observed_ends(values) if values else None


def adjusted_pairs(table: NDArray[np.float64], seed: int = 0, permutations: int = 10_000) -> NDArray[np.float64]:
    """Return p of every two systems (rows of systems x items): paired permutation tests with Holm correction."""
    upper = np.triu_indices(len(table), 1)
    p = [sign_flip(table[a], table[b], samples=permutations, seed=seed).p for a, b in zip(*upper, strict=True)]
    adjusted = np.ones((len(table), len(table)))
    adjusted[upper] = holm(p)
    return np.minimum(adjusted, adjusted.T)


def unit_values(judgements: Sequence[Judgement], criterion: str, unit: Unit = "item") -> dict[str, dict[str, float]]:
    """Return ratings by system and unit: the mean of each item, or every single judgement (which overstates n).

    Raises:
        AssayError: There is no such criterion, or its values are not numbers.
    """
    values: dict[str, dict[str, list[float]]] = {}
    for j in distinct(judgements):
        if j.criterion == criterion:
            if isinstance(j.value, str):
                raise AssayError(f"{j.id} of {j.system}: '{j.value}' is not a number; '{criterion}' cannot be ranked.")
            key = f"{j.id}\t{j.unit}" + (f"\t{j.annotator}" if unit == "judgement" else "")
            values.setdefault(j.system, {}).setdefault(key, []).append(float(j.value))
    if not values:
        raise AssayError(f"No judgement has the criterion '{criterion}'.")
    return {name: {key: float(np.mean(own)) for key, own in units.items()} for name, units in values.items()}


@dataclass(frozen=True)
class Pair:
    """Two systems on their common units: mean difference a - b, p, p after Holm correction, and the test."""

    a: str
    b: str
    difference: float | None
    p: float | None
    p_adjusted: float | None
    n: int
    method: str


def compare_pairs(scores: Mapping[str, Mapping[str, float]], test: str, seed: int = 0) -> list[Pair]:
    """Test every pair of systems; a pair without p has the reason in place of the method."""
    pairs: list[Pair] = []
    for a, b in combinations(scores, 2):
        common = sorted(scores[a].keys() & scores[b].keys())
        x, y = ([scores[name][key] for key in common] for name in (a, b))
        difference = float(np.mean(np.subtract(x, y))) if common else None
        try:
            result = JUDGEMENT_TESTS[test].run(x, y, seed)
            pairs.append(Pair(a, b, difference, result.p, None, result.n, result.method))
        except UndefinedStatistic as why:
            pairs.append(Pair(a, b, difference, None, None, len(common), str(why)))
    adjusted = holm([np.nan if pair.p is None else pair.p for pair in pairs])
    known = zip(pairs, adjusted, strict=True)
    return [replace(pair, p_adjusted=None if np.isnan(p) else float(p)) for pair, p in known]
