"""Made-up people who judge made-up texts: accuracy, bias, speed and drop-out are given, the truth is known."""

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
    """People, in points of the scale where it is about answers; seconds where it is about time."""

    noise: float = 0.8
    """How far the same person differs from themselves (sd)."""
    leniency: float = 0.5
    """How far people differ in how kind they are to all texts (sd)."""
    taste: float = 0.2
    """How far people differ in which system they like (sd)."""
    careless: float = 0.05
    """Share of answers that are guesses."""
    reading: float = 15.0
    """Seconds to read a text."""
    answering: float = 5.0
    """Seconds for one answer."""
    speed: float = 0.3
    """How far people differ in speed (sd of the logarithm)."""
    drop_out: float = 0.02
    """Chance that a person leaves in the middle of a task, for good."""

    def __post_init__(self) -> None:
        for name in ("noise", "leniency", "taste", "speed", "reading", "answering"):
            if getattr(self, name) < 0:
                raise AssayError(f"{name} is {getattr(self, name)}; it must be 0 or more")
        for name in ("careless", "drop_out"):
            if not 0 <= getattr(self, name) < 1:
                raise AssayError(f"{name} is {getattr(self, name)}; it must be from 0 to below 1")


@dataclass(frozen=True)
class Texts:
    """What is judged: systems whose mean quality differs by `effect` from best to worst, in points."""

    items: int = 100
    systems: int = 2
    effect: float = 0.3
    difficulty: float = 0.6
    """How far inputs differ for all systems (sd)."""
    variation: float = 0.6
    """How far the difference between systems varies from input to input (sd of each text)."""

    def qualities(self, draw: np.random.Generator) -> Floats:
        """Items x systems; the first system is the best, the last the worst."""
        means = np.linspace(self.effect / 2, -self.effect / 2, self.systems)
        difficulty = draw.normal(0, self.difficulty, (self.items, 1))
        return np.asarray(means + difficulty + draw.normal(0, self.variation, (self.items, self.systems)))


@dataclass(frozen=True)
class Work:
    """Who judged which item, and what it took."""

    item: Codes
    person: Codes
    people: int
    seconds: float
    """Of all people together, given-up tasks included."""
    given_up: int


def hand_out(
    crowd: Crowd, items: int, per_item: int, most: int | None, task_seconds: float, draw: np.random.Generator
) -> Work:
    """Every item to so many people: one after the other comes, works until there is nothing left for them, they have
    done their most or they leave; what they leave behind goes to the next."""
    cap = min(most or items, items)
    slots = np.tile(np.arange(items), per_item)
    person = np.empty(len(slots), dtype=np.int64)
    seconds, given_up, people, start = 0.0, 0, 0, 0
    while start < len(slots):
        pace = float(np.exp(draw.normal(0, crowd.speed)))
        stays = cap if crowd.drop_out == 0 else min(cap, int(draw.geometric(crowd.drop_out)) - 1)
        end = min(start + stays, len(slots))
        leaves = crowd.drop_out > 0 and stays < cap and end < len(slots)
        person[start:end] = people
        seconds += pace * task_seconds * (end - start + (0.5 if leaves else 0.0))
        given_up += leaves
        start = end
        people += 1
    return Work(slots, person, people, seconds, given_up)


def perceive(crowd: Crowd, quality: Floats, work: Work, draw: np.random.Generator) -> Floats:
    """Judgements x systems: how good each text seems to whoever reads it. A guess has nothing to do with the text."""
    systems = quality.shape[1]
    kind = draw.normal(0, crowd.leniency, work.people)[work.person]
    taste = draw.normal(0, crowd.taste, (work.people, systems))[work.person]
    seen = quality[work.item] + kind[:, None] + taste + draw.normal(0, crowd.noise, (len(work.item), systems))
    guess = draw.random(seen.shape) < crowd.careless
    return np.where(guess, draw.uniform(-2, 2, seen.shape), seen)
