"""Systems in order, with doubt: intervals beside means, and one shared rank for those that cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import AssayError
from assay.stats.adjust import holm
from assay.stats.interval import percentile
from assay.stats.ranking import rank_intervals, shared_ranks
from assay.stats.significance import sign_flip
from assay.stats.uncertainty import resampled_means

if TYPE_CHECKING:
    from assay.records import Judgement


@dataclass(frozen=True)
class Ranked:
    """One system: mean with interval, the rank it shares, and where its rank lies in resamples."""

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
        low, high = percentile(drawn[:, i]) or (None, None)
        # a rank that is shared because of doubt belongs to the range even if resampled means never reach it
        best = min(ranks[i], ranges[i].low)
        rows.append(Ranked(name, float(means[i]), low, high, ranks[i], best, ranges[i].high, len(common)))
    return sorted(rows, key=lambda row: (row.rank, -row.mean))


def mean_judgements(judgements: Sequence[Judgement], criterion: str) -> dict[str, dict[str, float]]:
    """Mean rating of every item by system; items are the unit, so that raters do not inflate the number of pairs."""
    values: dict[str, dict[str, list[float]]] = {}
    for j in judgements:
        if j.criterion == criterion:
            if isinstance(j.value, str):
                raise AssayError(f"{j.id} of {j.system}: '{j.value}' is not a number, so '{criterion}' has no ranking")
            values.setdefault(j.system, {}).setdefault(f"{j.id}\t{j.unit}", []).append(float(j.value))
    if not values:
        raise AssayError(f"no judgement has the criterion '{criterion}'")
    return {name: {item: float(np.mean(given)) for item, given in items.items()} for name, items in values.items()}
