"""Pairwise accuracy of metrics: texts with calibrated ties, and systems with the confidence of both sides.

Deutsch, Foster and Freitag (2023), Ties Matter: a pair of texts is a tie of the metric if its scores differ by at most
a threshold; the threshold is the one with the highest accuracy. Thompson et al. (2024), Soft Pairwise Accuracy: two
systems count by how close the p of the metric is to that of the judgements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.validation import UndefinedStatistic, group_codes

Values = NDArray[np.float64]
ROUNDING = 1e-12
"""Differences of scores that differ by less than this share of the largest are the same threshold."""


@dataclass(frozen=True)
class TextPairs:
    """All pairs of texts within a group: how a metric and the judgements order them."""

    apart: Values
    """Absolute difference of the metric."""
    agrees: NDArray[np.bool_]
    """The judgements differ, and the metric has the same sign."""
    tied: NDArray[np.bool_]
    """The judgements are equal."""
    group: NDArray[np.int64]
    groups: int

    @cached_property
    def weight(self) -> Values:
        """Weight of each pair: every group counts the same."""
        return np.asarray(1 / np.bincount(self.group, minlength=self.groups)[self.group] / self.groups)

    @cached_property
    def curve(self) -> tuple[Values, Values]:
        """Return all thresholds, from 0, and the accuracy with each."""
        order = np.argsort(self.apart, kind="stable")
        apart = self.apart[order]
        change = np.where(self.tied, self.weight, np.where(self.agrees, -self.weight, 0.0))[order]
        first = float(self.weight[self.agrees].sum())
        step = ROUNDING * max(1.0, float(apart[-1]))
        last = np.append(np.flatnonzero(np.diff(apart) > step), len(apart) - 1)
        thresholds, values = apart[last], first + np.cumsum(change)[last]
        if apart[0] > step:
            thresholds, values = np.insert(thresholds, 0, 0.0), np.insert(values, 0, first)
        return thresholds, values

    def right(self, threshold: float) -> Values:
        """Return the share of right pairs of each group with a threshold."""
        step = ROUNDING * max(1.0, float(self.apart.max()))
        hits = np.where(self.apart <= threshold + step, self.tied, self.agrees)
        return np.bincount(self.group, hits, self.groups) / np.bincount(self.group, minlength=self.groups)

    def calibrated(self) -> tuple[float, float]:
        """Return the threshold with the highest accuracy (the smallest of equal ones), and that accuracy."""
        thresholds, values = self.curve
        best = int(np.argmax(values > values.max() - ROUNDING))
        return float(thresholds[best]), float(values[best])

    def held_out(self) -> Values:
        """Return the share of right pairs of each group, with the threshold chosen on the groups of the other half."""
        half = np.arange(self.groups) % 2
        shares = np.zeros(self.groups)
        for side in (0, 1):
            rest = half[self.group] != side
            if not rest.any():
                raise UndefinedStatistic("one group only; a threshold needs others")
            _, code = np.unique(self.group[rest], return_inverse=True)
            part = TextPairs(self.apart[rest], self.agrees[rest], self.tied[rest], code, int(code.max()) + 1)
            shares[half == side] = self.right(part.calibrated()[0])[half == side]
        return shares


def text_pairs(metric: ArrayLike, human: ArrayLike, group: ArrayLike) -> TextPairs:
    """Return all pairs of texts of the same group; groups with one text do not count.

    Raises:
        UndefinedStatistic: no group has two texts.
    """
    x, y = np.asarray(metric, dtype=np.float64), np.asarray(human, dtype=np.float64)
    code = group_codes(group)
    order = np.argsort(code, kind="stable")
    apart, agrees, tied, groups = [], [], [], []
    used = 0
    for members in np.split(order, np.flatnonzero(np.diff(code[order])) + 1):
        if len(members) < 2:
            continue
        a, b = np.triu_indices(len(members), 1)
        dx, dy = x[members][a] - x[members][b], y[members][a] - y[members][b]
        apart.append(np.abs(dx))
        agrees.append((np.sign(dx) == np.sign(dy)) & (dy != 0))
        tied.append(dy == 0)
        groups.append(np.full(len(a), used))
        used += 1
    if not used:
        raise UndefinedStatistic("no two texts belong to the same group")
    of_pairs = np.concatenate(apart), np.concatenate(agrees), np.concatenate(tied), np.concatenate(groups)
    return TextPairs(*of_pairs, used)


def one_sided_p(scores: Values, flips: Values) -> Values:
    """Return p of "the first system of a pair is better", for all pairs of columns: paired random sign flips.

    Args:
        scores: Scores, inputs x systems.
        flips: Signs, permutations x inputs; the same for the metric and the judgements.
    """
    a, b = np.triu_indices(scores.shape[1], 1)
    exchanged, total = flips @ scores, scores.sum(axis=0)
    least = (total[a] - total[b]) - 1e-9 * np.maximum(1.0, np.abs(scores).sum(axis=0).max())
    return np.asarray(((exchanged[:, a] - exchanged[:, b]) >= least).mean(axis=0))


def random_flips(permutations: int, inputs: int, seed: int) -> Values:
    """Return random signs, permutations x inputs."""
    signs = np.random.default_rng(seed).integers(0, 2, size=(permutations, inputs))
    return signs.astype(np.float64) * 2 - 1


def soft_pairwise_accuracy(metric: Values, human: Values) -> float:
    """Return 1 minus the mean distance between the p of the metric and of the judgements, over pairs of systems."""
    if not len(human):
        raise UndefinedStatistic("one system only; pairs of systems are needed")
    return float(1 - np.abs(metric - human).mean())


def soft_difference_p(
    first: Values, second: Values, human: Values, permutations: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """Test whether two metrics have the same soft pairwise accuracy (two-sided): the difference, and p.

    The standardised scores of both metrics are exchanged at random, for all systems of an input together.

    Args:
        first: Scores, inputs x systems.
        second: Scores of the other metric.
        human: p of the judgements, of all pairs of systems.
    """
    a, b = np.triu_indices(first.shape[1], 1)
    pairs = [(each / scale)[:, a] - (each / scale)[:, b] for each in (first, second) if (scale := _spread(each))]
    if len(pairs) < 2:
        raise UndefinedStatistic("a metric is constant")
    chosen = np.vstack([np.ones(len(first)), (random_flips(permutations, len(first), seed) + 1) / 2])
    # A row of `chosen` takes an input from its own metric (1) or from the other (0).
    sums = [w @ x + (1 - w) @ z for w, x, z in ((chosen, *pairs), (chosen, *pairs[::-1]))]
    squares = [w @ x**2 + (1 - w) @ z**2 for w, x, z in ((chosen, *pairs), (chosen, *pairs[::-1]))]
    apart = [1 - np.abs(_p(s, v) - human).mean(axis=1) for s, v in zip(sums, squares, strict=True)]
    difference = apart[0] - apart[1]
    extreme = int((np.abs(difference[1:]) >= abs(difference[0]) - 1e-12).sum())
    return float(difference[0]), (1 + extreme) / (1 + permutations)


def _spread(scores: Values) -> float:
    return float(scores.std())


def _p(total: Values, squares: Values) -> Values:
    """Return one-sided p by the normal distribution with the exact variance of sign flips."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(squares > 0, total / np.sqrt(squares), 0.0)
    return np.asarray(_erfc(z / math.sqrt(2)), dtype=np.float64) / 2


_erfc = np.frompyfunc(math.erfc, 1, 1)
