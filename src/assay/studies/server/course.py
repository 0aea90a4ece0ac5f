"""One person's way through a study: consent, tutorial, qualification, reading test, tasks, the end.

Functions here run inside a transaction of the study and know nothing of requests or pages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from assay.errors import AssayError
from assay.serving.served import Refused
from assay.studies.design import RELATIVE
from assay.studies.events import Answer, Task
from assay.studies.quality import answer_is_right, grade, next_step, qualification, reading_test, tutorial
from assay.studies.server.drafts import Draft, drop_drafts, place_of, read_drafts, write_draft
from assay.studies.server.forms import Form, checks_too, read_screen, said
from assay.studies.server.lessons import Part, Reading, asked_in
from assay.studies.server.screens import Screen, screens_of, source_of
from assay.studies.server.store import Work
from assay.studies.state import Assignment

Step = Literal["intro", "tutorial", "qualification", "reading", "work", "done", "blocked"]
PARTS: tuple[Part, ...] = ("tutorial", "qualification")
REASONS = ("qualification", "reading", "traps", "attention", "time")


@dataclass(frozen=True)
class Place:
    """Where somebody is."""

    step: Step
    number: int = 0
    assignment: str = ""


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


def no_such() -> Refused:
    return Refused("there is no such page, or it is not yours", 404)


def where(work: Work, person: str) -> Place:
    study = work.study
    if person not in study.people:
        return Place("intro")
    held = held_by(work, person)
    step = next_step(study, person, held.task if held else None)
    if step == "blocked":
        return Place("blocked")
    if step in PARTS:
        drafts = read_drafts(work, person, f"{step}|")
        lessons = range(len(work.material.part(step)))
        return Place(step, next((n for n in lessons if not drafts.get(f"{step}|{n}", Draft()).passed), len(lessons) - 1))
    if held is None:
        return Place("done")
    if step == "reading" and held.task in work.material.readings:
        return Place("reading", 0, held.id)
    screens = screens_of(study, held)
    kept = read_drafts(work, person, f"task|{held.task}|")
    open_ = (n for n, screen in enumerate(screens) if not kept.get(place_of(held.task, screen), Draft()).passed)
    return Place("work", next(open_, len(screens) - 1), held.id)


def held_by(work: Work, person: str) -> Assignment | None:
    names = work.study.people[person].assignments
    return next((work.study.assignments[name] for name in names if work.study.is_open(name)), None)


def finished_by(work: Work, person: str) -> int:
    known = work.study.people.get(person)
    return sum(work.study.assignments[name].done for name in known.assignments) if known else 0


def advance(work: Work, person: str, now: float) -> Place:
    """Give somebody the next task if nothing comes before it."""
    if next_step(work.study, person) == "task":
        work.study.next_task(person, now)
    return where(work, person)


def begin(work: Work, person: str, now: float) -> Place:
    work.study.join(person, now)
    return advance(work, person, now)


def mine(work: Work, person: str, assignment: str) -> Assignment:
    """An assignment that is this person's, whatever has become of it."""
    held = work.study.assignments.get(assignment)
    if held is None or held.annotator != person:
        raise no_such()
    return held


def answer_lesson(work: Work, person: str, part: Part, number: int, form: Form, now: float) -> dict[str, str]:
    """What is missing in the answer to an example; a whole one is kept, and the last ends the part."""
    if where(work, person).step != part:
        return {}
    lessons = work.material.part(part)
    if not 0 <= number < len(lessons):
        raise no_such()
    lesson, place = lessons[number], f"{part}|{number}"
    drafts = read_drafts(work, person, f"{part}|")
    draft = drafts.get(place, Draft())
    if said(form, "go_on"):
        draft.passed = bool(draft.right)
    else:
        read = read_screen(work.design, lesson.task(), asked_in(work.design, lesson), (0,), form)
        if read.missing:
            return read.missing
        value = read.answers[0].value
        draft.right = answer_is_right(value, lesson.expected)
        draft.form = _kept(form)
        if part == "qualification" or draft.first is None:
            draft.first = value
        draft.passed = part == "qualification"
    drafts[place] = draft
    write_draft(work, person, place, draft)
    all_drafts = [drafts.get(f"{part}|{n}", Draft()) for n in range(len(lessons))]
    if all(each.passed for each in all_drafts):
        given = [each.first if each.first is not None else "" for each in all_drafts]
        expected = [each.expected for each in lessons]
        if part == "tutorial":
            tutorial(work.study, person, given, expected, [each.why for each in lessons], now)
        else:
            qualification(work.study, person, given, expected, now)
        drop_drafts(work, person, f"{part}|")
        advance(work, person, now)
    return {}


def reading_of(work: Work, person: str, assignment: str) -> tuple[Assignment, Reading] | None:
    """The reading test that this person has to take now, if any."""
    place = where(work, person)
    if place.step != "reading" or place.assignment != assignment:
        return None
    held = mine(work, person, assignment)
    return held, work.material.readings[held.task]


def has_read(work: Work, person: str, task: str) -> bool:
    return bool(read_drafts(work, person, f"read|{task}"))


def say_read(work: Work, person: str, assignment: str) -> None:
    test = reading_of(work, person, assignment)
    if test is not None:
        write_draft(work, person, f"read|{test[0].task}", Draft(passed=True))


def answer_reading(work: Work, person: str, assignment: str, name: str, now: float) -> bool:
    """Whether there was an answer that counts; there is one try."""
    test = reading_of(work, person, assignment)
    if test is None:
        return True
    held, reading = test
    if name not in reading.names or not has_read(work, person, held.task):
        return False
    reading_test(work.study, person, held.task, name, reading.foreign, now)
    drop_drafts(work, person, f"read|{held.task}")
    return True


def view(work: Work, person: str, assignment: str, number: int, missing: dict[str, str] | None = None) -> View | None:
    """A screen as it stands; None where the task is over, or something comes before it."""
    held = mine(work, person, assignment)
    screens = screens_of(work.study, held)
    if not 0 <= number < len(screens):
        raise no_such()
    if not _workable(work, person, held):
        return None
    screen = screens[number]
    drafts = read_drafts(work, person, f"task|{held.task}|")
    draft = drafts.get(place_of(held.task, screen), Draft())
    order = work.study.order(held)
    return View(
        work.study.tasks[held.task], screen, order, draft.form, draft.seconds, number, len(screens),
        finished_by(work, person), missing or {},
    )  # fmt: skip


def _workable(work: Work, person: str, held: Assignment) -> bool:
    if work.study.people[person].blocked or held.state not in ("open", "expired"):
        return False
    place = where(work, person)
    return place.step == "work" or (place.step == "done" and held.state == "expired")


def save(work: Work, person: str, assignment: str, number: int, form: Form) -> bool:
    """Keep what somebody has entered so far; False where the task is over."""
    seen = view(work, person, assignment, number)
    if seen is None:
        return False
    _save(work, person, seen, form, passed=False)
    return True


def _save(work: Work, person: str, seen: View, form: Form, passed: bool) -> None:
    draft = Draft(_kept(form), _seconds(said(form, "seconds")), passed)
    write_draft(work, person, place_of(seen.task.id, seen.screen), draft)


def send(work: Work, person: str, assignment: str, number: int, form: Form, now: float) -> tuple[Place | None, dict[str, str]]:
    """Go on from a screen. From the last, everything is sent, and is either stored as a whole or not at all."""
    seen = view(work, person, assignment, number)
    if seen is None:
        return where(work, person), {}
    read = read_screen(work.design, seen.task, seen.screen, seen.order, form)
    _save(work, person, seen, form, passed=not read.missing)
    if read.missing:
        return None, read.missing
    if number + 1 < seen.of:
        return Place("work", number + 1, assignment), {}
    held = mine(work, person, assignment)
    answers, total, missing_at = _everything(work, person, held)
    if missing_at is not None:
        return Place("work", missing_at, assignment), {}
    spent = min(total, now - held.given) if total else now - held.given
    work.study.answer(person, assignment, answers, now, round(max(0.0, spent), 1))
    grade(work.study, held, now)
    drop_drafts(work, person, f"task|{held.task}|")
    return advance(work, person, now), {}


def _everything(work: Work, person: str, held: Assignment) -> tuple[list[Answer], float, int | None]:
    """All answers to a task from its drafts, the seconds they took, and the first screen where one is missing."""
    task, order = work.study.tasks[held.task], work.study.order(held)
    drafts = read_drafts(work, person, f"task|{held.task}|")
    answers: list[Answer] = []
    total = 0.0
    for number, screen in enumerate(screens_of(work.study, held)):
        draft = drafts.get(place_of(held.task, screen), Draft())
        read = read_screen(work.design, task, screen, order, draft.form)
        if read.missing or not draft.passed:
            return [], 0.0, number
        total += draft.seconds
        answers += [msgspec.structs.replace(each, seconds=draft.seconds or None) for each in read.answers]
    if any(question.kind in RELATIVE for question in work.design.questions):
        answers = checks_too(task, work.study.layout(held), answers, work.design)
    return answers, total, None


def give_back(work: Work, person: str, assignment: str, now: float) -> None:
    held = mine(work, person, assignment)
    if held.state == "open":
        work.study.give_up(person, assignment, now)


def take_back(work: Work, person: str, now: float) -> int:
    """A researcher takes the open tasks of somebody back, so that others get them; how many."""
    if person not in work.study.people:
        raise AssayError(f"study {work.id}: nobody called {person[:80]} has joined")
    held = [name for name in work.study.people[person].assignments if work.study.is_open(name)]
    for name in held:
        work.study.give_up(person, name, now)
    return len(held)


def why_blocked(work: Work, person: str) -> str:
    """The kind of reason, for the page that says so."""
    said_ = work.study.people[person].blocked or "qualification"
    return next((each for each in REASONS if said_.startswith(each)), "other")


def article_of(task: Task) -> str:
    return source_of(task, 0)


def _kept(form: Form) -> dict[str, list[str]]:
    return {name: list(values) for name, values in form.items() if name.startswith("q")}


def _seconds(raw: str) -> float:
    try:
        value = float(raw)
    except ValueError:
        return 0.0
    return min(max(value, 0.0), 86400.0) if math.isfinite(value) else 0.0
