"""When traps block an annotator: a sequential test with a stated rate of false blocks.

After every trap the likelihood of the answers so far for someone who guesses is divided by that for someone who is
just acceptable (Wald's sequential probability ratio). The annotator is blocked once the ratio reaches 1 / rate. By
Ville's inequality an acceptable or better annotator is then blocked with at most that probability, however many traps
there are and however often one looks. A running share of right answers has no such limit: one early mistake is enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from assay.studies.design import Quality

ACCURACIES = (0.95, 0.9, 0.8, 0.7, 0.5, 0.25)
"""Accuracies of annotators for which the share of blocked ones is computed."""
MOST_TRAPS = 500


@dataclass(frozen=True)
class TrapTest:
    """The sequential test of `quality.trap_acceptable`."""

    acceptable: float
    chance: float = 0.5
    false_block: float = 0.01

    def blocks(self, right: int, of: int) -> bool:
        """Return whether this number of right answers blocks."""
        return self.evidence(right, of) >= -math.log(self.false_block) - 1e-12

    def evidence(self, right: int, of: int) -> float:
        """Return the logarithm of the likelihood ratio of guessing against being acceptable."""
        by_right = math.log(self.chance / self.acceptable)
        return right * by_right + (of - right) * math.log((1 - self.chance) / (1 - self.acceptable))

    def fewest(self) -> int:
        """Return the smallest number of traps that can block: all of them wrong."""
        return next(of for of in range(1, MOST_TRAPS) if self.blocks(0, of))


def trap_test(quality: Quality) -> TrapTest | None:
    """Return the sequential test of a design, if it has one."""
    if quality.trap_acceptable is None:
        return None
    return TrapTest(quality.trap_acceptable, quality.trap_chance, quality.trap_false_block)


def problem_of_traps(quality: Quality) -> str:
    """Return why the settings of traps cannot be used, or an empty string."""
    if quality.trap_acceptable is None:
        return ""
    if quality.trap_block is not None:
        return "trap_acceptable and trap_block both block; keep one (trap_acceptable has a stated rate of false blocks)"
    if not 0 < quality.trap_acceptable < 1:
        return f"trap_acceptable is {quality.trap_acceptable}; it is a share above 0 and below 1, e.g. 0.9"
    if not 0 < quality.trap_chance < quality.trap_acceptable:
        return f"trap_chance is {quality.trap_chance}; it must be above 0 and below trap_acceptable"
    if not 0 < quality.trap_false_block < 1:
        return f"trap_false_block is {quality.trap_false_block}; it is a probability, e.g. 0.01"
    return ""


@dataclass(frozen=True)
class Blocked:
    """Annotators of one accuracy: the share that is blocked, and the traps until half of them are."""

    accuracy: float
    share: float
    median: int | None
    """None if fewer than half are blocked."""


def blocked_shares(quality: Quality, tasks: int, accuracies: tuple[float, ...] = ACCURACIES) -> list[Blocked]:
    """Return how many annotators the traps of a design block within a number of tasks, by accuracy; exact."""
    per_task = quality.traps_per_task
    test = trap_test(quality)
    if not per_task or (test is None and quality.trap_block is None):
        return []
    number = min(tasks * per_task, MOST_TRAPS)

    def blocks(right: int, of: int) -> bool:
        if of % per_task:  # a task is graded as a whole
            return False
        if test is not None:
            return test.blocks(right, of)
        assert quality.trap_block is not None
        return of // per_task >= quality.trap_start and right / of < quality.trap_block

    return [_blocked(blocks, accuracy, number) for accuracy in accuracies]


def _blocked(blocks: Callable[[int, int], bool], accuracy: float, number: int) -> Blocked:
    """Follow the probability of every number of right answers; blocked ones leave."""
    working = np.array([1.0])
    gone = 0.0
    median = None
    for of in range(1, number + 1):
        working = np.append(working * (1 - accuracy), 0.0) + np.append(0.0, working * accuracy)
        out = np.array([blocks(right, of) for right in range(of + 1)])
        gone += float(working[out].sum())
        working[out] = 0.0
        if median is None and gone >= 0.5:
            median = of
    return Blocked(accuracy, gone, median)
