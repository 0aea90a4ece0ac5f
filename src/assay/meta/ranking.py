"""Systems in order, with doubt: intervals beside means, and one shared rank for those that cannot be told apart."""

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
from assay.stats.interval import widened_interval
from assay.stats.paired_tests import JUDGEMENT_TESTS
from assay.stats.ranking import rank_intervals, shared_ranks
from assay.stats.significance import sign_flip
from assay.stats.uncertainty import resampled_means
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from assay.records import Judgement

Unit = Literal["item", "judgement"]


class Ranked(msgspec.Struct, frozen=True):
    """What people said of one system: its mean, the rank it shares, and where its rank lies in resamples."""

    system: str
    mean: float
    low: float | None
    high: float | None
    rank: int
    rank_low: int
    rank_high: int
    items: int


def rank_systems(
    scores: Mapping[str, Mapping[str, float]], samples: int = 1000, seed: int = 0, alpha: float = 0.05
) -> list[Ranked]:
    """Rank systems by mean score over the same items: paired permutation for every pair, Holm over all pairs."""
    names = list(scores)
    if len(names) < 2:
        raise AssayError("a ranking needs at least two systems")
    common = sorted(set.intersection(*(set(items) for items in scores.values())))
    if not common:
        raise AssayError("the systems have no item in common, so they cannot be ranked against each other")
    table = np.array([[scores[name][item] for item in common] for name in names])
    upper = np.triu_indices(len(names), 1)
    p = [sign_flip(table[a], table[b], samples=10_000, seed=seed).p for a, b in zip(*upper, strict=True)]
    chance = np.ones((len(names), len(names)))
    chance[upper] = holm(p)
    chance = np.minimum(chance, chance.T)
    means = table.mean(axis=1)
    drawn = resampled_means(table, samples, seed)
    ranks, ranges = shared_ranks(means, chance, alpha), rank_intervals(drawn)
    rows = []
    for i, name in enumerate(names):
        low, high = widened_interval(float(means[i]), drawn[:, i], len(common)) or (None, None)
        # places that the tests leave open belong to the range even if resampled means never reach them
        surely_worse = int(((means < means[i]) & (chance[i] < alpha)).sum())
        best, worst = min(ranks[i], ranges[i].low), max(len(names) - surely_worse, ranges[i].high)
        rows.append(Ranked(name, float(means[i]), low, high, ranks[i], best, worst, len(common)))
    return sorted(rows, key=lambda row: (row.rank, -row.mean))


def unit_values(judgements: Sequence[Judgement], criterion: str, unit: Unit = "item") -> dict[str, dict[str, float]]:
    """Ratings by system and unit: the mean of each item, or every single judgement (which overstates n)."""
    values: dict[str, dict[str, list[float]]] = {}
    for j in distinct(judgements):
        if j.criterion == criterion:
            if isinstance(j.value, str):
                raise AssayError(f"{j.id} of {j.system}: '{j.value}' is not a number, so '{criterion}' has no ranking")
            key = f"{j.id}\t{j.unit}" + (f"\t{j.annotator}" if unit == "judgement" else "")
            values.setdefault(j.system, {}).setdefault(key, []).append(float(j.value))
    if not values:
        raise AssayError(f"no judgement has the criterion '{criterion}'")
    return {name: {key: float(np.mean(given)) for key, given in units.items()} for name, units in values.items()}


@dataclass(frozen=True)
class Pair:
    """Two systems on their common units: mean difference a - b, p, p after Holm, and the method in words."""

    a: str
    b: str
    difference: float | None
    p: float | None
    p_adjusted: float | None
    n: int
    method: str


def compare_pairs(scores: Mapping[str, Mapping[str, float]], test: str, seed: int = 0) -> list[Pair]:
    """Every two systems by the named test; a pair without a p says why in place of the method."""
    pairs: list[Pair] = []
    for a, b in combinations(scores, 2):
        common = sorted(scores[a].keys() & scores[b].keys())
        x, y = ([scores[name][key] for key in common] for name in (a, b))
        gap = float(np.mean(np.subtract(x, y))) if common else None
        try:
            found = JUDGEMENT_TESTS[test].run(x, y, **({"seed": seed} if test == "permutation" else {}))
            pairs.append(Pair(a, b, gap, found.p, None, found.n, found.method))
        except UndefinedStatistic as why:
            pairs.append(Pair(a, b, gap, None, None, len(common), str(why)))
    adjusted = holm([np.nan if pair.p is None else pair.p for pair in pairs])
    known = zip(pairs, adjusted, strict=True)
    return [replace(pair, p_adjusted=None if np.isnan(p) else float(p)) for pair, p in known]
