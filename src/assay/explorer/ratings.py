"""What people said of each system, as a report shows it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.records import Judgement, Score
from assay.stats.interval import percentile
from assay.stats.resample import bootstrap


def mean_ratings(judgements: Sequence[Judgement]) -> list[tuple[str, dict[str, Score], int]]:
    """Mean rating of each system; its interval resamples items, because raters of one item are not independent."""
    rated: dict[str, dict[str, dict[str, list[float]]]] = {}
    for judgement in judgements:
        if isinstance(judgement.value, float | int):
            systems = rated.setdefault(judgement.criterion, {})
            systems.setdefault(judgement.system, {}).setdefault(judgement.id, []).append(float(judgement.value))
    people = []
    for criterion, systems in rated.items():
        scores = {}
        count = 0
        for system, items in systems.items():
            sums = np.array([[sum(values), len(values)] for values in items.values()])
            count += int(sums[:, 1].sum())
            folded = np.concatenate([draws.weights @ sums for draws in bootstrap(len(sums), 1000, 0)])
            low, high = percentile(folded[:, 0] / folded[:, 1]) or (None, None)
            value = float(sums[:, 0].sum() / sums[:, 1].sum())
            scores[system] = Score(value=value, low=low, high=high)
        people.append((criterion, scores, count))
    return people
