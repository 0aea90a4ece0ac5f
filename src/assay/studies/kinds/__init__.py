"""Question kinds: rating scales, comparisons, error typologies, spans, free text.

One kind is one file here and one line in the table below; `assay.question_kinds` entry points add more. A kind knows
how its answers are checked, read from a form, shown on a page, linted, simulated and analysed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.registry import Registry
from assay.studies.kinds.base import QuestionKind, Shortcut, label_problem, number_problem, written_problem
from assay.studies.kinds.form import Fields, IncompleteError, SentQuestion

if TYPE_CHECKING:
    from assay.meta.ranking import Direction
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


def direction(method: str, question: Question | None = None) -> Direction:
    """Return whether higher or lower values are better: as the question says, else by the kind of the method."""
    if question is not None and question.better:
        return question.better
    kind = kind_named(method)
    return "lower" if kind is not None and kind.lower_is_better else "higher"


def shared_direction(methods: Iterable[str]) -> Direction:
    """Return the direction of judgements of one criterion by their methods.

    Raises:
        AssayError: They have both directions, so that their values cannot be averaged.
    """
    named = {direction(method): method or "no method" for method in methods}
    if len(named) > 1:
        raise AssayError(
            f"Lower values are better for {named['lower']} and higher for {named['higher']}; "
            "rank the judgements of each method separately."
        )
    return next(iter(named), "higher")


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
    "direction",
    "kind_for",
    "kind_named",
    "kinds_with",
    "label_problem",
    "number_problem",
    "shared_direction",
    "texts_per_task",
    "written_problem",
]
