"""Metrics as classifiers: ROC-AUC, balanced accuracy, and pairwise accuracy with ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.ranks import average_ranks
from assay.stats.validation import UndefinedStatistic, finite_pair, group_codes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def roc_auc(scores: ArrayLike, positive: ArrayLike) -> float:
    """Return the probability that a positive has a higher score than a negative; ties count half."""
    s, is_positive = _scores_and_labels(scores, positive)
    n_pos = int(is_positive.sum())
    n_neg = len(s) - n_pos
    return float((average_ranks(s)[is_positive].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg))


@dataclass(frozen=True)
class Threshold:
    """A threshold (positive if score >= cut) and its balanced accuracy."""

    cut: float
    balanced_accuracy: float


def best_threshold(scores: ArrayLike, positive: ArrayLike) -> Threshold:
    """Return the observed score with the highest balanced accuracy. It is tuned on these rows: report it on others."""
    s, is_positive = _scores_and_labels(scores, positive)
    cuts, inverse = np.unique(s, return_inverse=True)
    inverse = inverse.reshape(-1)
    pos = np.bincount(inverse[is_positive], minlength=len(cuts))
    neg = np.bincount(inverse[~is_positive], minlength=len(cuts))
    recall = np.cumsum(pos[::-1])[::-1] / pos.sum()
    specificity = 1 - np.cumsum(neg[::-1])[::-1] / neg.sum()
    balanced = (recall + specificity) / 2
    best = int(np.argmax(balanced))
    return Threshold(float(cuts[best]), float(balanced[best]))


def balanced_accuracy(scores: ArrayLike, positive: ArrayLike, cut: float) -> float:
    """Return the mean of the shares of positives at or above the threshold and of negatives below it."""
    s, is_positive = _scores_and_labels(scores, positive)
    return float((np.mean(s[is_positive] >= cut) + np.mean(s[~is_positive] < cut)) / 2)


@dataclass(frozen=True)
class PairwiseAccuracy:
    """Share of pairs in the same order by metric and humans; scores within epsilon are ties, correct for human ties."""

    accuracy: float
    pairs: int
    epsilon: float
    human_ties: int


def pairwise_accuracy(
    metric: ArrayLike, human: ArrayLike, groups: ArrayLike | None = None, epsilon: float | None = 0.0
) -> PairwiseAccuracy:
    """Return the pairwise accuracy of pairs within groups, e.g. of systems within a document.

    Args:
        metric: Metric scores.
        human: Human scores.
        groups: Group of each row (default: one group).
        epsilon: Largest difference of a tie; None selects the one with the highest accuracy.
    """
    x, y = finite_pair(metric, human, 2)
    codes = np.zeros(len(x), dtype=np.int64) if groups is None else group_codes(groups)
    dx, dy = _pair_differences(x, y, codes)
    if len(dx) == 0:
        raise UndefinedStatistic("no group has two rows, so there are no pairs")
    width = np.abs(dx)
    right = np.sign(dx) == np.sign(dy)
    tied = dy == 0
    if epsilon is not None:
        hits = int(np.sum(np.where(width <= epsilon, tied, right)))
        return PairwiseAccuracy(hits / len(dx), len(dx), epsilon, int(tied.sum()))
    order = np.argsort(width, kind="stable")
    gained = np.cumsum(tied[order].astype(np.int64))
    lost = np.cumsum((right & (width > 0))[order].astype(np.int64))
    zero = int(np.sum(right & (width > 0)))
    hits_at = gained + zero - lost  # all pairs up to here are ties, the others are ordered by sign
    ends = np.flatnonzero(np.r_[width[order][1:] != width[order][:-1], True])
    none = int(np.sum(np.where(width <= 0, tied, right)))
    best = ends[int(np.argmax(hits_at[ends]))]
    if hits_at[best] <= none:
        return PairwiseAccuracy(none / len(dx), len(dx), 0.0, int(tied.sum()))
    return PairwiseAccuracy(int(hits_at[best]) / len(dx), len(dx), float(width[order][best]), int(tied.sum()))


def _pair_differences(
    x: NDArray[np.float64], y: NDArray[np.float64], codes: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    dx, dy = [], []
    order = np.argsort(codes, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
        first, second = np.triu_indices(len(rows), 1)
        dx.append(x[rows][first] - x[rows][second])
        dy.append(y[rows][first] - y[rows][second])
    return np.concatenate(dx), np.concatenate(dy)


def _scores_and_labels(scores: ArrayLike, positive: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    s, label = finite_pair(scores, np.asarray(positive, dtype=np.float64), 2)
    is_positive = label > 0.5
    if not is_positive.any() or is_positive.all():
        raise UndefinedStatistic(f"all {len(s)} rows have the same label; both kinds are needed")
    return s, is_positive
