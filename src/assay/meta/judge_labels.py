"""Judgements of a judge next to those of annotators: who is a judge, and the labels of the same outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.records.types import JUDGE_METHOD, Judgement
from assay.specs import did_you_mean

AGAINST = "against:"
"""Start of the unit of a preference, before the other system."""


class Cell(NamedTuple):
    """What was judged: one criterion of one output (or of one unit of it)."""

    id: str
    system: str
    unit: str
    criterion: str


Label = float | str


@dataclass(frozen=True)
class Labels:
    """Labels by annotator and cell; draws of a judge (`NAME#2`) are apart."""

    humans: dict[str, dict[Cell, Label]]
    judges: dict[str, dict[Cell, Label]]
    draws: dict[str, list[dict[Cell, Label]]]
    """All draws of each judge."""
    orders: dict[str, dict[Cell, list[tuple[int, float]]]]
    """Pairwise judgements of each judge: position and value."""
    seen: int = 0
    """Judgements left out because their annotator saw a model's suggestion."""

    @cached_property
    def numeric(self) -> bool:
        people = [*self.humans.values(), *self.judges.values()]
        return all(isinstance(label, int | float) for labels in people for label in labels.values())

    @cached_property
    def classes(self) -> list[Label]:
        known = {label for labels in (*self.humans.values(), *self.judges.values()) for label in labels.values()}
        return sorted(known, key=lambda label: (isinstance(label, str), label))

    def human_means(self) -> dict[Cell, float]:
        """Return the mean human value of each cell."""
        values: dict[Cell, list[float]] = {}
        for labels in self.humans.values():
            for cell, label in labels.items():
                values.setdefault(cell, []).append(float(label))
        return {cell: float(np.mean(each)) for cell, each in values.items()}

    def majorities(self) -> dict[Cell, Label]:
        """Return the most frequent human label of each cell; cells without one are left out."""
        counts: dict[Cell, dict[Label, int]] = {}
        for labels in self.humans.values():
            for cell, label in labels.items():
                counts.setdefault(cell, {}).setdefault(label, 0)
                counts[cell][label] += 1
        labelled = {}
        for cell, votes in counts.items():
            best = max(votes.values())
            winners = [label for label, count in votes.items() if count == best]
            if len(winners) == 1:
                labelled[cell] = winners[0]
        return labelled


def read_labels(judgements: Sequence[Judgement], judges: Sequence[str], criterion: str | None) -> Labels:
    """Return the labels of judges and annotators.

    Args:
        judgements: Human judgements, and those of judges.
        judges: Names of the judges (default: annotators with the method `judge`).
        criterion: Criterion to use (default: all).

    Raises:
        AssayError: there is no judge, no annotator, or no such criterion.
    """
    rows = [each for each in judgements if not each.unit.startswith("span:")]
    seen = sum(each.suggested for each in rows)
    rows = [each for each in rows if not each.suggested]  # they were made with the judge's answer in view
    if criterion is not None:
        known = sorted({each.criterion for each in rows})
        rows = [each for each in rows if each.criterion == criterion]
        if not rows:
            raise AssayError(
                f"no judgements of {criterion}{did_you_mean(criterion, known)}; there is {', '.join(known)}"
            )
    names = sorted({each.annotator for each in rows})
    chosen = list(judges) or sorted({judge_name(each.annotator) for each in rows if each.method == JUDGE_METHOD})
    for name in chosen:
        if name not in {*map(judge_name, names), *names}:
            raise AssayError(f"no judge {name}{did_you_mean(name, names)}; there is {', '.join(names[:8])}")
    if not chosen:
        raise AssayError(f"no judgements by a judge; name it with --judge. Annotators: {', '.join(names[:8])}")
    models = {each.annotator for each in rows if each.method == JUDGE_METHOD}
    own = [name for name in names if judge_name(name) in chosen or name in chosen]
    people = [name for name in names if name not in own and name not in models]
    if not people:
        raise AssayError("no human judgements of the same outputs; give their file too")
    positions: dict[str, dict[Cell, list[tuple[int, float]]]] = {}
    for each in rows:
        if each.unit.startswith(AGAINST) and each.annotator in own and each.position is not None:
            cell = Cell(each.id, each.system, each.unit, each.criterion)
            positions.setdefault(judge_name(each.annotator), {}).setdefault(cell, []).append(
                (each.position, float(each.value))
            )
    draws: dict[str, list[dict[Cell, Label]]] = {name: [] for name in chosen}
    for name in own:
        draws[name if name in chosen else judge_name(name)].append(_cells(rows, name))
    return Labels(
        {name: _cells(rows, name) for name in people},
        {name: each[0] for name, each in draws.items()},
        draws,
        positions,
        seen,
    )


def _cells(rows: Sequence[Judgement], annotator: str) -> dict[Cell, Label]:
    """Return the labels of one annotator; both orders of a pair are averaged."""
    labelled: dict[Cell, list[Label]] = {}
    for each in rows:
        if each.annotator == annotator:
            labelled.setdefault(Cell(each.id, each.system, each.unit, each.criterion), []).append(each.value)
    labels: dict[Cell, Label] = {}
    for cell, values in labelled.items():
        if len(set(values)) > 1 and not cell.unit.startswith(AGAINST):
            raise AssayError(f"{annotator} judged {cell.id} of {cell.system} ({cell.criterion}) twice. Keep one.")
        labels[cell] = values[0] if len(set(values)) == 1 else float(np.mean([float(value) for value in values]))
    return labels


def once(labels: Mapping[Cell, Label]) -> dict[Cell, Label]:
    """Return labels with each pair once, as the share of its first system: a preference is stored for both."""
    kept: dict[Cell, Label] = {}
    for cell, label in labels.items():
        other = cell.unit.removeprefix(AGAINST)
        if not cell.unit.startswith(AGAINST) or cell.system < other:
            kept[cell] = label
        else:
            kept.setdefault(cell._replace(system=other, unit=f"{AGAINST}{cell.system}"), 1 - float(label))
    return kept


def judge_name(annotator: str) -> str:
    """Return the name of a judge without the number of its draw."""
    name, mark, draw = annotator.rpartition("#")
    return name if mark and draw.isdecimal() else annotator


def draw_of(annotator: str) -> str:
    """Return the draw of a judgement, `#1` for the first."""
    return annotator.removeprefix(judge_name(annotator)) or "#1"
