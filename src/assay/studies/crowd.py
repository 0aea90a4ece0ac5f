"""Simulated annotators and texts: accuracy, bias, speed and drop-out are parameters, the true quality is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import AssayError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Crowd:
    """Simulated annotators. Standard deviations are in points of the scale, times in seconds."""

    noise: float = 0.8
    """Standard deviation of repeated judgements of one annotator."""
    leniency: float = 0.5
    """Standard deviation of leniency between annotators."""
    taste: float = 0.2
    """Standard deviation of annotators' preferences for a system."""
    careless: float = 0.05
    """Share of answers that are random guesses."""
    reading: float = 15.0
    """Seconds to read a text."""
    answering: float = 5.0
    """Seconds for one answer."""
    speed: float = 0.3
    """Standard deviation of the logarithm of annotators' speed."""
    drop_out: float = 0.02
    """Probability that an annotator leaves the study during a task."""

    def __post_init__(self) -> None:
        for name in ("noise", "leniency", "taste", "speed", "reading", "answering"):
            if getattr(self, name) < 0:
                raise AssayError(f"{name} is {getattr(self, name)}; it must be 0 or more")
        for name in ("careless", "drop_out"):
            if not 0 <= getattr(self, name) < 1:
                raise AssayError(f"{name} is {getattr(self, name)}; it must be at least 0 and below 1")


@dataclass(frozen=True)
class Texts:
    """Simulated texts of systems whose mean quality differs by `effect` points from best to worst."""

    items: int = 100
    systems: int = 2
    effect: float = 0.3
    difficulty: float = 0.6
    """Standard deviation of inputs, shared by all systems."""
    variation: float = 0.6
    """Standard deviation of single texts."""

    def qualities(self, draw: np.random.Generator) -> Floats:
        """Return the true quality (items x systems); the first system is the best, the last the worst."""
        means = np.linspace(self.effect / 2, -self.effect / 2, self.systems)
        difficulty = draw.normal(0, self.difficulty, (self.items, 1))
        return np.asarray(means + difficulty + draw.normal(0, self.variation, (self.items, self.systems)))


@dataclass(frozen=True)
class Workload:
    """The annotator of each annotation, and the time spent."""

    item: Codes
    annotator: Codes
    annotators: int
    seconds: float
    """Total time of all annotators, unfinished tasks included."""
    given_up: int
    """Number of unfinished tasks."""


def assign_items(
    crowd: Crowd, items: int, per_item: int, most: int | None, task_seconds: float, draw: np.random.Generator
) -> Workload:
    """Assign every item to `per_item` annotators.

    Annotators arrive one after the other. Each works until they reach the maximum number of items, leave the study, or
    no item is left; the next one continues.
    """
    cap = min(most or items, items)
    slots = np.tile(np.arange(items), per_item)
    annotator = np.empty(len(slots), dtype=np.int64)
    seconds, given_up, annotators, start = 0.0, 0, 0, 0
    while start < len(slots):
        pace = float(np.exp(draw.normal(0, crowd.speed)))
        stays = cap if crowd.drop_out == 0 else min(cap, int(draw.geometric(crowd.drop_out)) - 1)
        end = min(start + stays, len(slots))
        leaves = crowd.drop_out > 0 and stays < cap and end < len(slots)
        annotator[start:end] = annotators
        seconds += pace * task_seconds * (end - start + (0.5 if leaves else 0.0))
        given_up += leaves
        start = end
        annotators += 1
    return Workload(slots, annotator, annotators, seconds, given_up)


def perceived_quality(crowd: Crowd, quality: Floats, work: Workload, draw: np.random.Generator) -> Floats:
    """Return the quality that annotators perceive (annotations x systems); a guess does not depend on the text."""
    systems = quality.shape[1]
    leniency = draw.normal(0, crowd.leniency, work.annotators)[work.annotator]
    taste = draw.normal(0, crowd.taste, (work.annotators, systems))[work.annotator]
    noise = draw.normal(0, crowd.noise, (len(work.item), systems))
    perceived = quality[work.item] + leniency[:, None] + taste + noise
    guess = draw.random(perceived.shape) < crowd.careless
    return np.where(guess, draw.uniform(-2, 2, perceived.shape), perceived)
