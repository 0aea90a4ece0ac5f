"""The alternative annotator test: does a judge represent the other annotators as well as one of them does?

Calderon, Reichart and Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge. Each annotator is left out in
turn; on every item, the judge and the annotator are scored by their agreement with the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.stats.adjust import benjamini_hochberg
from assay.stats.clusters import cluster_error
from assay.stats.distributions import t_two_sided
from assay.stats.validation import UndefinedStatistic

Item = TypeVar("Item", bound=Hashable)
Alignment = Callable[[float | str, Sequence[float | str]], float]
Scoring = Literal["accuracy", "rmse"]
FEWEST = 30
"""Items of an annotator below which the t test is not used."""


@dataclass(frozen=True)
class LeftOut:
    """The comparison of the judge with one annotator."""

    annotator: str
    n: int
    judge: float
    """Share of items on which the judge agrees with the others at least as well as the annotator."""
    human: float
    """Share of items on which the annotator agrees with the others at least as well as the judge."""
    p: float
    rejected: bool
    """Whether the judge is significantly no worse than the annotator by more than epsilon."""


@dataclass(frozen=True)
class AlternativeAnnotator:
    """The result of the test over all annotators."""

    winning_rate: float
    advantage_probability: float
    epsilon: float
    annotators: tuple[LeftOut, ...]
    skipped: tuple[str, ...] = ()
    """Annotators with too few items."""

    @property
    def passes(self) -> bool:
        """Whether the judge wins against at least half of the annotators."""
        return self.winning_rate >= 0.5

    @property
    def undecided(self) -> bool:
        """Whether the judge does not win, although by the estimates it is within epsilon of half of the annotators."""
        near = sum(each.rejected or each.human - each.judge < self.epsilon for each in self.annotators)
        return not self.passes and near >= len(self.annotators) / 2


def accuracy(label: float | str, others: Sequence[float | str]) -> float:
    """Return the share of others with the same label."""
    return sum(label == other for other in others) / len(others)


def negative_rmse(label: float | str, others: Sequence[float | str]) -> float:
    """Return the negative root mean squared difference to the others."""
    return -math.sqrt(sum((float(label) - float(other)) ** 2 for other in others) / len(others))


SCORINGS: dict[Scoring, Alignment] = {"accuracy": accuracy, "rmse": negative_rmse}


def alternative_annotator_test(
    judge: Mapping[Item, float | str], humans: Mapping[str, Mapping[Item, float | str]], scoring: Scoring | Alignment,
    epsilon: float, *, q: float = 0.05, fewest: int = FEWEST, clusters: Callable[[Item], Hashable] | None = None,
) -> AlternativeAnnotator:  # fmt: skip
    """Test whether a judge may replace annotators.

    Args:
        judge: Label of the judge by item.
        humans: Labels by annotator and item.
        scoring: How well a label agrees with those of the other annotators; higher is better.
        epsilon: Advantage that the annotators must have over the judge to be preferred in spite of their cost.
        q: False discovery rate over annotators (Benjamini and Yekutieli).
        fewest: Items that an annotator must share with others.
        clusters: Cluster of an item, such as its document; items of a cluster are not independent (default: each item
            is, as in the publication).

    Raises:
        UndefinedStatistic: no annotator has enough items.
    """
    align = SCORINGS[scoring] if isinstance(scoring, str) else scoring
    by_item: dict[Item, list[tuple[str, float | str]]] = {}
    for name, labels in humans.items():
        for item, label in labels.items():
            by_item.setdefault(item, []).append((name, label))
    compared: list[tuple[str, int, float, float, float]] = []
    skipped = []
    for name, labels in humans.items():
        items = [item for item in labels if item in judge and len(by_item[item]) >= 2]
        if len(items) < fewest:
            skipped.append(name)
            continue
        wins = np.empty((len(items), 2))
        for i, item in enumerate(items):
            others = [label for other, label in by_item[item] if other != name]
            machine, person = align(judge[item], others), align(labels[item], others)
            wins[i] = machine >= person, person >= machine
        share = wins.mean(axis=0)
        groups = None if clusters is None else [clusters(item) for item in items]
        p = _p_less(wins[:, 1] - wins[:, 0], epsilon, groups)
        compared.append((name, len(items), float(share[0]), float(share[1]), p))
    if not compared:
        raise UndefinedStatistic(f"no annotator shares {fewest} items with another one and the judge")
    harmonic = sum(1 / rank for rank in range(1, len(compared) + 1))
    adjusted = benjamini_hochberg([p for *_, p in compared]) * harmonic
    rows = tuple(
        LeftOut(*each, rejected=bool(value <= q)) for each, value in zip(compared, adjusted.tolist(), strict=True)
    )
    winning = sum(row.rejected for row in rows) / len(rows)
    return AlternativeAnnotator(winning, float(np.mean([row.judge for row in rows])), epsilon, rows, tuple(skipped))


def _p_less(differences: NDArray[np.float64], bound: float, clusters: Sequence[Hashable] | None) -> float:
    """Return the p of Student's t test of the hypothesis that the mean is at least the bound."""
    n, mean = len(differences), float(differences.mean())
    if clusters is None or len({*clusters}) == n:
        error, df = float(differences.std(ddof=1)) / math.sqrt(n), n - 1
    else:
        if len({*clusters}) < 2:
            return 1.0
        known: dict[Hashable, int] = {}
        robust = cluster_error(differences - mean, [known.setdefault(each, len(known)) for each in clusters])
        error, df = robust.error, robust.df
    if error == 0:
        return 0.0 if mean < bound else 1.0
    t = (mean - bound) / error
    both = t_two_sided(t, df)
    return both / 2 if t < 0 else 1 - both / 2
