"""True labels from noisy annotators: the model of Dawid and Skene, a variant of MACE, and the majority vote.

Answers are three arrays of equal length: item, annotator and label, each numbered from 0. Every model returns the
probability of each label for each item. Labels that tie for the majority share the probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int64]

ROUNDS = 500
SETTLED = 1e-7
SMOOTHING = 0.5
"""Prior count of each cell of a confusion matrix; the diagonal has one more. Without it, annotators with few answers
would be estimated to be always right or always wrong."""
SPAM = 0.5
"""Prior count of the guesses of an annotator and of how often they guess."""


@dataclass(frozen=True)
class Truth:
    """Estimated labels of items, and the competence of annotators."""

    labels: Floats
    """Probabilities, items x labels."""
    competence: Floats
    """Per annotator: the probability of the true label (Dawid-Skene), or of not guessing (MACE)."""
    confusion: Floats | None = None
    """Annotators x true label x answer, if the model has it."""
    converged: bool = True

    @property
    def best(self) -> Codes:
        """The most probable label of each item; of equal ones the first."""
        return np.asarray(np.argmax(self.labels, axis=1), dtype=np.int64)


def majority(item: ArrayLike, annotator: ArrayLike, label: ArrayLike) -> Truth:
    """Return the majority vote; competence is how often an annotator is in the majority."""
    i, a, answer = _codes(item, annotator, label)
    votes = np.zeros((i.max() + 1, answer.max() + 1))
    np.add.at(votes, (i, answer), 1.0)
    top = votes == votes.max(axis=1, keepdims=True)
    shares = top / top.sum(axis=1, keepdims=True)
    return Truth(shares, np.bincount(a, shares[i, answer]) / np.bincount(a))


def dawid_skene(item: ArrayLike, annotator: ArrayLike, label: ArrayLike) -> Truth:
    """Fit a confusion matrix for each annotator by EM (Dawid and Skene, 1979)."""
    i, a, answer = _codes(item, annotator, label)
    people, labels = int(a.max()) + 1, int(answer.max()) + 1
    truth = majority(i, a, answer).labels
    converged = False
    prior = SMOOTHING * np.ones((labels, labels)) + np.eye(labels)
    confusion = np.empty((people, labels, labels))
    for _ in range(ROUNDS):
        counts = np.zeros((people, labels, labels))
        np.add.at(counts.transpose(0, 2, 1), (a, answer), truth[i])
        confusion = counts + prior
        confusion /= confusion.sum(axis=2, keepdims=True)
        shares = (truth.sum(axis=0) + SMOOTHING) / (len(truth) + SMOOTHING * labels)
        logs = np.tile(np.log(shares), (len(truth), 1))
        np.add.at(logs, i, np.log(confusion)[a, :, answer])
        new = _normal(logs)
        moved = float(np.abs(new - truth).max())
        truth = new
        if moved < SETTLED:
            converged = True
            break
    shares = truth.mean(axis=0)
    return Truth(truth, np.einsum("akk,k->a", confusion, shares), confusion, converged)


def mace(item: ArrayLike, annotator: ArrayLike, label: ArrayLike) -> Truth:
    """Fit a model by EM in which an annotator gives the true label or guesses (after MACE, Hovy et al., 2013).

    Unlike in MACE, label frequencies are estimated; otherwise careful annotators would seem to guess frequent labels.
    """
    i, a, answer = _codes(item, annotator, label)
    people, labels, items = int(a.max()) + 1, int(answer.max()) + 1, int(i.max()) + 1
    honest = np.full(people, 0.8)
    habits = np.zeros((people, labels))
    np.add.at(habits, (a, answer), 1.0)
    habits = (habits + SPAM) / (habits + SPAM).sum(axis=1, keepdims=True)
    truth = majority(i, a, answer).labels
    converged = False
    for _ in range(ROUNDS):
        shares = (truth.sum(axis=0) + SMOOTHING) / (items + SMOOTHING * labels)
        guess = (1 - honest[a]) * habits[a, answer]
        same = np.log(honest[a] + guess)
        other = np.log(guess)
        logs = np.tile(np.log(shares), (items, 1))
        np.add.at(logs, i, other[:, None])
        np.add.at(logs, (i, answer), same - other)
        new = _normal(logs)
        not_guessed = new[i, answer] * honest[a] / (honest[a] + guess)
        honest = (np.bincount(a, not_guessed, people) + SPAM) / (np.bincount(a, minlength=people) + 2 * SPAM)
        habits = np.zeros((people, labels))
        np.add.at(habits, (a, answer), 1 - not_guessed)
        habits = (habits + SPAM) / (habits + SPAM).sum(axis=1, keepdims=True)
        moved = float(np.abs(new - truth).max())
        truth = new
        if moved < SETTLED:
            converged = True
            break
    return Truth(truth, honest, None, converged)


MODELS = {"majority": majority, "dawid-skene": dawid_skene, "mace": mace}


def _normal(logs: Floats) -> Floats:
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _codes(item: ArrayLike, annotator: ArrayLike, label: ArrayLike) -> tuple[Codes, Codes, Codes]:
    i, a, answer = (np.asarray(each, dtype=np.int64) for each in (item, annotator, label))
    if not len(i) == len(a) == len(answer):
        raise UndefinedStatistic("every answer needs an item, an annotator and a label")
    if not len(i):
        raise UndefinedStatistic("there are no answers")
    return i, a, answer
