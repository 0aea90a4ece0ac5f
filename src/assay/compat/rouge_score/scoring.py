"""`rouge_score.scoring`: scores of a pair, and their bootstrap aggregation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.metrics.engine.statistics import Floats


class Score(NamedTuple):
    """Precision, recall and F1 of one ROUGE type."""

    precision: float
    recall: float
    fmeasure: float


class AggregateScore(NamedTuple):
    """The lower end, the median and the upper end of an interval."""

    low: Score
    mid: Score
    high: Score


class BootstrapAggregator:
    """Bootstrap aggregation of scores of pairs.

    Resamples are those of `rouge_score`, from the global random state of numpy: the same `numpy.random.seed` gives the
    same values. `assay.score(..., ci=1000)` has its own seed.
    """

    def __init__(self, confidence_interval: float = 0.95, n_samples: int = 1000) -> None:
        if not 0 <= confidence_interval <= 1:
            raise ValueError("confidence_interval must be in range [0, 1]")
        if n_samples <= 0:
            raise ValueError("n_samples must be positive")
        self._n_samples = n_samples
        self._confidence_interval = confidence_interval
        self._scores: dict[str, list[tuple[float, ...]]] = {}

    def add_scores(self, scores: dict[str, Score]) -> None:
        """Add the scores of one pair, by ROUGE type."""
        for name, score in scores.items():
            self._scores.setdefault(name, []).append(tuple(score))

    def add_arrays(self, scores: dict[str, Floats]) -> None:
        """Add precision, recall and F1 of many pairs by ROUGE type, one row per pair."""
        for name, rows in scores.items():
            self._scores.setdefault(name, []).extend(map(tuple, rows.tolist()))

    def aggregate(self) -> dict[str, AggregateScore]:
        """Return the interval and the median of resampled means, by ROUGE type."""
        result = {}
        half = (1 - self._confidence_interval) / 2
        for name, rows in self._scores.items():
            drawn = self._resampled(np.array(rows))
            ends = np.percentile(drawn, [100 * half, 50, 100 * (1 - half)], axis=0)
            result[name] = AggregateScore(*(Score(*map(float, end)) for end in ends))
        return result

    def _resampled(self, matrix: Floats) -> Floats:
        """Return the mean of each bootstrap resample."""
        n = len(matrix)
        means = np.empty((self._n_samples, matrix.shape[1]))
        for draw in range(self._n_samples):
            chosen = np.random.choice(np.arange(n), size=n)
            means[draw] = np.bincount(chosen, minlength=n) @ matrix / n
        return means
