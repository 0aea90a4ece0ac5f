"""Pairwise preference: the better of two texts, or a tie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

from assay.studies.events import Answer
from assay.studies.kinds.base import Shortcut, number_problem
from assay.studies.kinds.comparison import Comparison
from assay.studies.kinds.form import Fields, SentQuestion

if TYPE_CHECKING:
    from assay.studies.crowd import Crowd
    from assay.studies.kinds.base import Floats
    from assay.studies.simulate import SimulationPlan

WORSE, TIE, BETTER = 0.0, 0.5, 1.0


class Pairwise(Comparison):
    """1 for the better text and 0 for the other, or 0.5 for both."""

    name: ClassVar[str] = "pairwise"
    elicitation: ClassVar[str] = "relative: preference between two"
    texts_per_task: ClassVar[int | None] = 2
    sheet_help: ClassVar[str] = "1 for the better text and 0 for the other; 0.5 for both in a tie"
    simulated: ClassVar[bool] = True
    shortcuts: ClassVar[tuple[Shortcut, ...]] = (Shortcut(("0",), "ask.neither"),)
    template: ClassVar[str] = """
<div class="options">
  {% for each in q.texts %}
  {{ inputs.option('radio', q.name, each.name, t('ask.text_is_better', letter=each.letter), each.key,
                   q.chosen == each.name) }}
  {% endfor %}
  {% if q.ties %}{{ inputs.option('radio', q.name, 'tie', t('ask.neither'), '0', q.chosen == 'tie') }}{% endif %}
</div>
"""

    def size_problem(self, texts: int) -> str | None:
        return None if texts == 2 else f"a pair has two texts, and the task has {texts}"

    def value_problem(self, answer: Answer) -> str | None:
        if why := number_problem(answer.value):
            return why
        allowed = answer.value in (WORSE, TIE, BETTER)
        return None if allowed else f"{answer.value:g} is not 1 (better), 0 (worse) or 0.5 (tie)"

    def task_problem(self, values: Sequence[float]) -> str | None:
        if len(values) != 2 or sum(values) != 1:
            return "one text must have 1 and the other 0, or both 0.5"
        return "ties are not allowed" if TIE in values and not self.question.ties else None

    def read(self, sent: SentQuestion) -> list[Answer]:
        ties = ["tie"] if self.question.ties else []
        chosen = sent.choice([*sent.names, *ties])
        return [
            sent.answer(TIE if chosen == "tie" else BETTER if chosen == sent.names[text] else WORSE, text=text)
            for text in sent.order
        ]

    def page_values(self, fields: Fields, texts: Sequence[Mapping[str, Any]], chosen: str) -> dict[str, Any]:
        return super().page_values(fields, texts, chosen) | {"ties": self.question.ties}

    @classmethod
    def task_seconds(cls, systems: int, crowd: Crowd) -> float:
        """Every two texts are read side by side."""
        return cls.tasks_per_item(systems) * (2 * crowd.reading + crowd.answering)

    @classmethod
    def simulate(cls, quality: Floats, plan: SimulationPlan) -> Floats:
        """Share of wins of each text. A text is perceived as equally good in each of its pairs."""
        import numpy as np

        systems = quality.shape[1]
        wins = np.zeros_like(quality)
        for a, b in combinations(range(systems), 2):
            difference = quality[:, a] - quality[:, b]
            won = np.where(np.abs(difference) < plan.tie, 0.5, (difference > 0).astype(float))
            wins[:, a] += won / (systems - 1)
            wins[:, b] += (1 - won) / (systems - 1)
        return wins
