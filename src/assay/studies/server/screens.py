"""A task as one person sees it, screen by screen: a sentence, a text, or all texts beside each other."""

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
    questions: tuple[int, ...]
    """By their number in the design."""
    text: int | None = None
    """Which text of the task (checks are numbered after them); None where all stand beside each other."""
    sentence: int | None = None
    """Where one sentence of it is judged."""


def screens_of(study: State, held: Assignment) -> list[Screen]:
    """Every text in this person's order, its sentences first where these are judged; what compares texts comes last."""
    return screens_for(study.design, study.tasks[held.task], study.layout(held))


def screens_for(design: Design, task: Task, layout: Sequence[int]) -> list[Screen]:
    kinds = list(enumerate(map(kind_for, design.questions)))
    typed = tuple(number for number, kind in kinds if kind.by_sentence)
    beside = tuple(number for number, kind in kinds if kind.compares)
    alone = tuple(number for number, kind in kinds if not kind.by_sentence and not kind.compares)
    screens = []
    for number in layout:
        if typed:
            sentences = task.texts[number].sentences if number < len(task.texts) else ()
            places: Sequence[int | None] = range(len(sentences)) if sentences else (None,)
            screens += [Screen(typed, number, place) for place in places]
        if alone:
            screens.append(Screen(alone, number))
    if beside:
        screens.append(Screen(beside))
    return screens


def source_of(task: Task, number: int | None) -> str:
    """What a text was made from: its own source, or that of the whole task."""
    own = task.texts[number].source if number is not None and number < len(task.texts) else ""
    return own or task.source


def article_of(task: Task) -> str:
    """What is read before a task: everything that the question about it is made from."""
    return task.source or "\n".join(dict.fromkeys(text.source for text in task.texts))


def names_of(design: Design, task: Task) -> list[str]:
    """What a page calls each text, drawn for each task: by its number everybody could tell from the page's source which
    texts are of the same system."""
    count = len(task.texts)
    return [f"t{place}" for place in rng_for(design.seed, "names", task.id).sample(range(count), count)]
