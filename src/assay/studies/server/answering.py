"""Answering a task: its screens, their drafts, and the submission of all answers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from assay.errors import AssayError
from assay.studies.events import Answer, Task
from assay.studies.kinds import kind_for
from assay.studies.kinds.form import Form, field_value
from assay.studies.quality import grade
from assay.studies.server.drafts import Draft, delete_drafts, read_drafts, screen_key, task_prefix, write_draft
from assay.studies.server.forms import add_check_answers, read_screen
from assay.studies.server.participation import (
    advance,
    answer_fields,
    current_step,
    finished_tasks,
    not_found,
    own_assignment,
)
from assay.studies.server.screens import Screen, screens_of
from assay.studies.server.steps import CurrentStep
from assay.studies.suggestions import suggested_form

if TYPE_CHECKING:
    from assay.studies.server.store import StudyTransaction
    from assay.studies.state import Assignment

DAY = 86400.0


@dataclass(frozen=True)
class ScreenState:
    """A screen of a task with what the annotator has entered."""

    task: Task
    screen: Screen
    order: tuple[int, ...]
    form: Form
    seconds: float
    number: int
    of: int
    done: int
    tasks: int
    """Number of tasks the annotator has finished, has open, or would get next."""
    missing: dict[str, str]
    started: float
    """When the task was first assigned to the annotator."""
    other_seconds: float
    """Seconds spent on the other screens."""
    suggested: bool
    """Whether the fields were filled in advance with the suggestions of a model."""


def screen_state(
    tx: StudyTransaction, annotator: str, assignment: str, number: int, missing: dict[str, str] | None = None
) -> ScreenState | None:
    """Return a screen of a task, or None if the task is finished or another step comes first."""
    own = own_assignment(tx, annotator, assignment)
    screens = screens_of(tx.study, own)
    if not 0 <= number < len(screens):
        raise not_found()
    if not _can_answer(tx, annotator, own):
        return None
    screen = screens[number]
    drafts = read_drafts(tx, annotator, task_prefix(own.task))
    draft = drafts.get(screen_key(own.task, screen), Draft())
    suggested = suggested_form(tx.study, annotator, tx.study.tasks[own.task], screen)
    order = tx.study.order(own)
    started = min(each.assigned for each in tx.study.assignments_of(annotator, own.task))
    other_seconds = sum(each.seconds for each in drafts.values()) - draft.seconds
    done = finished_tasks(tx, annotator)
    return ScreenState(
        tx.study.tasks[own.task], screen, order, draft.form or suggested, draft.seconds, number, len(screens),
        done, done + 1 + tx.study.left_for(annotator), missing or {}, started, other_seconds, bool(suggested),
    )  # fmt: skip


def _can_answer(tx: StudyTransaction, annotator: str, own: Assignment) -> bool:
    if tx.study.annotators[annotator].blocked or own.state not in ("open", "expired"):
        return False
    if any(each.done for each in tx.study.assignments_of(annotator, own.task)):
        return False
    step = current_step(tx, annotator)
    return step.name == "work" or (step.name == "done" and own.state == "expired")


def save_draft(tx: StudyTransaction, annotator: str, assignment: str, number: int, form: Form, now: float) -> bool:
    """Store what an annotator has entered so far; return False if the task is finished."""
    state = screen_state(tx, annotator, assignment, number)
    if state is None:
        return False
    _save(tx, annotator, state, form, now, passed=False)
    return True


def _save(tx: StudyTransaction, annotator: str, state: ScreenState, form: Form, now: float, passed: bool) -> None:
    """Store a draft with the seconds that the page reports.

    All screens of a task together never count more than the time since its assignment. A page without JavaScript
    reports no time; the time since the previous screen counts instead.
    """
    most = max(0.0, round(now - state.started - state.other_seconds, 1))
    reported = _seconds(field_value(form, "seconds")) or (most if passed else 0.0)
    draft = Draft(answer_fields(form), min(reported, most), passed)
    write_draft(tx, annotator, screen_key(state.task.id, state.screen), draft)


def submit_screen(
    tx: StudyTransaction, annotator: str, assignment: str, number: int, form: Form, now: float
) -> tuple[CurrentStep | None, dict[str, str]]:
    """Submit a screen. The last screen submits all answers of the task, which are stored completely or not at all.

    Returns:
        The next step, or None and the message for each field that is missing or invalid.
    """
    state = screen_state(tx, annotator, assignment, number)
    if state is None:
        return current_step(tx, annotator), {}
    read = read_screen(tx.design, state.task, state.screen, state.order, form)
    _save(tx, annotator, state, form, now, passed=not read.missing)
    own = own_assignment(tx, annotator, assignment)
    if any(each.state == "open" and each.id != own.id for each in tx.study.assignments_of(annotator, own.task)):
        return current_step(tx, annotator), {}  # expired and assigned again: the drafts are there, too
    if read.missing:
        return None, read.missing
    if number + 1 < state.of:
        return CurrentStep("work", number + 1, assignment), {}
    answers, total, missing_at = _all_answers(tx, annotator, own)
    if missing_at is not None:
        return CurrentStep("work", missing_at, assignment), {}
    spent = total or now - own.assigned
    tx.study.answer(annotator, assignment, answers, now, round(max(0.0, spent), 1))
    grade(tx.study, own, now)
    delete_drafts(tx, annotator, task_prefix(own.task))
    return advance(tx, annotator, now), {}


def _all_answers(tx: StudyTransaction, annotator: str, own: Assignment) -> tuple[list[Answer], float, int | None]:
    """Return all answers of a task from its drafts, their total time, and the first screen with a missing answer."""
    task, order = tx.study.tasks[own.task], tx.study.order(own)
    drafts = read_drafts(tx, annotator, task_prefix(own.task))
    answers: list[Answer] = []
    total = 0.0
    for number, screen in enumerate(screens_of(tx.study, own)):
        draft = drafts.get(screen_key(own.task, screen), Draft())
        read = read_screen(tx.design, task, screen, order, draft.form)
        if read.missing or not draft.passed:
            return [], 0.0, number
        total += draft.seconds
        answers += [msgspec.structs.replace(each, seconds=draft.seconds or None) for each in read.answers]
    if any(kind_for(question).compares for question in tx.design.questions):
        answers = add_check_answers(task, tx.study.layout(own), answers, tx.design)
    return answers, total, None


def return_task(tx: StudyTransaction, annotator: str, assignment: str, now: float) -> None:
    """Return a task at the request of its annotator."""
    own = own_assignment(tx, annotator, assignment)
    if own.state == "open":
        tx.study.return_task(annotator, assignment, now)


def reassign_tasks(tx: StudyTransaction, annotator: str, now: float) -> int:
    """Take back the open tasks of an annotator, so that others get them; return their number."""
    if annotator not in tx.study.annotators:
        raise AssayError(f"study {tx.id}: no annotator called {annotator[:80]}")
    unfinished = [name for name in tx.study.annotators[annotator].assignments if tx.study.is_open(name)]
    for name in unfinished:
        tx.study.return_task(annotator, name, now)
    return len(unfinished)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return min(max(value, 0.0), DAY) if math.isfinite(value) else 0.0
