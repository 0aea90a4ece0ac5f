"""Equivalence-class accuracy: whether a system prefers the true span to one of another class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats
from assay.records.inputs import read_input
from assay.records.items import Items
from assay.records.kinds import Choice
from assay.records.ranked_candidates import scores_of
from assay.records.types import Example

MAIN = ("act", "act labels", "attribution", "motive", "evidence", "temporal scope")
"""Evaluations whose unweighted mean is the main score of FOMC."""


def is_correct(example: Example, output: str) -> bool:
    """Return whether the true span has the strictly higher score; a tie counts as an error."""
    choice = read_input(example, Choice)
    try:
        positive, negative = scores_of(output, [choice.positive, choice.negative])
    except AssayError as error:
        raise AssayError(f"id {example.id}: {error}") from None
    return positive > negative


@dataclass(frozen=True)
class EqAccuracy(SumMetric):
    """Share of instances in which the true span has the higher score, and its unweighted mean over the main
    evaluations.

    The evaluation of an item is its tag `evaluation`; the score of one evaluation is that of the subset with this tag.
    """

    main: str = ",".join(MAIN)
    """Evaluations of `eq_accuracy.macro`, separated by commas."""

    name: ClassVar = "eq_accuracy"
    category: ClassVar = "semantic"
    summary: ClassVar = "share of instances in which the true span scores higher than one of another class"
    needs: ClassVar = ("inputs",)
    citation: ClassVar = "Marfurt et al. (2022), Predicting Semi-Structured Human Annotations, section 5"

    def options(self) -> dict[str, Any]:
        return {"main": ",".join(self._names())}

    def _names(self) -> list[str]:
        """Return the distinct evaluations in a fixed order, since the mean does not depend on it."""
        names = set(self.main.split(","))
        return [*(name for name in MAIN if name in names), *sorted(names - set(MAIN))]

    def parts(self) -> tuple[Part, ...]:
        return Part("eq_accuracy", scale=100, digits=1), Part("eq_accuracy.macro", scale=100, digits=1)

    def columns(self) -> tuple[str, ...]:
        return ("correct", "n", *(f"{kind} {name}" for name in self._names() for kind in ("correct", "n")))

    def statistics(self, items: Items) -> Dense:
        names = self._names()
        values = np.zeros((len(items), 2 + 2 * len(names)))
        for i, (example, output) in enumerate(zip(items.examples, items.outputs, strict=True)):
            correct = is_correct(example, output)
            values[i, :2] = correct, 1
            evaluation = example.tags.get("evaluation")
            if evaluation in names:
                place = 2 + 2 * names.index(evaluation)
                values[i, place : place + 2] = correct, 1
        return Dense(self.columns(), values)

    def values(self, sums: Floats) -> Values:
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = sums[:, 2::2] / sums[:, 3::2]
            seen = sums[:, 3::2] > 0
            macro = np.where(seen, shares, 0).sum(axis=1) / seen.sum(axis=1)
            return {"eq_accuracy": sums[:, 0] / sums[:, 1], "eq_accuracy.macro": macro}

    def undefined(self, part: str) -> str:
        return "no item belongs to a main evaluation" if part.endswith("macro") else super().undefined(part)

    def notes(self, items: Items) -> list[str]:
        counts = Counter(example.tags.get("evaluation", "") for example in items.bare)
        few = [f"{name or 'no evaluation'} (n = {count})" for name, count in counts.items() if count < 50]
        return [f"small samples: {', '.join(few)}. See the confidence intervals."] if few else []


Cell = tuple[int | str, int | str]
"""Classes of the true and of the other span, by index or name."""


def confusion(instances: Iterable[tuple[Example, str]], evaluation: str) -> dict[Cell, tuple[int, int]]:
    """Return (errors, instances) by (class of the true span, class of the other) for one evaluation."""
    cells: dict[Cell, tuple[int, int]] = {}
    for example, output in instances:
        if example.tags.get("evaluation") == evaluation:
            choice = read_input(example, Choice)
            if choice.positive_class is None or choice.negative_class is None:
                raise AssayError(f"id {example.id}: input.positive_class or input.negative_class is missing")
            key = _class(choice.positive_class), _class(choice.negative_class)
            errors, n = cells.get(key, (0, 0))
            cells[key] = errors + (not is_correct(example, output)), n + 1
    return dict(sorted(cells.items(), key=lambda item: [(isinstance(one, str), one) for one in item[0]]))


def _class(value: int | str) -> int | str:
    return int(value) if str(value).isdecimal() else value
