"""The screens of a task: one for each sentence or text, and one for comparisons of all texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.seeds import rng_for
from assay.studies.design import Design
from assay.studies.events import Task
from assay.studies.kinds import kind_for

if TYPE_CHECKING:
    from assay.studies.state import Assignment, State


@dataclass(frozen=True)
class Screen:
    """One page of a task."""

    questions: tuple[int, ...]
    """Numbers of the questions in the design."""
    text: int | None = None
    """Number of the text in the task (checks are numbered after the texts); None for a comparison of all texts."""
    sentence: int | None = None
    """Number of the sentence, where sentences are judged."""


def screens_of(study: State, assignment: Assignment) -> list[Screen]:
    """Return the screens of an assignment."""
    return screens_for(study.design, study.tasks[assignment.task], study.layout(assignment))


def screens_for(design: Design, task: Task, layout: Sequence[int]) -> list[Screen]:
    """Return the screens of a task: texts in the order of the layout, sentences first, comparisons last."""
    kinds = list(enumerate(map(kind_for, design.questions)))
    by_sentence = tuple(number for number, kind in kinds if kind.by_sentence)
    comparisons = tuple(number for number, kind in kinds if kind.compares)
    by_text = tuple(number for number, kind in kinds if not kind.by_sentence and not kind.compares)
    screens = []
    for number in layout:
        if by_sentence:
            sentences = task.shown_at(number).sentences
            numbers: Sequence[int | None] = range(len(sentences)) if sentences else (None,)
            screens += [Screen(by_sentence, number, sentence) for sentence in numbers]
        if by_text:
            screens.append(Screen(by_text, number))
    if comparisons:
        screens.append(Screen(comparisons))
    return screens


def source_of(task: Task, number: int | None) -> str:
    """Return the source of a text: its own, or that of the task."""
    return (task.shown_at(number).source if number is not None else "") or task.source


def article_of(task: Task) -> str:
    """Return the article of a reading test: the source of the task, or all sources of its texts."""
    return task.source or "\n".join(dict.fromkeys(text.source for text in task.texts))


def names_of(design: Design, task: Task) -> list[str]:
    """Return the name of each text in the HTML of a page, random for each task.

    Fixed names would reveal in the page's source which texts are of the same system.
    """
    count = len(task.texts)
    return [f"t{number}" for number in rng_for(design.seed, "names", task.id).sample(range(count), count)]
