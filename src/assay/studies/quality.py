"""Keeping careless answers out: every number is a setting of the design, and nothing that was said is ever deleted.

`next_step` says what a person has to do now; `grade` is called once after each answered task and keeps the running
scores, the bonuses, and the reasons for which somebody is blocked.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from assay.errors import AssayError
from assay.stats.votes import errors_of
from assay.studies.design import Design, Quality
from assay.studies.events import Answer, Checked, Paid

if TYPE_CHECKING:
    from assay.studies.state import Assignment, Person
    from assay.studies.study import Study

Step = Literal["blocked", "tutorial", "qualification", "reading", "task"]
GOOD = "good task"
BOUNDS = {"<=": operator.le, ">=": operator.ge}


def next_step(study: Study, annotator: str, task: str | None = None) -> Step:
    """What comes before the next task (which asks for a reading test of its own, where the design has one)."""
    person = study.people[annotator]
    quality = study.design.quality
    if person.blocked:
        return "blocked"
    if quality.tutorial and person.passed("tutorial") is None:
        return "tutorial"
    if quality.qualification is not None:
        share = person.passed("qualification")
        if share is None:
            return "qualification"
        if not qualifies(quality, share):
            return "blocked"
    if quality.reading_test and task is not None and not _has_read(person, task):
        return "reading"
    return "task"


def qualifies(quality: Quality, share: float) -> bool:
    """At least the threshold, or above it where the design is strict."""
    least = quality.qualification or 0.0
    return share > least if quality.qualification_strict else share >= least


def _has_read(person: Person, task: str) -> bool:
    return any(each.check == "reading" and each.assignment == task for each in person.checks)


@dataclass(frozen=True)
class Feedback:
    """One answer of a tutorial beside the right one, with the reason."""

    right: bool
    expected: str
    why: str


def tutorial(
    study: Study,
    annotator: str,
    answers: Sequence[float | str],
    expected: Sequence[str],
    reasons: Sequence[str],
    now: float,
) -> list[Feedback]:
    """Feedback on each answer. It is not graded; how many were right is kept."""
    if not len(answers) == len(expected) == len(reasons):
        raise AssayError(f"the tutorial has {len(expected)} questions and {len(answers)} answers")
    found = [
        Feedback(answer_is_right(given, right), right, why)
        for given, right, why in zip(answers, expected, reasons, strict=True)
    ]
    right = sum(each.right for each in found)
    study.record(Checked(at=now, annotator=annotator, check="tutorial", right=right, of=len(found)))
    return found


def qualification(
    study: Study, annotator: str, answers: Sequence[float | str], expected: Sequence[str], now: float
) -> bool:
    """Whether a person may begin. There is one try."""
    if study.people[annotator].passed("qualification") is not None:
        raise AssayError(f"{annotator} has taken the qualification test already")
    if len(answers) != len(expected) or not expected:
        raise AssayError(f"the qualification test has {len(expected)} questions and {len(answers)} answers")
    right = sum(answer_is_right(given, wanted) for given, wanted in zip(answers, expected, strict=True))
    study.record(Checked(at=now, annotator=annotator, check="qualification", right=right, of=len(expected)))
    passed = qualifies(study.design.quality, right / len(expected))
    if not passed:
        study.block(annotator, f"qualification: {right} of {len(expected)}", now)
    return passed


def reading_test(study: Study, annotator: str, task: str, chosen: str, foreign: str, now: float) -> bool:
    """Whether somebody picked the name that is not in the article. Who fails is blocked at once."""
    right = chosen == foreign
    study.record(Checked(at=now, annotator=annotator, check="reading", right=float(right), of=1, assignment=task))
    if not right:
        study.block(annotator, "reading test", now)
    return right


def answer_is_right(given: float | str, expected: str) -> bool:
    """Whether the answer to a trap is that of an attentive reader: the expected kind of error is among those named, or
    none is where there is none; a value is the one expected, or within the bound."""
    if expected[:2] in BOUNDS:
        return not isinstance(given, str) and BOUNDS[expected[:2]](given, float(expected[2:]))
    if isinstance(given, str):
        named = errors_of(given)
        wanted = errors_of(expected)
        return set(wanted) <= set(named) if wanted else not named
    try:
        return given == float(expected)
    except ValueError:
        return False


def check_results(study: Study, assignment: Assignment) -> dict[str, tuple[int, int]]:
    """Of one answered task: how many of its traps and attention checks were right, by kind."""
    task = study.tasks[assignment.task]
    layout = study.layout(assignment)
    given: dict[int, dict[str, list[Answer]]] = {}
    for answer in assignment.answers:
        given.setdefault(answer.text, {}).setdefault(answer.criterion, []).append(answer)
    found: dict[str, tuple[int, int]] = {}
    for number, check in enumerate(task.checks, len(task.texts)):
        own = given.get(number, {})
        if check.kind == "attention":
            before = given.get(layout[layout.index(number) - 1], {})
            right = _same(_values(own), _values(before))
        else:
            first = next((answers[0].value for answers in own.values()), "")
            right = answer_is_right(first, check.expected)
        so_far, of = found.get(check.kind, (0, 0))
        found[check.kind] = so_far + right, of + 1
    return found


def _values(given: Mapping[str, Sequence[Answer]]) -> dict[str, list[float | str]]:
    return {criterion: [answer.value for answer in answers] for criterion, answers in given.items()}


def _same(own: Mapping[str, list[float | str]], before: Mapping[str, list[float | str]]) -> bool:
    """Whether a check has the answers of the text before it; where that was judged sentence by sentence and the check
    is one sentence, the answer to any of them."""
    return own.keys() == before.keys() and all(
        values == before[name] or (len(values) == 1 and values[0] in before[name]) for name, values in own.items()
    )


def too_fast(quality: Quality, seconds: float, items: int) -> bool:
    """Faster than the design allows: 299 seconds for 70 items where 300 are asked for; exactly 300 are enough."""
    if quality.minimum_seconds is None or items < quality.minimum_items:
        return False
    return seconds * quality.minimum_items < quality.minimum_seconds * items


def trap_score(person: Person) -> float | None:
    """The running score: every task counts the same, however many traps it had."""
    shares = [each.right / each.of for each in person.checks if each.check == "trap" and each.of]
    return sum(shares) / len(shares) if shares else None


def grade(study: Study, assignment: Assignment, now: float) -> str:
    """Everything that follows from an answered task: checks, bonuses, and the reason to block somebody, if any."""
    if not assignment.done:
        raise AssayError(f"assignment {assignment.id}: there is nothing to grade ({assignment.state})")
    person = study.people[assignment.annotator]
    if any(each.assignment == assignment.id for each in person.checks) or person.blocked:
        return person.blocked
    texts = len(study.tasks[assignment.task].texts)
    results = check_results(study, assignment)
    events = [
        Checked(at=now, annotator=person.name, check=kind, right=right, of=of, assignment=assignment.id)
        for kind, (right, of) in results.items()
    ]
    if assignment.seconds is not None:
        events.append(
            Checked(
                at=now, annotator=person.name, check="time", right=assignment.seconds, of=texts,
                assignment=assignment.id,
            )
        )  # fmt: skip
    study.record(*events)
    _pay(study, person, results, now)
    why = reason_to_block(study.design, person)
    if why:
        study.block(person.name, why, now)
    return why


def grade_all(study: Study, now: float) -> dict[str, str]:
    """Grade whatever has been answered, in the order in which it was; who is blocked by it, and why."""
    done = [each for each in study.assignments.values() if each.done]
    for assignment in sorted(done, key=lambda each: each.finished or 0.0):
        grade(study, assignment, now)
    return {name: person.blocked for name, person in study.people.items() if person.blocked}


def reason_to_block(design: Design, person: Person) -> str:
    """Why somebody may not go on, by what is known of them, or nothing."""
    quality = design.quality
    tasks = sum(each.check == "trap" for each in person.checks)
    score = trap_score(person)
    if (
        quality.trap_block is not None
        and score is not None
        and tasks >= quality.trap_start
        and score < quality.trap_block
    ):
        return f"traps: {score:.0%} right, {quality.trap_block:.0%} needed"
    failed = [each for each in person.checks if each.check == "attention" and each.right < each.of]
    if quality.attention_block and len(failed) >= quality.attention_block:
        return f"attention: {len(failed)} checks failed"
    timed = [each for each in person.checks if each.check == "time"]
    seconds, items = sum(each.right for each in timed), int(sum(each.of for each in timed))
    if too_fast(quality, seconds, items):
        return f"time: {seconds:.0f} s for {items} texts"
    return ""


def _pay(study: Study, person: Person, results: Mapping[str, tuple[int, int]], now: float) -> None:
    """A bonus for every good task, and a further one for every so many of them."""
    quality = study.design.quality
    right, of = results.get("trap", (0, 0))
    if quality.bonus_from is None or not of or right / of < quality.bonus_from:
        return
    study.record(Paid(at=now, annotator=person.name, amount=quality.bonus, why=GOOD))
    good = sum(each.why == GOOD for each in person.bonuses)
    if quality.bonus_every and good % quality.bonus_every == 0:
        study.record(Paid(at=now, annotator=person.name, amount=quality.bonus, why=f"{good} good tasks"))


def ledger(study: Study) -> dict[str, float]:
    """What is owed to each person beyond their pay; blocking takes nothing away."""
    return {name: sum(each.amount for each in person.bonuses) for name, person in study.people.items()}
