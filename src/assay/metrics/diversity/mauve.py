"""MAUVE: divergence between the distributions of outputs and references in the space of an encoder."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.clusters import clusters, reduced
from assay.metrics.engine.statistics import Dense, Floats, Rows, divide
from assay.metrics.semantic.encoder_metric import VectorMetric
from assay.models.context import Context
from assay.records.items import Items

NAMES = ("mauve", "mauve.star", "mauve.frontier")
MIXTURES = 25
"""Number of mixtures of the two distributions, which are the points of the divergence curve."""
MAX_BUCKETS = 500
"""Highest default number of clusters; with more, their counts become small."""
CACHE_SIZE = 8
"""Number of sets whose clusters are cached, since every fold over the same rows needs them."""

MIN_ITEMS = 1000
"""Below this many items a warning is shown: with a tenth as many clusters, counts are small."""

_known: OrderedDict[str, Floats] = OrderedDict()


@dataclass(frozen=True)
class Mauve(VectorMetric, SumMetric):
    """Embeddings of outputs and references (unit length, reduced to 90 % of their variance) are clustered by k-means.
    The shares of the clusters among outputs and among references are two histograms. `mauve` is the area under the
    curve of their divergences from mixtures of both; 1 for equal histograms.

    `mauve.star`: the same with half a count added to each cluster. `mauve.frontier`: the frontier integral; 0 for equal
    histograms. With several references, the first one counts.
    """

    buckets: int | None = None
    """Number of clusters; none is a tenth of the items, at least 2 and at most 500."""
    scale: float = 5.0
    """Scaling constant c of the divergences."""
    variance: float = 0.9
    """Share of the variance kept by the principal components."""
    redo: int = 5
    """Number of k-means runs, of which the best is used."""
    seed: int = 25
    """Random seed of k-means."""

    name: ClassVar = "mauve"
    category: ClassVar = "diversity"
    summary: ClassVar = "similarity of the distributions of outputs and references in the space of an encoder"
    citation: ClassVar = "Pillutla et al. (2021), MAUVE: Measuring the Gap Between Neural Text and Human Text"
    size_dependent: ClassVar = True
    pooled: ClassVar = True
    interdependent: ClassVar = True
    weighed_together: ClassVar = True
    texts_in_rows: ClassVar = ("references",)
    own_sums: ClassVar = True
    fewest: ClassVar = 50

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("buckets", 2, 100_000)
        self.require("scale", 0.01, 1000)
        self.require("variance", 0.01, 1)
        self.require("redo", 1, 1000)
        self.require("seed", 0, 2**32)

    def parts(self) -> tuple[Part, ...]:
        return (
            Part(NAMES[0], digits=3),
            Part(NAMES[1], shown=False, digits=3),
            Part(NAMES[2], "lower", shown=False, digits=3),
        )

    def compute(self, items: Items, context: Context) -> Dense:
        firsts = [references[0] for references in items.references]
        vectors = self.encoder.vectors([*items.outputs, *firsts], context).astype(np.float64)
        values = np.column_stack([vectors[: len(items)], vectors[len(items) :]])
        return Dense(_columns(values.shape[1] // 2), values)

    def columns(self) -> tuple[str, ...] | None:
        return None if self.why_not() else _columns(self.encoder.size)

    def summands(self, rows: Rows, n: int | None = None) -> Floats:
        """Return one-hot rows: the cluster of the output, then that of the reference."""
        vectors = super().summands(rows, n)
        content = hashlib.blake2b(vectors.tobytes(), digest_size=16).hexdigest()
        key = f"{content} {self.buckets} {self.variance} {self.redo} {self.seed}"
        if key not in _known:
            _known[key] = self._grouped(vectors)
            while len(_known) > CACHE_SIZE:
                _known.popitem(last=False)
        _known.move_to_end(key)
        return _known[key]

    def _grouped(self, vectors: Floats) -> Floats:
        n, size = len(vectors), vectors.shape[1] // 2
        number = min(self.buckets or min(max(2, round(n / 10)), MAX_BUCKETS), max(2 * n, 1))
        both = np.vstack([vectors[:, :size], vectors[:, size:]])
        order = np.lexsort(both[:, :8].T)  # so that the order of the items has no effect
        labels = np.empty(2 * n, dtype=np.int64)
        labels[order] = clusters(reduced(both[order], self.variance), number, self.redo, self.seed)
        ones = np.zeros((n, 2 * number))
        ones[np.arange(n), labels[:n]] = 1.0
        ones[np.arange(n), number + labels[n:]] = 1.0
        return ones

    def values(self, sums: Floats) -> Values:
        size = sums.shape[1] // 2
        outputs, references = sums[:, :size], sums[:, size:]
        one, other = _shares(outputs), _shares(references)
        smooth_one, smooth_other = (
            np.where(_any(counts), _shares(counts + 0.5), np.nan) for counts in (outputs, references)
        )
        values = area(one, other, self.scale), area(smooth_one, smooth_other, self.scale), frontier(one, other)
        return dict(zip(NAMES, values, strict=True))

    def per_example(self, rows: Rows) -> Values:
        return {}

    def notes(self, items: Items) -> list[str]:
        several = int((items.reference_counts > 1).sum())
        have = "1 item has" if several == 1 else f"{several} items have"
        first = [f"mauve: {have} several references; only the first is used"] if several else []
        few = f"mauve: small sample (n = {len(items)}): below {MIN_ITEMS:,} items the value has a high variance"
        return [*first, few] if len(items) < MIN_ITEMS else first


def _columns(size: int) -> tuple[str, ...]:
    return (*(f"output{i}" for i in range(size)), *(f"reference{i}" for i in range(size)))


def _any(counts: Floats) -> NDArray[np.bool_]:
    nonempty: NDArray[np.bool_] = counts.sum(axis=1, keepdims=True) > 0
    return nonempty


def _shares(counts: Floats) -> Floats:
    return divide(counts, np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape))


def _divergence(one: Floats, other: Floats) -> Floats:
    """Return the Kullback-Leibler divergence of each row; `other` must be positive where `one` is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(one > 0, one * np.log(one / other), 0.0).sum(axis=1))


def area(outputs: Floats, references: Floats, scale: float) -> Floats:
    """Return the area under the divergence curve, averaged over both axes; NaN for an undefined histogram."""
    along: list[tuple[Floats, Floats]] = [(np.ones(len(outputs)), np.zeros(len(outputs)))]
    for share in np.linspace(1e-6, 1 - 1e-6, MIXTURES):
        mixed = share * outputs + (1 - share) * references
        along.append((np.exp(-scale * _divergence(references, mixed)), np.exp(-scale * _divergence(outputs, mixed))))
    along.append((np.zeros(len(outputs)), np.ones(len(outputs))))
    x, y = (np.stack([point[i] for point in along]) for i in (0, 1))
    areas = np.clip((_under(x, y) + _under(y, x)) / 2, 0, 1)
    return np.where(np.isnan(outputs).any(axis=1) | np.isnan(references).any(axis=1), np.nan, areas)


def _under(x: Floats, y: Floats) -> Floats:
    order = np.lexsort((-y, x), axis=0)  # with equal histograms nearly all points have the same x
    x, y = np.take_along_axis(x, order, axis=0), np.take_along_axis(y, order, axis=0)
    return np.asarray((np.diff(x, axis=0) * (y[1:] + y[:-1]) / 2).sum(axis=0))


def frontier(outputs: Floats, references: Floats) -> Floats:
    """Return the integral of the divergences over all mixtures, in closed form."""
    both = outputs + references
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = np.where(np.abs(outputs - references) > 1e-8, outputs - references, np.nan)
        logs = outputs * references * (np.log(outputs) - np.log(references)) / difference
    inner = np.where(np.isnan(difference), 0.0, both / 4 - np.where(np.isnan(logs), 0.0, logs) / 2)
    return np.where(np.isnan(both).any(axis=1), np.nan, np.clip(2 * inner.sum(axis=1), 0, 1))
