"""Slider: any number between the two ends of a continuous scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from assay.studies.events import Answer
from assay.studies.kinds.base import number_problem
from assay.studies.kinds.form import Fields
from assay.studies.kinds.rating import Rating

ENDS = (0, 100)
"""Of a design that names none."""


class Slider(Rating):
    """A number between two ends."""

    name: ClassVar[str] = "slider"
    elicitation: ClassVar[str] = "direct rating on a continuous scale"
    scale: ClassVar = "continuous"
    template: ClassVar[str] = """
<div class="slider" data-slider>
  <span>{{ q.low }}{% if q.low_label %} · {{ q.low_label }}{% endif %}</span>
  <input type="range" min="{{ q.low }}" max="{{ q.high }}" step="1" hidden aria-label="{{ q.criterion }}">
  <span>{{ q.high }}{% if q.high_label %} · {{ q.high_label }}{% endif %}</span>
  <label>{{ t('ask.number') }}
    <input type="number" name="{{ q.name }}" min="{{ q.low }}" max="{{ q.high }}" step="any" value="{{ q.chosen }}"
      inputmode="decimal">
  </label>
</div>
"""

    def design_problem(self) -> str | None:
        if self.question.values and len(self.question.values) != 2:
            return "a slider needs exactly two values, its ends"
        return super().design_problem()

    def value_problem(self, answer: Answer) -> str | None:
        if why := number_problem(answer.value):
            return why
        low, high = self.question.values or ENDS
        return None if low <= float(answer.value) <= high else f"{answer.value:g} is not between {low} and {high}"

    def page_values(self, fields: Fields, texts: Sequence[Mapping[str, Any]], chosen: str) -> dict[str, Any]:
        low, high = self.question.values or ENDS
        labels = self.question.labels
        ends = {"low_label": labels.get(str(low), ""), "high_label": labels.get(str(high), "")}
        return {"low": low, "high": high} | ends
