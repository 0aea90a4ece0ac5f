"""One person's way through a study: consent, tutorial, qualification, reading test, tasks, the end.

Functions here run inside a transaction of the study and know nothing of requests or pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.serving.app import RefusedError
from assay.studies.kinds.form import Form, field_value
from assay.studies.quality import answer_is_right, next_step, qualification, reading_test, tutorial
from assay.studies.server.drafts import Draft, drop_drafts, of_reading, of_task, place_of, read_drafts, write_draft
from assay.studies.server.forms import read_screen
from assay.studies.server.lessons import asked_in
from assay.studies.server.material import PARTS, Part, Reading
from assay.studies.server.places import Place
from assay.studies.server.screens import screens_of

if TYPE_CHECKING:
    from assay.studies.server.store import Work
    from assay.studies.state import Assignment

REASONS = ("qualification", "reading", "traps", "attention", "time")


def no_such() -> RefusedError:
    return RefusedError("there is no such page, or it is not yours", 404)


def where(work: Work, person: str) -> Place:
    study = work.study
    if person not in study.annotators:
        return Place("intro")
    held = held_by(work, person)
    step = next_step(study, person, held.task if held else None)
    if step == "blocked":
        return Place("blocked")
    if step in PARTS:
        drafts = read_drafts(work, person, f"{step}|")
        lessons = range(len(work.material.part(step)))
        return Place(
            step, next((n for n in lessons if not drafts.get(f"{step}|{n}", Draft()).passed), len(lessons) - 1)
        )
    if held is None:
        return Place("done")
    if step == "reading" and held.task in work.material.readings:
        return Place("reading", 0, held.id)
    screens = screens_of(study, held)
    kept = read_drafts(work, person, of_task(held.task))
    open_ = (n for n, screen in enumerate(screens) if not kept.get(place_of(held.task, screen), Draft()).passed)
    return Place("work", next(open_, len(screens) - 1), held.id)


def held_by(work: Work, person: str) -> Assignment | None:
    names = work.study.annotators[person].assignments
    return next((work.study.assignments[name] for name in names if work.study.is_open(name)), None)


def finished_by(work: Work, person: str) -> int:
    known = work.study.annotators.get(person)
    return sum(work.study.assignments[name].done for name in known.assignments) if known else 0


def advance(work: Work, person: str, now: float) -> Place:
    """Give somebody the next task if nothing comes before it."""
    if next_step(work.study, person) == "task":
        work.study.next_task(person, now)
    return where(work, person)


def begin(work: Work, person: str, now: float) -> Place | None:
    """Somebody joins; None where there is no room for them."""
    if not work.study.has_room(person):
        return None
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
    if field_value(form, "go_on"):
        draft.passed = bool(draft.right)
    else:
        read = read_screen(work.design, lesson.task(), asked_in(work.design, lesson), (0,), form)
        if read.missing:
            return read.missing
        value = read.answers[0].value
        draft.right = answer_is_right(value, lesson.expected)
        draft.form = answers_in(form)
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
    return bool(read_drafts(work, person, of_reading(task)))


def say_read(work: Work, person: str, assignment: str) -> None:
    test = reading_of(work, person, assignment)
    if test is not None:
        write_draft(work, person, of_reading(test[0].task), Draft(passed=True))


def answer_reading(work: Work, person: str, assignment: str, name: str, now: float) -> bool:
    """Whether there was an answer that counts; there is one try."""
    test = reading_of(work, person, assignment)
    if test is None:
        return True
    held, reading = test
    if name not in reading.names or not has_read(work, person, held.task):
        return False
    reading_test(work.study, person, held.task, name, reading.foreign, now)
    drop_drafts(work, person, of_reading(held.task))
    return True


def why_blocked(work: Work, person: str) -> str:
    """The kind of reason, as the catalogue has it."""
    said_ = work.study.annotators[person].blocked or "qualification"
    return "why_" + next((each for each in REASONS if said_.startswith(each)), "other")


def answers_in(form: Form) -> dict[str, list[str]]:
    return {name: list(values) for name, values in form.items() if name.startswith("q")}
