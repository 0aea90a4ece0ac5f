"""Points to groups: principal components, and k-means from several beginnings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.metrics.engine.statistics import Floats

MOST_STEPS = 500
"""After which a grouping is taken as it is."""
SAME = 1e-10
"""Share of the longest vector's square within which two points are in one place."""


def reduced(points: Floats, variance: float) -> Floats:
    """The first principal components, as many as it takes to keep this share of the variance."""
    centred: Floats = points - points.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    shares = np.cumsum(np.square(sizes))
    if not len(shares) or shares[-1] <= 0:
        return np.asarray(centred[:, :1])
    kept = int(np.argmax(shares >= variance * shares[-1] * (1 - 1e-12))) + 1
    return np.asarray(left[:, :kept] * sizes[:kept])


def clusters(points: Floats, number: int, redo: int, seed: int) -> NDArray[np.int64]:
    """The group of each point: of `redo` groupings the one whose points lie nearest to their centres.

    Points that are equal but for rounding, as those of equal texts are, stand side by side. One of them may be a centre
    in the beginning: two in one place would part them by their last digits, and everything else would follow.
    """
    gaps = np.square(np.diff(points, axis=0)).sum(axis=1)
    different = points[np.r_[True, gaps > SAME * np.square(points).sum(axis=1).max()]]
    best: tuple[float, NDArray[np.int64]] | None = None
    for attempt in range(redo):
        chance = np.random.default_rng([seed, attempt])
        found = _grouped(points, different[chance.choice(len(different), min(number, len(different)), replace=False)])
        if best is None or found[0] < best[0] * (1 - 1e-9):
            best = found
    assert best is not None
    return best[1]


def _grouped(points: Floats, centres: Floats) -> tuple[float, NDArray[np.int64]]:
    """Lloyd's steps until no point changes its group; a group that loses all points takes the one that lies farthest
    from its centre."""
    labels = np.full(len(points), -1, dtype=np.int64)
    lengths = np.square(points).sum(axis=1)
    for _ in range(MOST_STEPS):
        far = np.maximum(lengths[:, None] - 2 * points @ centres.T + np.square(centres).sum(axis=1), 0)
        now = far.argmin(axis=1)
        if np.array_equal(now, labels):
            break
        labels = now
        counts = np.bincount(labels, minlength=len(centres))
        sums = np.zeros_like(centres)
        np.add.at(sums, labels, points)
        lonely = np.flatnonzero(counts == 0)
        centres = sums / np.maximum(counts, 1)[:, None]
        if len(lonely):
            farthest = np.argsort(-far[np.arange(len(points)), labels], kind="stable")[: len(lonely)]
            centres[lonely] = points[farthest]
    return float(far[np.arange(len(points)), labels].sum()), labels
