"""What rating scales share: a number for each text, from a scale that the design states."""

from __future__ import annotations

import operator
from typing import ClassVar

from assay.studies.events import Answer
from assay.studies.kinds.base import QuestionKind
from assay.studies.kinds.form import SentQuestion
from assay.studies.quality import BOUNDS


class Rating(QuestionKind):
    """A direct rating on a numeric scale."""

    has_right_answer: ClassVar[bool] = True
    suggestible: ClassVar[bool] = True

    def design_problem(self) -> str | None:
        points = {str(value) for value in self.question.values}
        strange = [label for label in self.question.labels if points and label not in points]
        return f"label for {strange[0]}, which is not a point of the scale" if strange else None

    def expected_problem(self, expected: str) -> str | None:
        values = self.question.values or [0, 100]
        bound = expected[:2] if expected[:2] in BOUNDS else ""
        try:
            wanted = float(expected.removeprefix(bound))
        except ValueError:
            return f"'{expected[:40]}' is neither a number nor a bound such as <=2"
        if self.scale == "continuous" and not bound:
            inside = values[0] <= wanted <= values[-1]
            return None if inside else f"'{expected[:40]}' is not between {values[0]} and {values[-1]}"
        meets = BOUNDS[bound] if bound else operator.eq
        met = any(meets(value, wanted) for value in values)
        return None if met else f"'{expected[:40]}' is met by no point of {values}"

    def read(self, sent: SentQuestion) -> list[Answer]:
        return [sent.answer(sent.number())]
