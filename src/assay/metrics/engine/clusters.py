"""Principal components and k-means clustering."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.metrics.engine.statistics import Floats

MAX_STEPS = 500
"""Maximum number of steps of one k-means run."""
SAME = 1e-10
"""Points whose squared distance is below this share of the largest squared norm count as identical."""


def reduced(points: Floats, variance: float) -> Floats:
    """Return the first principal components, as many as are needed to keep this share of the variance."""
    centred: Floats = points - points.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    shares = np.cumsum(np.square(sizes))
    if not len(shares) or shares[-1] <= 0:
        return np.asarray(centred[:, :1])
    kept = int(np.argmax(shares >= variance * shares[-1] * (1 - 1e-12))) + 1
    return np.asarray(left[:, :kept] * sizes[:kept])


def clusters(points: Floats, number: int, redo: int, seed: int) -> NDArray[np.int64]:
    """Return the cluster of each point, from the best of `redo` k-means runs (lowest sum of squared distances).

    Equal points must be adjacent. Points that are equal up to rounding, such as those of equal texts, provide one
    initial centre only: two centres in one place would split them by rounding errors.
    """
    steps = np.square(np.diff(points, axis=0)).sum(axis=1)
    different = points[np.r_[True, steps > SAME * np.square(points).sum(axis=1).max()]]
    best: tuple[float, NDArray[np.int64]] | None = None
    for attempt in range(redo):
        rng = np.random.default_rng([seed, attempt])
        centres = different[rng.choice(len(different), min(number, len(different)), replace=False)]
        result = _lloyd(points, centres)
        if best is None or result[0] < best[0] * (1 - 1e-9):
            best = result
    assert best is not None
    return best[1]


def _lloyd(points: Floats, centres: Floats) -> tuple[float, NDArray[np.int64]]:
    """Run Lloyd's algorithm until no label changes; return the sum of squared distances and the labels.

    A cluster that loses all points restarts at the point farthest from its centre.
    """
    labels = np.full(len(points), -1, dtype=np.int64)
    lengths = np.square(points).sum(axis=1)
    for _ in range(MAX_STEPS):
        far = np.maximum(lengths[:, None] - 2 * points @ centres.T + np.square(centres).sum(axis=1), 0)
        now = far.argmin(axis=1)
        if np.array_equal(now, labels):
            break
        labels = now
        counts = np.bincount(labels, minlength=len(centres))
        sums = np.zeros_like(centres)
        np.add.at(sums, labels, points)
        empty = np.flatnonzero(counts == 0)
        centres = sums / np.maximum(counts, 1)[:, None]
        if len(empty):
            farthest = np.argsort(-far[np.arange(len(points)), labels], kind="stable")[: len(empty)]
            centres[empty] = points[farthest]
    return float(far[np.arange(len(points)), labels].sum()), labels
