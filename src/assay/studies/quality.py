"""Quality control of annotators: tutorial, qualification, reading tests, traps, attention checks, time and bonuses.

Every threshold is a setting of the design, and no answer is ever deleted. `next_step` returns what an annotator has to
do now; `grade` is called once after each answered task and updates scores, bonuses and blocks.
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
from assay.studies.trap_test import trap_test

if TYPE_CHECKING:
    from assay.studies.state import Annotator, Assignment
    from assay.studies.study import Study

Step = Literal["blocked", "tutorial", "qualification", "reading", "task"]
GOOD = "good task"
BOUNDS = {"<=": operator.le, ">=": operator.ge}


def next_step(study: Study, annotator: str, task: str | None = None) -> Step:
    """Return what an annotator has to do next; a task may require a reading test before it."""
    who = study.annotators[annotator]
    quality = study.design.quality
    if who.blocked:
        return "blocked"
    if quality.tutorial and who.passed("tutorial") is None:
        return "tutorial"
    if quality.qualification is not None:
        share = who.passed("qualification")
        if share is None:
            return "qualification"
        if not qualifies(quality, share):
            return "blocked"
    if quality.reading_test and task is not None and not _has_read(who, task):
        return "reading"
    return "task"


def qualifies(quality: Quality, share: float) -> bool:
    """Return whether a share of correct answers passes the qualification test."""
    least = quality.qualification or 0.0
    return share > least if quality.qualification_strict else share >= least


def _has_read(who: Annotator, task: str) -> bool:
    return any(each.check == "reading" and each.assignment == task for each in who.checks)


@dataclass(frozen=True)
class Feedback:
    """Feedback on an answer in the tutorial: the expected answer and its explanation."""

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
    """Return feedback on each answer, and store the number of correct answers. A tutorial cannot be failed."""
    if not len(answers) == len(expected) == len(reasons):
        raise AssayError(f"the tutorial has {len(expected)} questions and {len(answers)} answers")
    feedback = [
        Feedback(answer_is_right(answer, right), right, why)
        for answer, right, why in zip(answers, expected, reasons, strict=True)
    ]
    right = sum(each.right for each in feedback)
    study.record(Checked(at=now, annotator=annotator, check="tutorial", right=right, of=len(feedback)))
    return feedback


def qualification(
    study: Study, annotator: str, answers: Sequence[float | str], expected: Sequence[str], now: float
) -> bool:
    """Grade the qualification test, which can be taken once; return whether the annotator passed."""
    if study.annotators[annotator].passed("qualification") is not None:
        raise AssayError(f"{annotator} has already taken the qualification test")
    if len(answers) != len(expected) or not expected:
        raise AssayError(f"the qualification test has {len(expected)} questions and {len(answers)} answers")
    right = sum(answer_is_right(answer, wanted) for answer, wanted in zip(answers, expected, strict=True))
    study.record(Checked(at=now, annotator=annotator, check="qualification", right=right, of=len(expected)))
    passed = qualifies(study.design.quality, right / len(expected))
    if not passed:
        study.block(annotator, f"qualification: {right} of {len(expected)}", now)
    return passed


def reading_test(study: Study, annotator: str, task: str, chosen: str, foreign: str, now: float) -> bool:
    """Return whether the chosen name is the one that is not in the article; otherwise block the annotator."""
    right = chosen == foreign
    study.record(Checked(at=now, annotator=annotator, check="reading", right=float(right), of=1, assignment=task))
    if not right:
        study.block(annotator, "reading test", now)
    return right


def answer_is_right(answer: float | str, expected: str) -> bool:
    """Return whether an answer to a trap or training item is correct.

    Error codes: the expected one is among those named, or none is named where none is expected. Numbers: equal to the
    expected value, or within the bound.
    """
    if expected[:2] in BOUNDS:
        return not isinstance(answer, str) and BOUNDS[expected[:2]](answer, float(expected[2:]))
    if isinstance(answer, str):
        named = errors_of(answer)
        wanted = errors_of(expected)
        return set(wanted) <= set(named) if wanted else not named
    try:
        return answer == float(expected)
    except ValueError:
        return False


def check_results(study: Study, assignment: Assignment) -> dict[str, tuple[int, int]]:
    """Return the numbers of correct and of all traps and attention checks in an answered task."""
    task = study.tasks[assignment.task]
    layout = study.layout(assignment)
    by_text: dict[int, dict[str, list[Answer]]] = {}
    for answer in assignment.answers:
        by_text.setdefault(answer.text, {}).setdefault(answer.criterion, []).append(answer)
    results: dict[str, tuple[int, int]] = {}
    for number, check in enumerate(task.checks, len(task.texts)):
        own = by_text.get(number, {})
        if check.kind == "attention":
            before = by_text.get(layout[layout.index(number) - 1], {})
            right = _same(_values(own), _values(before))
        else:
            unit = f"sentence:{check.sentence}"
            answers_to = [answer for answers in own.values() for answer in answers]
            judged = [answer for answer in answers_to if answer.unit == unit] if check.sentences else answers_to
            right = answer_is_right(judged[0].value if judged else "", check.expected)
        so_far, of = results.get(check.kind, (0, 0))
        results[check.kind] = so_far + right, of + 1
    return results


def _values(by_criterion: Mapping[str, Sequence[Answer]]) -> dict[str, list[float | str]]:
    return {criterion: [answer.value for answer in answers] for criterion, answers in by_criterion.items()}


def _same(own: Mapping[str, list[float | str]], before: Mapping[str, list[float | str]]) -> bool:
    """Return whether a check repeats the answers to the text before it.

    A check has one sentence. If the text before was judged sentence by sentence, any of its answers will do.
    """
    return own.keys() == before.keys() and all(
        values == before[name] or (len(values) == 1 and values[0] in before[name]) for name, values in own.items()
    )


def too_fast(quality: Quality, seconds: float, items: int) -> bool:
    """Return whether an annotator was faster than the minimum time, scaled to the number of items."""
    if quality.minimum_seconds is None or items < quality.minimum_items:
        return False
    return seconds * quality.minimum_items < quality.minimum_seconds * items


def trap_score(who: Annotator) -> float | None:
    """Return the mean share of correct traps over tasks, or None without traps."""
    shares = [each.right / each.of for each in who.checks if each.check == "trap" and each.of]
    return sum(shares) / len(shares) if shares else None


def grade(study: Study, assignment: Assignment, now: float) -> str:
    """Store the results of an answered task: checks, time and bonuses. Block the annotator if the design says so.

    Returns:
        The reason for the block, or an empty string.
    """
    if not assignment.done:
        raise AssayError(f"assignment {assignment.id}: not answered yet ({assignment.state})")
    who = study.annotators[assignment.annotator]
    if any(each.assignment == assignment.id for each in who.checks) or who.blocked:
        return who.blocked
    texts = len(study.tasks[assignment.task].texts)
    results = check_results(study, assignment)
    events = [
        Checked(at=now, annotator=who.name, check=kind, right=right, of=of, assignment=assignment.id)
        for kind, (right, of) in results.items()
    ]
    if assignment.seconds is not None:
        events.append(
            Checked(
                at=now, annotator=who.name, check="time", right=assignment.seconds, of=texts, assignment=assignment.id
            )
        )
    study.record(*events)
    _add_bonus(study, who, results, now)
    why = reason_to_block(study.design, who)
    if why:
        study.block(who.name, why, now)
    return why


def grade_all(study: Study, now: float) -> dict[str, str]:
    """Grade all answered tasks in the order of their answers; return blocked annotators with the reasons."""
    done = [each for each in study.assignments.values() if each.done]
    for assignment in sorted(done, key=lambda each: each.finished or 0.0):
        grade(study, assignment, now)
    return {name: who.blocked for name, who in study.annotators.items() if who.blocked}


def reason_to_block(design: Design, who: Annotator) -> str:
    """Return why an annotator has to be blocked, or an empty string."""
    quality = design.quality
    traps = [each for each in who.checks if each.check == "trap"]
    tasks = len(traps)
    right, of = (round(sum(getattr(each, name) for each in traps)) for name in ("right", "of"))
    test = trap_test(quality)
    if test is not None and test.blocks(right, of):
        return (
            f"traps: {right} of {of} right; {test.acceptable:.0%} is acceptable "
            f"(false blocks: at most {test.false_block:.1%})"
        )
    score = trap_score(who)
    if (
        quality.trap_block is not None
        and score is not None
        and tasks >= quality.trap_start
        and score < quality.trap_block
    ):
        return f"traps: {score:.0%} right, {quality.trap_block:.0%} needed"
    failed = [each for each in who.checks if each.check == "attention" and each.right < each.of]
    if quality.attention_block and len(failed) >= quality.attention_block:
        return f"attention: {len(failed)} checks failed"
    timed = [each for each in who.checks if each.check == "time"]
    seconds, items = sum(each.right for each in timed), int(sum(each.of for each in timed))
    if too_fast(quality, seconds, items):
        return f"time: {seconds:.0f} s for {items} texts"
    return ""


def _add_bonus(study: Study, who: Annotator, results: Mapping[str, tuple[int, int]], now: float) -> None:
    """Store a bonus for a good task, and a further one after every `bonus_every` good tasks."""
    quality = study.design.quality
    right, of = results.get("trap", (0, 0))
    if quality.bonus_from is None or not of or right / of < quality.bonus_from:
        return
    study.record(Paid(at=now, annotator=who.name, amount=quality.bonus, why=GOOD))
    good = sum(each.why == GOOD for each in who.bonuses)
    if quality.bonus_every and good % quality.bonus_every == 0:
        study.record(Paid(at=now, annotator=who.name, amount=quality.bonus, why=f"{good} good tasks"))


def bonuses_owed(study: Study) -> dict[str, float]:
    """Return the sum of bonuses of each annotator; blocking does not reduce it."""
    return {name: sum(each.amount for each in who.bonuses) for name, who in study.annotators.items()}
