"""Ranking: all texts of a task in order, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from assay.studies.events import Answer
from assay.studies.kinds.base import number_problem
from assay.studies.kinds.comparison import Comparison
from assay.studies.kinds.form import Fields, IncompleteError, SentQuestion


class Ranking(Comparison):
    """The rank of each text; 1 is best."""

    name: ClassVar[str] = "ranking"
    elicitation: ClassVar[str] = "relative: order of several"
    sheet_help: ClassVar[str] = "the rank of each text; 1 is best"
    lower_is_better: ClassVar[bool] = True
    template: ClassVar[str] = """
<p class="hint">{{ t('ask.first_is_best') }}</p>
<div class="ranking">
  {% for each in q.texts %}
  <label>{{ t('ask.place_of', letter=each.letter) }}
    <select name="{{ q.name }}_{{ each.name }}">
      <option value="">–</option>
      {% for rank in q.ranks %}
      <option value="{{ rank }}"{% if each.rank == rank|string %} selected{% endif %}>{{ rank }}</option>
      {% endfor %}
    </select>
  </label>
  {% endfor %}
</div>
"""

    def value_problem(self, answer: Answer) -> str | None:
        if why := number_problem(answer.value):
            return why
        rank = float(answer.value)
        return None if rank >= 1 and rank == int(rank) else f"{rank:g} is not a rank"

    def task_problem(self, values: Sequence[float]) -> str | None:
        return (
            "two texts have the same rank, and ties are not allowed"
            if not self.question.ties and len(set(values)) < len(values)
            else None
        )

    def read(self, sent: SentQuestion) -> list[Answer]:
        ranks = [sent.number(f"_{sent.names[text]}") for text in sent.order]
        if any(rank not in range(1, len(ranks) + 1) for rank in ranks):
            raise IncompleteError("missing.other_value")
        if not self.question.ties and len(set(ranks)) < len(ranks):
            raise IncompleteError("missing.places")
        return [sent.answer(rank, text=text) for text, rank in zip(sent.order, ranks, strict=True)]

    def page_values(self, fields: Fields, texts: Sequence[Mapping[str, Any]], chosen: str) -> dict[str, Any]:
        return super().page_values(fields, texts, chosen) | {"ranks": list(range(1, len(texts) + 1))}

    def text_values(self, fields: Fields, name: str) -> dict[str, Any]:
        return {"rank": fields.text(f"_{name}")}
