"""The interface of a question kind. Defaults describe a question that rates each text of a task by itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from assay.stats.votes import errors_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.studies.crowd import Crowd
    from assay.studies.design import Question
    from assay.studies.events import Answer, Suggestion
    from assay.studies.kinds.form import Fields, SentQuestion
    from assay.studies.lint_report import Finding
    from assay.studies.simulate import SimulationPlan

    Floats = NDArray[np.float64]


class Shortcut(NamedTuple):
    """A row in the list of keyboard shortcuts. A key that starts with `keys.` is looked up in the catalogue."""

    keys: tuple[str, ...]
    meaning: str
    """A key of the catalogue."""


@dataclass(frozen=True)
class QuestionKind:
    """One question, with the rules of its kind."""

    question: Question

    name: ClassVar[str]
    elicitation: ClassVar[str]
    """How answers are elicited, as the datasheet states it."""
    compares: ClassVar[bool] = False
    """Answers compare the texts of a task with each other; all of them are on one screen."""
    scale: ClassVar[Literal["discrete", "continuous"] | None] = None
    """Scale of a direct rating. `values` of the question are its points, or its two ends."""
    by_sentence: ClassVar[bool] = False
    """Each sentence of a text is judged by itself."""
    by_value: ClassVar[bool] = False
    """Several answers may be about one unit, if they differ: several labels of one stretch of text."""
    required: ClassVar[bool] = True
    """Each text needs at least one answer."""
    suggestible: ClassVar[bool] = False
    """A model's answers can be shown as suggestions."""
    has_right_answer: ClassVar[bool] = False
    """Can be asked in a tutorial and in a qualification test."""
    texts_per_task: ClassVar[int | None] = None
    """Number of texts that a task must have (default: any)."""

    sheet_help: ClassVar[str] = ""
    """How to fill in a sheet, where a single value for each text does not do."""
    list_unit: ClassVar[str] = "answer"
    """Unit of each entry where a sheet has a list for a text: `answer:0`, `sentence:0`, …"""

    template: ClassVar[str]
    """Jinja source of the form fields. Variables: `q` (see `page_values`), `page`, `t`, `lang`, `inputs` (macros)."""
    script: ClassVar[str] = ""
    """Script in `static/` that the fields need."""
    shows_text: ClassVar[bool] = False
    """The fields show the text, so that the page does not."""
    own_comments: ClassVar[bool] = False
    """The fields have room for comments of their own."""
    shortcuts: ClassVar[tuple[Shortcut, ...]] = ()

    lower_is_better: ClassVar[bool] = False
    """Whether smaller values are better, unless the question says otherwise with `better`."""
    human_below: ClassVar[float | None] = None
    """Default threshold of the mean below which a text counts as written by a human."""

    simulated: ClassVar[bool] = False
    """`assay study simulate` can simulate it."""
    fewest_systems: ClassVar[int] = 2

    def design_problem(self) -> str | None:
        """Return why no study can be run with this question, or None."""
        return None

    def findings(self) -> Iterator[Finding]:
        """Yield findings of the linter that only this kind has."""
        yield from ()

    def value_problem(self, answer: Answer) -> str | None:
        """Return why this cannot be an answer to the question, or None."""
        raise NotImplementedError

    def text_problem(self, answers: Sequence[Answer], sentences: Sequence[str]) -> str | None:
        """Return why these cannot be all answers about one text, or None."""
        return None

    def task_problem(self, values: Sequence[float]) -> str | None:
        """Return why these values of a task's texts contradict each other, or None. Only for kinds that compare."""
        return None

    def size_problem(self, texts: int) -> str | None:
        """Return why a task with this number of texts cannot be answered, or None."""
        return None

    def expected_problem(self, expected: str) -> str | None:
        """Return why no answer could be the expected one of a trap or a training item, or None."""
        return None

    def read(self, sent: SentQuestion) -> list[Answer]:
        """Return the answers that a form has sent.

        Raises:
            IncompleteError: Something is missing, or is no possible answer.
        """
        raise NotImplementedError

    def prefilled(self, name: str, suggested: Sequence[Suggestion], sentence: int | None) -> dict[str, list[str]]:
        """Return the form fields that show a suggested answer. Only for kinds with `suggestible`."""
        unit = "summary" if sentence is None else f"sentence:{sentence}"
        values = [each.value for each in suggested if each.unit == unit]
        return {name: [values[0] if isinstance(values[0], str) else f"{values[0]:g}"]} if values else {}

    def chosen(self, fields: Fields, texts: Sequence[Mapping[str, Any]]) -> str:
        """Return the value that the form shows: what was entered, or the preset."""
        if fields.name not in fields.form and self.question.preset is not None:
            return str(self.question.preset)
        return fields.text()

    def page_values(self, fields: Fields, texts: Sequence[Mapping[str, Any]], chosen: str) -> dict[str, Any]:
        """Return what the template reads from `q`, besides name, kind, text, definition, chosen and comment."""
        return {}

    @classmethod
    def tasks_per_item(cls, systems: int) -> int:
        """Return the number of tasks that one input needs, with one text of each system."""
        return math.comb(systems, cls.texts_per_task) if cls.texts_per_task else 1

    @classmethod
    def task_seconds(cls, systems: int, crowd: Crowd) -> float:
        """Return the seconds that one annotator needs for one input: every text is read and rated."""
        return systems * (crowd.reading + crowd.answering)

    @classmethod
    def simulate(cls, quality: Floats, plan: SimulationPlan) -> Floats:
        """Return the answers of simulated annotators (judgements x systems) to the quality they perceive."""
        raise NotImplementedError


def number_problem(value: float | str) -> str | None:
    """Return why a value is not a finite number, or None."""
    return f"'{str(value)[:40]}' is not a number" if isinstance(value, str) or not math.isfinite(value) else None


def label_problem(value: float | str, labels: Mapping[str, str]) -> str | None:
    """Return why a value is not one of the labels, or None."""
    if not isinstance(value, str):
        return f"{value:g} is a number; a label is required"
    return None if value in labels else f"'{value[:40]}' is not one of {', '.join(labels)}"


def codes_problem(expected: str, labels: Mapping[str, str]) -> str | None:
    """Return why expected error codes, joined by +, are not among the labels, or None."""
    return next((why for code in errors_of(expected) if labels and (why := label_problem(code, labels))), None)


def written_problem(value: float | str, may_be_empty: bool = False) -> str | None:
    """Return why a value is not a text, or None."""
    if not isinstance(value, str):
        return f"{value:g} is a number; a text is required"
    return None if value.strip() or may_be_empty else "empty text"
