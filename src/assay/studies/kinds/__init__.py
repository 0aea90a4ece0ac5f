"""Question kinds: rating scales, comparisons, error typologies, spans, free text.

One kind is one file here and one line in the table below; `assay.question_kinds` entry points add more. A kind knows
how its answers are checked, read from a form, shown on a page, linted, simulated and analysed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assay.registry import Registry
from assay.studies.kinds.base import QuestionKind, Shortcut, label_problem, number_problem, written_problem
from assay.studies.kinds.form import Fields, IncompleteError, SentQuestion

if TYPE_CHECKING:
    from assay.studies.design import Question

QUESTION_KINDS: Registry[type[QuestionKind]] = Registry(
    "question kind",
    {
        "likert": "assay.studies.kinds.likert:Likert",
        "slider": "assay.studies.kinds.slider:Slider",
        "choice": "assay.studies.kinds.choice:Choice",
        "pairwise": "assay.studies.kinds.pairwise:Pairwise",
        "best-worst": "assay.studies.kinds.best_worst:BestWorst",
        "ranking": "assay.studies.kinds.ranking:Ranking",
        "typology": "assay.studies.kinds.typology:Typology",
        "spans": "assay.studies.kinds.spans:Spans",
        "free-text": "assay.studies.kinds.free_text:FreeText",
        "post-editing": "assay.studies.kinds.post_editing:PostEditing",
        "human-likeness": "assay.studies.kinds.human_likeness:HumanLikeness",
    },
    group="assay.question_kinds",
)


def kind_for(question: Question) -> QuestionKind:
    """Return the kind of a question, bound to that question."""
    return QUESTION_KINDS.get(question.kind)(question)


def kind_named(method: str) -> type[QuestionKind] | None:
    """Return the kind that judgements name as their method, or None for a method that is no question kind."""
    return QUESTION_KINDS.get(method) if method in QUESTION_KINDS else None


def lower_is_better(method: str) -> bool:
    """Return whether smaller values of a method are better, as ranks are."""
    kind = kind_named(method)
    return kind is not None and kind.lower_is_better


def texts_per_task(questions: Iterable[Question]) -> int | None:
    """Return the number of texts that each task must have by its questions, or None where any number will do."""
    return next((size for question in questions if (size := kind_for(question).texts_per_task)), None)


def kinds_with(attribute: str) -> list[str]:
    """Return the names of all kinds for which a class attribute, such as `simulated`, is true."""
    return [name for name, value in QUESTION_KINDS.each(lambda kind: getattr(kind, attribute), {}) if value]


__all__ = [
    "QUESTION_KINDS",
    "Fields",
    "IncompleteError",
    "QuestionKind",
    "SentQuestion",
    "Shortcut",
    "kind_for",
    "kind_named",
    "kinds_with",
    "label_problem",
    "lower_is_better",
    "number_problem",
    "texts_per_task",
    "written_problem",
]
