"""`rouge_score.scoring`: scores of a pair, and their bootstrap over a set."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.metrics.engine.statistics import Floats


class Score(NamedTuple):
    """Precision, recall and F of one kind of ROUGE."""

    precision: float
    recall: float
    fmeasure: float


class AggregateScore(NamedTuple):
    """The ends of an interval, and what stands in its middle."""

    low: Score
    mid: Score
    high: Score


class BootstrapAggregator:
    """Collects scores of pairs and resamples them.

    The draws are those of `rouge_score`, from numpy's global state, so that the same `numpy.random.seed` gives the same
    numbers. They change from call to call without one: `assay.score(..., ci=1000)` has a seed of its own.
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
        """The scores of one more pair, by kind."""
        for name, score in scores.items():
            self._scores.setdefault(name, []).append(tuple(score))

    def add_arrays(self, scores: dict[str, Floats]) -> None:
        """Scores of many pairs by kind: a row a pair, with precision, recall and F."""
        for name, rows in scores.items():
            self._scores.setdefault(name, []).extend(map(tuple, rows.tolist()))

    def aggregate(self) -> dict[str, AggregateScore]:
        """By kind the interval's ends and the median of the resampled means."""
        result = {}
        half = (1 - self._confidence_interval) / 2
        for name, rows in self._scores.items():
            drawn = self._resampled(np.array(rows))
            ends = np.percentile(drawn, [100 * half, 50, 100 * (1 - half)], axis=0)
            result[name] = AggregateScore(*(Score(*map(float, end)) for end in ends))
        return result

    def _resampled(self, matrix: Floats) -> Floats:
        """The mean of each of so many draws with replacement."""
        n = len(matrix)
        means = np.empty((self._n_samples, matrix.shape[1]))
        for draw in range(self._n_samples):
            chosen = np.random.choice(np.arange(n), size=n)
            means[draw] = np.bincount(chosen, minlength=n) @ matrix / n
        return means
