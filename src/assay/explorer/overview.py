"""The board: every line (a system on a set of items) against every axis (a number), as the overview draws it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from assay.metrics import Part
from assay.records import Score
from assay.version import VERSION

CATEGORIES = (
    "lexical", "semantic", "faithfulness", "diversity", "simplification", "source", "descriptive", "other",
)  # fmt: skip
"""Axes stand in this order, as tables do everywhere else."""


@dataclass(frozen=True)
class Axis:
    """One number, and how to read it."""

    part: Part
    category: str = "other"
    about: str = ""
    size_dependent: bool = False

    @property
    def name(self) -> str:
        return self.part.name


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


@dataclass
class Board:
    """Axes and lines, with what a reader must know before believing them."""

    title: str
    axes: dict[str, Axis] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    about: dict[str, dict[str, str]] = field(default_factory=lambda: {"systems": {}, "datasets": {}})
    problems: list[str] = field(default_factory=list)
    """What could not be read, in one sentence each."""
    notes: list[str] = field(default_factory=list)

    def add(self, axes: Iterable[Axis], lines: Iterable[Line]) -> None:
        for axis in axes:
            self.axes.setdefault(axis.name, axis)
        self.lines += lines

    def ordered(self) -> list[Axis]:
        """Axes by category, then by name: the same whichever file was read first."""
        rank = {category: i for i, category in enumerate(CATEGORIES)}
        return sorted(self.axes.values(), key=lambda axis: (rank.get(axis.category, len(rank)), axis.name))

    def payload(self) -> dict[str, Any]:
        """As the page reads it: one list per axis, so that thousands of lines stay small and quick to parse."""
        axes = self.ordered()
        place = {(line.system, line.dataset, line.subset): i for i, line in enumerate(self.lines)}
        systems = list(dict.fromkeys(line.system for line in self.lines))
        datasets = list(dict.fromkeys(line.dataset for line in self.lines))
        system_at = {name: i for i, name in enumerate(systems)}
        dataset_at = {name: i for i, name in enumerate(datasets)}
        return {
            "title": self.title,
            "version": VERSION,
            "systems": systems,
            "datasets": datasets,
            "about": self.about,
            "problems": self.problems,
            "notes": [*self.notes, *suspicious_zeros(self.lines, axes), *mixed_signatures(self.lines, axes)],
            "lines": {
                "system": [system_at[line.system] for line in self.lines],
                "dataset": [dataset_at[line.dataset] for line in self.lines],
                "subset": [line.subset for line in self.lines],
                "kind": [line.kind for line in self.lines],
                "task": [line.task for line in self.lines],
                "language": [line.language for line in self.lines],
                "n": [line.n for line in self.lines],
                "parent": [
                    -1 if line.parent is None else place.get((line.system, line.dataset, line.parent), -1)
                    for line in self.lines
                ],
            },
            "axes": [_column(axis, self.lines) for axis in axes],
        }

    def to_json(self) -> bytes:
        return msgspec.json.encode(self.payload())


def _column(axis: Axis, lines: Sequence[Line]) -> dict[str, Any]:
    signatures: dict[str, int] = {}
    values: list[float | None] = []
    lows: list[float | None] = []
    highs: list[float | None] = []
    which: list[int] = []
    why: dict[str, str] = {}
    for i, line in enumerate(lines):
        score = line.scores.get(axis.name)
        values.append(None if score is None else score.value)
        lows.append(None if score is None else score.low)
        highs.append(None if score is None else score.high)
        which.append(-1 if score is None else signatures.setdefault(score.signature, len(signatures)))
        if score is not None and score.value is None and score.why:
            why[str(i)] = score.why
    part = axis.part
    return {
        "name": axis.name,
        "category": axis.category,
        "about": axis.about,
        "better": part.better,
        "scale": part.scale,
        "digits": part.digits,
        "fraction": part.scale == 1 and part.bounds == (0.0, 1.0),
        "shown": part.shown,
        "sized": axis.size_dependent,
        "values": values,
        "low": lows if any(low is not None for low in lows) else None,
        "high": highs if any(high is not None for high in highs) else None,
        "signatures": list(signatures),
        "signature": which if len(signatures) > 1 else None,
        "why": why,
    }


def suspicious_zeros(lines: Sequence[Line], axes: Sequence[Axis]) -> list[str]:
    """ROUGE-2 or BLEU of exactly zero is kept; it usually means that outputs and references do not belong together."""
    notes = []
    for axis in axes:
        if axis.name not in ("rouge2", "bleu"):
            continue
        zero = [line for line in lines if axis.name in line.scores and line.scores[axis.name].value == 0.0]
        many = [line for line in zero if line.n is None or line.n >= 100]
        if many:
            listed = ", ".join(dict.fromkeys(f"{line.system} on {line.dataset}" for line in many[:5]))
            more = f" and {len(many) - 5} more" if len(many) > 5 else ""
            notes.append(f"{axis.name} is exactly 0 for {listed}{more}: check that outputs and references match")
    return notes


def mixed_signatures(lines: Sequence[Line], axes: Sequence[Axis]) -> list[str]:
    """Numbers of one name that were not computed in one way, on the same dataset."""
    mixed = []
    for axis in axes:
        scored = [(line, line.scores[axis.name]) for line in lines if axis.name in line.scores]
        if len({score.signature for _, score in scored}) < 2:
            continue
        seen: dict[tuple[str, str], set[str]] = {}
        for line, score in scored:
            if score.value is not None:
                seen.setdefault((line.dataset, line.subset), set()).add(score.signature)
        if any(len(signatures) > 1 for signatures in seen.values()):
            mixed.append(axis.name)
    if not mixed:
        return []
    return [f"computed in different ways on the same items, so compare with care: {', '.join(mixed)}"]
