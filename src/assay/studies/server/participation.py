"""An annotator's participation in a study: consent, tutorial, qualification test, reading tests, tasks, end.

These functions run inside a transaction of the study and know nothing of requests or pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.serving.app import RefusedError
from assay.studies.kinds.form import Form, field_value
from assay.studies.quality import answer_is_right, next_step, qualification, reading_test, tutorial
from assay.studies.server.drafts import (
    Draft,
    delete_drafts,
    read_drafts,
    reading_key,
    screen_key,
    task_prefix,
    write_draft,
)
from assay.studies.server.forms import read_screen
from assay.studies.server.materials import PARTS, Part, ReadingTest
from assay.studies.server.screens import screens_of
from assay.studies.server.steps import CurrentStep
from assay.studies.server.training import screen_of

if TYPE_CHECKING:
    from assay.studies.server.store import StudyTransaction
    from assay.studies.state import Assignment

REASONS = ("qualification", "reading", "traps", "attention", "time")


def not_found() -> RefusedError:
    return RefusedError("No such page, or it belongs to another annotator.", 404)


def current_step(tx: StudyTransaction, annotator: str) -> CurrentStep:
    """Return the step at which an annotator is."""
    study = tx.study
    if annotator not in study.annotators:
        return CurrentStep("intro")
    assignment = open_assignment(tx, annotator)
    step = next_step(study, annotator, assignment.task if assignment else None)
    if step == "blocked":
        return CurrentStep("blocked")
    if step in PARTS:
        drafts = read_drafts(tx, annotator, f"{step}|")
        items = range(len(tx.materials.part(step)))
        unfinished = (n for n in items if not drafts.get(f"{step}|{n}", Draft()).passed)
        return CurrentStep(step, next(unfinished, len(items) - 1))
    if assignment is None:
        return CurrentStep("done")
    if step == "reading" and assignment.task in tx.materials.reading_tests:
        return CurrentStep("reading", 0, assignment.id)
    screens = screens_of(study, assignment)
    kept = read_drafts(tx, annotator, task_prefix(assignment.task))
    unfinished = (n for n, s in enumerate(screens) if not kept.get(screen_key(assignment.task, s), Draft()).passed)
    return CurrentStep("work", next(unfinished, len(screens) - 1), assignment.id)


def open_assignment(tx: StudyTransaction, annotator: str) -> Assignment | None:
    """Return the open assignment of an annotator."""
    names = tx.study.annotators[annotator].assignments
    return next((tx.study.assignments[name] for name in names if tx.study.is_open(name)), None)


def finished_tasks(tx: StudyTransaction, annotator: str) -> int:
    """Return the number of tasks that an annotator has finished."""
    known = tx.study.annotators.get(annotator)
    return sum(tx.study.assignments[name].done for name in known.assignments) if known else 0


def advance(tx: StudyTransaction, annotator: str, now: float) -> CurrentStep:
    """Assign the next task unless something else comes first; return the current step."""
    if next_step(tx.study, annotator) == "task":
        tx.study.next_task(annotator, now)
    return current_step(tx, annotator)


def join(tx: StudyTransaction, annotator: str, now: float) -> CurrentStep | None:
    """Let an annotator join the study; return None if the pilot is full."""
    if not tx.study.has_room(annotator):
        return None
    tx.study.join(annotator, now)
    return advance(tx, annotator, now)


def own_assignment(tx: StudyTransaction, annotator: str, assignment: str) -> Assignment:
    """Return an assignment of this annotator, in any state."""
    known = tx.study.assignments.get(assignment)
    if known is None or known.annotator != annotator:
        raise not_found()
    return known


def answer_training_item(
    tx: StudyTransaction, annotator: str, part: Part, number: int, form: Form, now: float
) -> dict[str, str]:
    """Store the answer to a training item; the last one ends the part.

    Returns:
        The message for each field that is missing or invalid.
    """
    if current_step(tx, annotator).name != part:
        return {}
    items = tx.materials.part(part)
    if not 0 <= number < len(items):
        raise not_found()
    item, key = items[number], f"{part}|{number}"
    drafts = read_drafts(tx, annotator, f"{part}|")
    draft = drafts.get(key, Draft())
    if field_value(form, "go_on"):
        draft.passed = bool(draft.right)
    else:
        read = read_screen(tx.design, item.task(), screen_of(tx.design, item), (0,), form)
        if read.missing:
            return read.missing
        value = read.answers[0].value
        draft.right = answer_is_right(value, item.expected)
        draft.form = answer_fields(form)
        if part == "qualification" or draft.first is None:
            draft.first = value
        draft.passed = part == "qualification"
    drafts[key] = draft
    write_draft(tx, annotator, key, draft)
    all_drafts = [drafts.get(f"{part}|{n}", Draft()) for n in range(len(items))]
    if all(each.passed for each in all_drafts):
        answers = [each.first if each.first is not None else "" for each in all_drafts]
        expected = [each.expected for each in items]
        if part == "tutorial":
            tutorial(tx.study, annotator, answers, expected, [each.why for each in items], now)
        else:
            qualification(tx.study, annotator, answers, expected, now)
        delete_drafts(tx, annotator, f"{part}|")
        advance(tx, annotator, now)
    return {}


def pending_reading_test(
    tx: StudyTransaction, annotator: str, assignment: str
) -> tuple[Assignment, ReadingTest] | None:
    """Return the reading test that an annotator has to take now, if any."""
    step = current_step(tx, annotator)
    if step.name != "reading" or step.assignment != assignment:
        return None
    own = own_assignment(tx, annotator, assignment)
    return own, tx.materials.reading_tests[own.task]


def has_read_article(tx: StudyTransaction, annotator: str, task: str) -> bool:
    """Return whether an annotator has confirmed to have read the article."""
    return bool(read_drafts(tx, annotator, reading_key(task)))


def confirm_article(tx: StudyTransaction, annotator: str, assignment: str) -> None:
    """Store that an annotator has read the article."""
    test = pending_reading_test(tx, annotator, assignment)
    if test is not None:
        write_draft(tx, annotator, reading_key(test[0].task), Draft(passed=True))


def answer_reading_test(tx: StudyTransaction, annotator: str, assignment: str, name: str, now: float) -> bool:
    """Grade the answer to a reading test, which can be taken once; return False if the answer is missing."""
    test = pending_reading_test(tx, annotator, assignment)
    if test is None:
        return True
    own, reading = test
    if name not in reading.names or not has_read_article(tx, annotator, own.task):
        return False
    reading_test(tx.study, annotator, own.task, name, reading.foreign, now)
    delete_drafts(tx, annotator, reading_key(own.task))
    return True


def block_message(tx: StudyTransaction, annotator: str) -> str:
    """Return the catalogue key that explains why an annotator is blocked."""
    reason = tx.study.annotators[annotator].blocked or "qualification"
    return "why_" + next((each for each in REASONS if reason.startswith(each)), "other")


def answer_fields(form: Form) -> dict[str, list[str]]:
    """Return the fields of a form that belong to questions."""
    return {name: list(values) for name, values in form.items() if name.startswith("q")}
