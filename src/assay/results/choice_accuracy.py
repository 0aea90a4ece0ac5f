"""Accuracy of choices by evaluation, with Wilson interval and a binomial test against chance; confusion figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.metrics.ranking.equivalence import Cell, is_correct
from assay.records.types import Example
from assay.show.figures import heat_map
from assay.stats.interval import widened_interval, wilson_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SAMPLES = 2000


class Accuracy(NamedTuple):
    """Accuracy on one evaluation."""

    n: int
    correct: int
    accuracy: float
    low: float
    high: float
    p: float
    """p of the exact two-sided binomial test against one half."""
    cluster_low: float | None = None
    """The bootstrap interval over whole targets: instances of one target are not independent."""
    cluster_high: float | None = None

    @staticmethod
    def of(correct: int, n: int) -> Accuracy:
        """Return the accuracy with its Wilson interval and test, as if instances were independent."""
        return Accuracy(n, correct, correct / n, *wilson_interval(correct, n), binomial_p(correct, n))


def binomial_p(correct: int, n: int) -> float:
    """Return p of the exact two-sided binomial test against one half."""
    far = abs(2 * correct - n)
    extreme = sum(math.comb(n, k) for k in range(n + 1) if abs(2 * k - n) >= far)
    return float(extreme / 2**n)


def accuracies(pairs: Iterable[tuple[Example, str]], seed: int = 0) -> dict[str, Accuracy]:
    """Return the accuracy on each evaluation, in order of first appearance."""
    by_name: dict[str, dict[str, list[bool]]] = {}
    for example, output in pairs:
        name, target = example.tags.get("evaluation", "all"), example.tags.get("target", example.id)
        by_name.setdefault(name, {}).setdefault(target, []).append(is_correct(example, output))
    by_evaluation = {}
    for name, targets in by_name.items():
        correct = sum(map(sum, targets.values()))
        n = sum(map(len, targets.values()))
        clusters = np.array([(sum(marks), len(marks)) for marks in targets.values()], dtype=np.float64)
        drawn = np.random.default_rng(seed).integers(0, len(clusters), (SAMPLES, len(clusters)))
        sums = clusters[drawn].sum(axis=1)
        low, high = widened_interval(correct / n, sums[:, 0] / sums[:, 1], len(clusters), (0.0, 1.0)) or (None, None)
        by_evaluation[name] = Accuracy.of(correct, n)._replace(cluster_low=low, cluster_high=high)
    return by_evaluation


def confusion_figure(cells: Mapping[Cell, tuple[int, int]], title: str) -> Figure:
    """Return a heat map of error rates: rows are the classes of the true span, columns those of the other."""
    places = sorted({place for cell in cells for place in cell}, key=lambda place: (isinstance(place, str), place))
    shares = [[cells[a, b][0] / cells[a, b][1] if (a, b) in cells else np.nan for b in places] for a in places]
    texts = [[f"{cells[a, b][0]} of {cells[a, b][1]}" if (a, b) in cells else "" for b in places] for a in places]
    names = list(map(str, places))
    return heat_map(names, names, shares, texts, scale="error rate", x="other class", y="true class", title=title)
