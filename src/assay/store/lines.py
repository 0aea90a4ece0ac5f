"""Lines and axes: a system on a set of items against a number; and what to know before believing them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.metrics.engine.base import Part
from assay.records.types import Score


@dataclass(frozen=True)
class Axis:
    """One number, and how to read it."""

    part: Part
    category: str = "other"
    about: str = ""
    size_dependent: bool = False
    label: str = ""
    """What it is called where it is printed; its name if nothing is said."""

    @property
    def name(self) -> str:
        return self.part.name

    @property
    def printed(self) -> str:
        return self.label or self.name


@dataclass(frozen=True)
class Line:
    """One system on one set of items."""

    system: str
    dataset: str
    subset: str = ""
    """What part of the dataset: empty for the whole, else `language=de` or a challenge set's own name."""
    kind: str = "whole"
    """whole, split, subset, challenge, or parent (the original items of a challenge set)."""
    task: str = ""
    language: str = ""
    n: int | None = None
    parent: str | None = None
    """The subset of the same system and dataset that this one is to be read against."""
    scores: dict[str, Score] = field(default_factory=dict)

    def value(self, name: str) -> float | None:
        score = self.scores.get(name)
        return None if score is None else score.value


def label_on(axis: Axis, lines: Sequence[Line]) -> str:
    """What a number is called on some lines: with the options it was computed by, where they are the same on all."""
    labels = {line.scores[axis.name].label or axis.printed for line in lines if line.value(axis.name) is not None}
    return labels.pop() if len(labels) == 1 else axis.printed


def finite(score: Score) -> Score:
    """A score from a file, which may hold what is no number; pages, exports and JSON take only what is one."""
    if score.value is not None and not math.isfinite(score.value):
        return Score(value=None, signature=score.signature, why=f"the file holds {score.value}, not a number")
    if all(end is None or math.isfinite(end) for end in (score.low, score.high)):
        return score
    return Score(value=score.value, signature=score.signature, why=score.why)


def mixed_signatures(lines: Sequence[Line], axes: Sequence[Axis]) -> list[str]:
    """The numbers that were not computed in one way for all systems on the same items of one dataset."""
    mixed = []
    for name in (axis.name for axis in axes):
        seen: dict[str, set[str]] = {}
        for line in lines:
            score = line.scores.get(name)
            if score is not None and score.value is not None:
                seen.setdefault(line.subset, set()).add(score.signature)
        if any(len(signatures) > 1 for signatures in seen.values()):
            mixed.append(name)
    return mixed
