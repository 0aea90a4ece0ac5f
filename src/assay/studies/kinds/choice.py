"""Choice: one of several named categories for each text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from assay.studies.events import Answer
from assay.studies.kinds.base import QuestionKind, label_problem
from assay.studies.kinds.form import Fields, SentQuestion, options_for


class Choice(QuestionKind):
    """One of the labels of the question."""

    name: ClassVar[str] = "choice"
    elicitation: ClassVar[str] = "choice of a category"
    has_right_answer: ClassVar[bool] = True
    suggestible: ClassVar[bool] = True
    template: ClassVar[str] = "{{ inputs.options(q) }}"

    def value_problem(self, answer: Answer) -> str | None:
        return label_problem(answer.value, self.question.labels)

    def expected_problem(self, expected: str) -> str | None:
        return label_problem(expected, self.question.labels)

    def read(self, sent: SentQuestion) -> list[Answer]:
        return [sent.answer(sent.choice(self.question.labels))]

    def page_values(self, fields: Fields, texts: Sequence[Mapping[str, Any]], chosen: str) -> dict[str, Any]:
        return {"options": options_for(self.question.labels, (chosen,))}
