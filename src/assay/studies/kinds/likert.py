"""Likert scale: one point of a discrete scale for each text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from assay.studies.events import Answer
from assay.studies.kinds.base import number_problem
from assay.studies.kinds.form import Fields, shortcut_keys
from assay.studies.kinds.rating import Rating

if TYPE_CHECKING:
    from assay.studies.kinds.base import Floats
    from assay.studies.simulate import SimulationPlan


class Likert(Rating):
    """A point of a discrete scale, each with its label."""

    name: ClassVar[str] = "likert"
    elicitation: ClassVar[str] = "direct rating on a discrete scale"
    scale: ClassVar = "discrete"
    simulated: ClassVar[bool] = True
    template: ClassVar[str] = "{{ inputs.options(q, numbered=True) }}"

    def value_problem(self, answer: Answer) -> str | None:
        value, points = answer.value, self.question.values
        return number_problem(value) or (None if value in points else f"{value:g} is not one of {points}")

    def page_values(self, fields: Fields, texts: Sequence[Mapping[str, Any]], chosen: str) -> dict[str, Any]:
        values, labels = [str(value) for value in self.question.values], self.question.labels
        return {
            "options": [
                {"value": value, "label": labels.get(value, ""), "key": key, "checked": chosen == value}
                for value, key in zip(values, shortcut_keys(len(values)), strict=True)
            ]
        }

    @classmethod
    def simulate(cls, quality: Floats, plan: SimulationPlan) -> Floats:
        import numpy as np

        middle = (plan.points + 1) / 2
        return np.clip(np.round(middle + quality), 1, plan.points)
