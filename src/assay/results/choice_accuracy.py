"""Accuracy of choices by evaluation, with intervals and tests against chance level; confusion figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.metrics.ranking.equivalence import Cell, is_correct
from assay.records.types import Example
from assay.show.figures import heat_map
from assay.stats.interval import clustered_wilson_interval, wilson_interval
from assay.stats.significance import sign_flip
from assay.stats.validation import group_codes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Accuracy(NamedTuple):
    """Accuracy on one evaluation."""

    n: int
    correct: int
    accuracy: float
    low: float
    """Wilson's interval, as if instances were independent."""
    high: float
    p: float
    """p of the exact two-sided binomial test against one half, as if instances were independent."""
    clusters: int | None = None
    """Documents, if some have several instances: these are not independent."""
    cluster_low: float | None = None
    """The interval by document; None of one document."""
    cluster_high: float | None = None
    cluster_p: float | None = None
    """p of a permutation test of documents against one half."""

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """The interval to report."""
        return (self.low, self.high) if self.clusters is None else (self.cluster_low, self.cluster_high)

    @property
    def reported_p(self) -> float:
        """The p to report."""
        return self.p if self.cluster_p is None else self.cluster_p

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
    by_name: dict[str, list[tuple[str, bool]]] = {}
    for example, output in pairs:
        document = example.parent or example.tags.get("target", example.id)
        by_name.setdefault(example.tags.get("evaluation", "all"), []).append((document, is_correct(example, output)))
    return {name: _accuracy(chosen, seed) for name, chosen in by_name.items()}


def _accuracy(chosen: list[tuple[str, bool]], seed: int) -> Accuracy:
    hits = np.array([right for _, right in chosen], dtype=np.float64)
    made = Accuracy.of(int(hits.sum()), len(hits))
    documents = group_codes([document for document, _ in chosen])
    number = int(documents.max()) + 1
    if number == len(hits):
        return made
    low, high = clustered_wilson_interval(hits, documents) if number > 1 else (None, None)
    p = sign_flip(hits, np.full(len(hits), 0.5), seed=seed, clusters=documents).p
    return made._replace(clusters=number, cluster_low=low, cluster_high=high, cluster_p=p)


def confusion_figure(cells: Mapping[Cell, tuple[int, int]], title: str) -> Figure:
    """Return a heat map of error rates: rows are the classes of the true span, columns those of the other."""
    places = sorted({place for cell in cells for place in cell}, key=lambda place: (isinstance(place, str), place))
    shares = [[cells[a, b][0] / cells[a, b][1] if (a, b) in cells else np.nan for b in places] for a in places]
    texts = [[f"{cells[a, b][0]} of {cells[a, b][1]}" if (a, b) in cells else "" for b in places] for a in places]
    names = list(map(str, places))
    return heat_map(names, names, shares, texts, scale="error rate", x="other class", y="true class", title=title)
