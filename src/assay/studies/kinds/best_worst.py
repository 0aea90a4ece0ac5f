"""Best-worst scaling: the best and the worst of several texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from assay.studies.events import Answer
from assay.studies.kinds.base import number_problem
from assay.studies.kinds.comparison import Comparison
from assay.studies.kinds.form import Fields, IncompleteError, SentQuestion

if TYPE_CHECKING:
    from assay.studies.crowd import Crowd
    from assay.studies.kinds.base import Floats
    from assay.studies.simulate import SimulationPlan


class BestWorst(Comparison):
    """1 for the best text, -1 for the worst, 0 for the others."""

    name: ClassVar[str] = "best-worst"
    elicitation: ClassVar[str] = "relative: best and worst of several"
    sheet_help: ClassVar[str] = "1 for the best text, -1 for the worst, 0 for the others"
    simulated: ClassVar[bool] = True
    fewest_systems: ClassVar[int] = 3
    template: ClassVar[str] = """
{% for side, legend in (('best', t('ask.best')), ('worst', t('ask.worst'))) %}
<fieldset class="inner" data-group>
  <legend>{{ legend }}</legend>
  <div class="options">
    {% for each in q.texts %}
    {{ inputs.option('radio', q.name ~ '_' ~ side, each.name, t('ask.text', letter=each.letter), each.key,
                     each[side]) }}
    {% endfor %}
  </div>
</fieldset>
{% endfor %}
"""

    def value_problem(self, answer: Answer) -> str | None:
        if why := number_problem(answer.value):
            return why
        return None if answer.value in (-1, 0, 1) else f"{answer.value:g} is not 1 (best), -1 (worst) or 0"

    def task_problem(self, values: Sequence[float]) -> str | None:
        one_of_each = values.count(1) == 1 and values.count(-1) == 1
        return None if one_of_each else "exactly one text must be best (1) and one worst (-1)"

    def read(self, sent: SentQuestion) -> list[Answer]:
        best, worst = sent.choice(sent.names, "_best"), sent.choice(sent.names, "_worst")
        if best == worst:
            raise IncompleteError("missing.two_different")
        values = {best: 1.0, worst: -1.0}
        return [sent.answer(values.get(sent.names[text], 0.0), text=text) for text in sent.order]

    def text_values(self, fields: Fields, name: str) -> dict[str, Any]:
        return {"best": fields.text("_best") == name, "worst": fields.text("_worst") == name}

    @classmethod
    def task_seconds(cls, systems: int, crowd: Crowd) -> float:
        """All texts are read, then two of them are picked."""
        return systems * crowd.reading + 2 * crowd.answering

    @classmethod
    def simulate(cls, quality: Floats, plan: SimulationPlan) -> Floats:
        import numpy as np

        rows = np.arange(len(quality))
        scores = np.zeros_like(quality)
        scores[rows, quality.argmax(axis=1)] = 1.0
        scores[rows, quality.argmin(axis=1)] = -1.0
        return scores
