"""Rows and columns of an overview: a system on a set of items, and a metric."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.metrics.engine.base import Part
from assay.records.types import Score


@dataclass(frozen=True)
class Axis:
    """One metric as a column, and how to read it."""

    part: Part
    category: str = "other"
    about: str = ""
    size_dependent: bool = False
    label: str = ""
    """Label in print (default: its name)."""

    @property
    def name(self) -> str:
        return self.part.name

    @property
    def printed(self) -> str:
        return self.label or self.name


@dataclass(frozen=True)
class ScoredRun:
    """One system on one set of items, as a row."""

    system: str
    dataset: str
    subset: str = ""
    """Part of the dataset: empty for all items, else `language=de` or the name of a challenge set."""
    kind: str = "whole"
    """whole, split, subset, challenge, or parent (the original items of a challenge set)."""
    task: str = ""
    language: str = ""
    n: int | None = None
    parent: str | None = None
    """The subset of the same system and dataset to compare with."""
    scores: dict[str, Score] = field(default_factory=dict)

    @property
    def is_all_items(self) -> bool:
        """Whether this is the dataset itself, not a part of it or the originals of a challenge set: what is tested."""
        return not self.subset

    def value(self, name: str) -> float | None:
        score = self.scores.get(name)
        return None if score is None else score.value


def label_on(axis: Axis, runs: Sequence[ScoredRun]) -> str:
    """Return the label of a metric on some rows, with its options where they are the same on all."""
    labels = {run.scores[axis.name].label or axis.printed for run in runs if run.value(axis.name) is not None}
    return labels.pop() if len(labels) == 1 else axis.printed


def finite(score: Score) -> Score:
    """Return a score from a file as a finite number, or the reason why there is none."""
    if score.value is not None and not math.isfinite(score.value):
        return Score(value=None, signature=score.signature, why=f"the file has {score.value}, not a number")
    if all(end is None or math.isfinite(end) for end in (score.low, score.high)):
        return score
    return Score(value=score.value, signature=score.signature, why=score.why)


def mixed_signatures(runs: Sequence[ScoredRun], axes: Sequence[Axis]) -> list[str]:
    """Return the metrics that were not computed in the same way for all systems on the same items."""
    mixed = []
    for name in (axis.name for axis in axes):
        seen: dict[str, set[str]] = {}
        for run in runs:
            score = run.scores.get(name)
            if score is not None and score.value is not None:
                seen.setdefault(run.subset, set()).add(score.signature)
        if any(len(signatures) > 1 for signatures in seen.values()):
            mixed.append(name)
    return mixed
