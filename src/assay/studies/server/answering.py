"""Working on a task: its screens, drafts of them, and sending everything at once."""

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
from assay.studies.server.course import advance, answers_in, finished_by, mine, no_such, where
from assay.studies.server.drafts import Draft, drop_drafts, of_task, place_of, read_drafts, write_draft
from assay.studies.server.forms import add_check_answers, read_screen
from assay.studies.server.places import Place
from assay.studies.server.screens import Screen, screens_of

if TYPE_CHECKING:
    from assay.studies.server.store import Work
    from assay.studies.state import Assignment


@dataclass(frozen=True)
class View:
    """A screen of a task as somebody sees it."""

    task: Task
    screen: Screen
    order: tuple[int, ...]
    form: Form
    seconds: float
    number: int
    of: int
    done: int
    missing: dict[str, str]
    began: float
    """When this person was first given the task."""
    elsewhere: float
    """Seconds on its other screens."""


def view(work: Work, person: str, assignment: str, number: int, missing: dict[str, str] | None = None) -> View | None:
    """A screen as it stands; None where the task is over, or something comes before it."""
    held = mine(work, person, assignment)
    screens = screens_of(work.study, held)
    if not 0 <= number < len(screens):
        raise no_such()
    if not _workable(work, person, held):
        return None
    screen = screens[number]
    drafts = read_drafts(work, person, of_task(held.task))
    draft = drafts.get(place_of(held.task, screen), Draft())
    order = work.study.order(held)
    began = min(each.assigned for each in work.study.assignments_of(person, held.task))
    elsewhere = sum(each.seconds for each in drafts.values()) - draft.seconds
    return View(
        work.study.tasks[held.task], screen, order, draft.form, draft.seconds, number, len(screens),
        finished_by(work, person), missing or {}, began, elsewhere,
    )  # fmt: skip


def _workable(work: Work, person: str, held: Assignment) -> bool:
    if work.study.annotators[person].blocked or held.state not in ("open", "expired"):
        return False
    if any(each.done for each in work.study.assignments_of(person, held.task)):
        return False
    place = where(work, person)
    return place.step == "work" or (place.step == "done" and held.state == "expired")


def save(work: Work, person: str, assignment: str, number: int, form: Form, now: float) -> bool:
    """Keep what somebody has entered so far; False where the task is over."""
    seen = view(work, person, assignment, number)
    if seen is None:
        return False
    _save(work, person, seen, form, now, passed=False)
    return True


def _save(work: Work, person: str, seen: View, form: Form, now: float, passed: bool) -> None:
    """With the seconds that a page says, but all screens together never more than went by here. A page without
    JavaScript says none: what went by since the screen before is its time."""
    most = max(0.0, round(now - seen.began - seen.elsewhere, 1))
    claimed = _seconds(field_value(form, "seconds")) or (most if passed else 0.0)
    draft = Draft(answers_in(form), min(claimed, most), passed)
    write_draft(work, person, place_of(seen.task.id, seen.screen), draft)


def send(
    work: Work, person: str, assignment: str, number: int, form: Form, now: float
) -> tuple[Place | None, dict[str, str]]:
    """Go on from a screen. From the last, everything is sent, and is either stored as a whole or not at all."""
    seen = view(work, person, assignment, number)
    if seen is None:
        return where(work, person), {}
    read = read_screen(work.design, seen.task, seen.screen, seen.order, form)
    _save(work, person, seen, form, now, passed=not read.missing)
    held = mine(work, person, assignment)
    if any(each.state == "open" and each.id != held.id for each in work.study.assignments_of(person, held.task)):
        return where(work, person), {}  # it expired and is theirs again: what was entered here is there, too
    if read.missing:
        return None, read.missing
    if number + 1 < seen.of:
        return Place("work", number + 1, assignment), {}
    answers, total, missing_at = _everything(work, person, held)
    if missing_at is not None:
        return Place("work", missing_at, assignment), {}
    spent = total or now - held.assigned
    work.study.answer(person, assignment, answers, now, round(max(0.0, spent), 1))
    grade(work.study, held, now)
    drop_drafts(work, person, of_task(held.task))
    return advance(work, person, now), {}


def _everything(work: Work, person: str, held: Assignment) -> tuple[list[Answer], float, int | None]:
    """All answers to a task from its drafts, the seconds they took, and the first screen where one is missing."""
    task, order = work.study.tasks[held.task], work.study.order(held)
    drafts = read_drafts(work, person, of_task(held.task))
    answers: list[Answer] = []
    total = 0.0
    for number, screen in enumerate(screens_of(work.study, held)):
        draft = drafts.get(place_of(held.task, screen), Draft())
        read = read_screen(work.design, task, screen, order, draft.form)
        if read.missing or not draft.passed:
            return [], 0.0, number
        total += draft.seconds
        answers += [msgspec.structs.replace(each, seconds=draft.seconds or None) for each in read.answers]
    if any(kind_for(question).compares for question in work.design.questions):
        answers = add_check_answers(task, work.study.layout(held), answers, work.design)
    return answers, total, None


def give_back(work: Work, person: str, assignment: str, now: float) -> None:
    held = mine(work, person, assignment)
    if held.state == "open":
        work.study.return_task(person, assignment, now)


def take_back(work: Work, person: str, now: float) -> int:
    """A researcher takes the open tasks of somebody back, so that others get them; how many."""
    if person not in work.study.annotators:
        raise AssayError(f"study {work.id}: nobody called {person[:80]} has joined")
    held = [name for name in work.study.annotators[person].assignments if work.study.is_open(name)]
    for name in held:
        work.study.return_task(person, name, now)
    return len(held)


def _seconds(raw: str) -> float:
    try:
        value = float(raw)
    except ValueError:
        return 0.0
    return min(max(value, 0.0), 86400.0) if math.isfinite(value) else 0.0
