"""What is true, from people of whom some are careless: Dawid and Skene's model, one after MACE, and the majority.

Answers come as three arrays of the same length: item, annotator and label, each numbered from 0. All models give for
every item how likely each label is. Ties of the majority are shared out.
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
"""Answers that each cell of an annotator's table is thought to have had before; the diagonal has one more. Without it a
person with few answers is believed to be always right or always wrong."""
SPAM = 0.5
"""The same of an annotator's guesses, and of how often they guess."""


@dataclass(frozen=True)
class Truth:
    """How likely each label is for each item, and how good each annotator."""

    labels: Floats
    """Items x labels."""
    competence: Floats
    """By annotator: how often they give the true label (Dawid-Skene), or do not guess (MACE)."""
    confusion: Floats | None = None
    """Annotators x true label x given label, where the model has it."""
    converged: bool = True

    @property
    def best(self) -> Codes:
        """The likeliest label of each item; of equal ones the first."""
        return np.asarray(np.argmax(self.labels, axis=1), dtype=np.int64)


def majority(item: ArrayLike, annotator: ArrayLike, label: ArrayLike) -> Truth:
    """Votes as they are; competence is how often somebody is with the majority."""
    i, a, given = _codes(item, annotator, label)
    votes = np.zeros((i.max() + 1, given.max() + 1))
    np.add.at(votes, (i, given), 1.0)
    top = votes == votes.max(axis=1, keepdims=True)
    shares = top / top.sum(axis=1, keepdims=True)
    return Truth(shares, np.bincount(a, shares[i, given]) / np.bincount(a))


def dawid_skene(item: ArrayLike, annotator: ArrayLike, label: ArrayLike) -> Truth:
    """Each annotator has a table of what they say where something is true (Dawid and Skene, 1979), by EM."""
    i, a, given = _codes(item, annotator, label)
    people, labels = int(a.max()) + 1, int(given.max()) + 1
    truth = majority(i, a, given).labels
    converged = False
    prior = SMOOTHING * np.ones((labels, labels)) + np.eye(labels)
    confusion = np.empty((people, labels, labels))
    for _ in range(ROUNDS):
        counts = np.zeros((people, labels, labels))
        np.add.at(counts.transpose(0, 2, 1), (a, given), truth[i])
        confusion = counts + prior
        confusion /= confusion.sum(axis=2, keepdims=True)
        shares = (truth.sum(axis=0) + SMOOTHING) / (len(truth) + SMOOTHING * labels)
        logs = np.tile(np.log(shares), (len(truth), 1))
        np.add.at(logs, i, np.log(confusion)[a, :, given])
        new = _normal(logs)
        moved = float(np.abs(new - truth).max())
        truth = new
        if moved < SETTLED:
            converged = True
            break
    shares = truth.mean(axis=0)
    return Truth(truth, np.einsum("akk,k->a", confusion, shares), confusion, converged)


def mace(item: ArrayLike, annotator: ArrayLike, label: ArrayLike) -> Truth:
    """An annotator either says what is true or guesses by habits of their own (after Hovy et al., 2013), by EM.

    Unlike there, how frequent each label is is learnt: else careful people seem to guess where one label is frequent.
    """
    i, a, given = _codes(item, annotator, label)
    people, labels, items = int(a.max()) + 1, int(given.max()) + 1, int(i.max()) + 1
    honest = np.full(people, 0.8)
    habits = np.zeros((people, labels))
    np.add.at(habits, (a, given), 1.0)
    habits = (habits + SPAM) / (habits + SPAM).sum(axis=1, keepdims=True)
    truth = majority(i, a, given).labels
    converged = False
    for _ in range(ROUNDS):
        shares = (truth.sum(axis=0) + SMOOTHING) / (items + SMOOTHING * labels)
        guess = (1 - honest[a]) * habits[a, given]
        same = np.log(honest[a] + guess)
        other = np.log(guess)
        logs = np.tile(np.log(shares), (items, 1))
        np.add.at(logs, i, other[:, None])
        np.add.at(logs, (i, given), same - other)
        new = _normal(logs)
        meant = new[i, given] * honest[a] / (honest[a] + guess)  # said because it is true, and not by a guess
        honest = (np.bincount(a, meant, people) + SPAM) / (np.bincount(a, minlength=people) + 2 * SPAM)
        habits = np.zeros((people, labels))
        np.add.at(habits, (a, given), 1 - meant)
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
    i, a, given = (np.asarray(each, dtype=np.int64) for each in (item, annotator, label))
    if not len(i) == len(a) == len(given):
        raise UndefinedStatistic("every answer needs an item, an annotator and a label")
    if not len(i):
        raise UndefinedStatistic("there are no answers")
    return i, a, given
