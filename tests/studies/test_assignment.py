"""Assignment: k annotators per task, balanced positions, leases, returned and blocked tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.studies.design import Design, People, Presentation, Quality, Question
from assay.studies.events import Answer, Journal, MemoryStore, Task, Text
from assay.studies.order import LatinSquares, latin_square
from assay.studies.sampling import first_of_lengths, largest_remainder, sample
from assay.studies.state import Assignment
from assay.studies.study import Study

QUESTION = Question(criterion="fluency", kind="likert", values=[1, 2, 3, 4, 5])
LEASE = 60.0


def design(k: int = 3, **more: object) -> Design:
    people = People(per_item=k, most_items=more.pop("cap", None))  # type: ignore[arg-type]
    shown = Presentation(order="balanced", lease_minutes=LEASE / 60, **more.pop("shown", {}))  # type: ignore[arg-type]
    return Design(name="s", questions=[QUESTION], people=people, presentation=shown, **more)  # type: ignore[arg-type]


def tasks(n: int, systems: int = 3, start: int = 0) -> list[Task]:
    return [Task(f"t{i}", tuple(Text(f"i{i}", f"s{s}") for s in range(systems))) for i in range(start, start + n)]


def opened(made: Design, work: Sequence[Task], pilot: bool = False) -> Study:
    study = Study(made, MemoryStore())
    study.open(0.0, "salt", pilot)
    study.add_tasks(work, 0.0)
    return study


def answers(study: Study, assignment: Assignment, value: float = 3.0) -> list[Answer]:
    return [Answer(number, "fluency", value) for number in range(len(study.tasks[assignment.task].texts))]


def finish(study: Study, who: str, now: float) -> Assignment | None:
    study.join(who, now)
    assignment = study.next_task(who, now)
    if assignment is not None:
        study.answer(who, assignment.id, answers(study, assignment), now + 1)
    return assignment


def live(study: Study) -> list[Assignment]:
    return [each for each in study.assignments.values() if study.counts(each)]


def positions(study: Study, systems: int) -> list[Counter[int]]:
    """Return the count of each system at each position, over assignments that count."""
    counts = [Counter(dict.fromkeys(range(systems), 0)) for _ in range(systems)]
    for each in live(study):
        for position, number in enumerate(study.order(each)):
            counts[position][number] += 1
    return counts


def spread(counts: Sequence[Counter[int]]) -> int:
    return max(max(each.values()) - min(each.values()) for each in counts)


@given(st.integers(1, 8))
def test_squares_are_latin_and_even_ones_balance_successors(size: int) -> None:
    rows = latin_square(size)
    assert all(sorted(row) == list(range(size)) for row in rows)
    assert all(len({row[position] for row in rows}) == size for position in range(size))
    if size % 2 == 0:
        assert len({pair for row in rows for pair in pairwise(row)}) == size * (size - 1)


def test_rows_that_are_given_back_are_taken_first() -> None:
    squares = LatinSquares(3, "x")
    first = [squares.take() for _ in range(4)]
    squares.give_back(first[1])
    assert squares.take() == first[1]


STEPS = st.lists(
    st.tuples(st.sampled_from(["next", "answer", "return", "block", "late", "wait", "add"]), st.integers(0, 6)),
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS, k=st.integers(1, 4), systems=st.integers(1, 4), seed=st.integers(0, 5))
def test_invariants_of_assignment(steps: list[tuple[str, int]], k: int, systems: int, seed: int) -> None:
    """A task never has more than k annotators, except for late answers after an expired lease; positions are balanced
    within 1 if no row was given back; the events give the same state again."""
    study = opened(design(k, seed=seed), tasks(4, systems))
    now, added = 0.0, 4
    for what, who in steps:
        now += 1.0
        name = f"p{who}"
        study.join(name, now)
        open_now = next((a for a in study.assignments.values() if a.annotator == name and a.state == "open"), None)
        if what == "next":
            study.next_task(name, now)
        elif what == "answer" and open_now:
            study.answer(name, open_now.id, answers(study, open_now), now)
        elif what == "return" and open_now:
            study.return_task(name, open_now.id, now)
        elif what == "block" and who == 6:
            study.block(name, "traps", now)
        elif what == "wait":
            now += LEASE + 1
            study.expire(now)
        elif what == "late":
            gone = next((a for a in study.assignments.values() if a.annotator == name and a.state == "expired"), None)
            twice = gone and any(
                a.task == gone.task and a is not gone and (a.done or a.state == "open")
                for a in study.assignments.values()
                if a.annotator == name
            )
            if gone and not twice and not study.annotators[name].blocked:
                study.answer(name, gone.id, answers(study, gone), now)
        elif what == "add" and added < 8:
            study.add_tasks(tasks(1, systems, added), now)
            added += 1
        for task in study.tasks:
            assert study.needed(study.tasks[task]) == max(0, k - sum(a.task == task for a in live(study)))
            own = [a for a in live(study) if a.task == task]
            assert len([a for a in own if a.state != "late"]) <= k
            assert len({a.annotator for a in own}) == len(own)
        if all(a.state in ("open", "done") and study.counts(a) for a in study.assignments.values()):
            assert spread(positions(study, systems)) <= 1
    again = Study(study.design, study.store)
    assert again.assignments == study.assignments
    assert again.annotators == study.annotators


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 7), k=st.integers(1, 4), systems=st.integers(2, 5), quitters=st.integers(0, 4))
def test_a_finished_study_has_k_annotators_per_task_and_balanced_positions(
    n: int, k: int, systems: int, quitters: int
) -> None:
    study = opened(design(k), tasks(n, systems))
    for quitter in range(quitters):  # each takes one task and leaves
        study.join(f"q{quitter}", 0.0)
        study.next_task(f"q{quitter}", 0.0)
    now = LEASE + 1
    for who in range(k + 2):
        while finish(study, f"p{who}", now):
            now += 1
    assert study.finished
    done = Counter(a.task for a in study.assignments.values() if a.done)
    assert done == dict.fromkeys(study.tasks, k)
    assert spread(positions(study, systems)) <= 1


def test_returned_tasks_are_assigned_to_others_and_finished_work_is_kept() -> None:
    study = opened(design(1), tasks(2))
    first = finish(study, "a", 0.0)
    second = study.next_task("a", 5.0)
    assert first
    assert second
    study.return_task("a", second.id, 6.0)
    assert study.next_task("a", 7.0) is None  # not to the same annotator again
    other = finish(study, "b", 8.0)
    assert other
    assert other.task == second.task
    assert study.assignments[first.id].done


@pytest.mark.parametrize("kept", [True, False])
def test_tasks_of_blocked_annotators_are_assigned_again_unless_their_work_counts(kept: bool) -> None:
    study = opened(design(1, quality=Quality(keep_blocked_work=kept)), tasks(2))
    done = finish(study, "a", 0.0)
    study.next_task("a", 1.0)
    study.block("a", "traps", 2.0)
    assert study.next_task("a", 3.0) is None
    assert done
    assert done.answers
    assert sum(finish(study, "b", 4.0 + i) is not None for i in range(3)) == (1 if kept else 2)
    assert study.finished


def test_added_tasks_are_assigned_to_annotators_who_had_finished() -> None:
    study = opened(design(1), tasks(1))
    assert finish(study, "a", 0.0)
    assert finish(study, "a", 2.0) is None
    study.add_tasks(tasks(1, start=1), 3.0)
    assert finish(study, "a", 4.0)
    with pytest.raises(AssayError, match="exists already; use another id"):
        study.add_tasks(tasks(1), 5.0)


def test_an_open_task_stays_assigned_until_its_lease_ends() -> None:
    study = opened(design(1), tasks(1))
    study.join("a", 0.0)
    study.join("b", 0.0)
    assignment = study.next_task("a", 0.0)
    assert study.next_task("a", LEASE - 1) is assignment
    assert study.next_task("b", LEASE - 1) is None
    taken = study.next_task("b", LEASE)
    assert assignment
    assert taken
    assert assignment.state == "expired"
    study.answer("a", assignment.id, answers(study, assignment), LEASE + 5)  # late, and kept
    study.answer("b", taken.id, answers(study, taken), LEASE + 6)
    assert [a.state for a in study.assignments.values()] == ["late", "done"]


def test_a_task_assigned_again_to_the_same_annotator_is_answered_once() -> None:
    study = opened(design(1), tasks(1))
    study.join("a", 0.0)
    first = study.next_task("a", 0.0)
    second = study.next_task("a", LEASE + 1)
    assert first
    assert second
    assert first.id != second.id
    with pytest.raises(AssayError, match="a1: expired; the task is assigned to you again as a2"):
        study.answer("a", first.id, answers(study, first), LEASE + 2)
    study.answer("a", second.id, answers(study, second), LEASE + 3)


def test_assignment_is_fast() -> None:
    """Processor time per call, with two thousand tasks and fifty annotators."""
    from time import process_time

    study = opened(design(3), tasks(2000, 2))
    start = process_time()
    for who in range(50):
        for _ in range(4):
            finish(study, f"p{who}", 1.0)
    assert (process_time() - start) / 200 < 0.02


@pytest.mark.parametrize(("people", "cap", "k"), [(12, 3, 3), (9, 4, 2), (6, 6, 3), (30, 5, 5)])
def test_a_crowd_that_is_just_large_enough_finishes_every_task(people: int, cap: int, k: int) -> None:
    """Annotators differ in speed and arrival; no task remains unfinished for lack of an annotator."""
    missing = 0
    for seed in range(40):
        draw = Random(seed)
        study = opened(design(k, cap=cap), tasks(people * cap // k))
        pace = {f"p{seed}.{number}": draw.lognormvariate(0, 0.5) for number in range(people)}
        events = [(draw.uniform(0, 5), name) for name in pace]
        while events:
            now, name = min(events)
            events.remove((now, name))
            if finish(study, name, now) is not None:
                events.append((now + pace[name] * draw.uniform(0.5, 1.5), name))
        missing += sum(map(study.needed, study.available()))
    assert missing == 0


def test_limits_and_tasks_for_every_annotator() -> None:
    work = [*tasks(3), Task("all", (Text("x", "s0"), Text("x", "s1"), Text("x", "s2")), overlap=True)]
    study = opened(design(1, cap=2), work)
    for who in ("a", "b"):
        assigned = [finish(study, who, 1.0), finish(study, who, 2.0), finish(study, who, 3.0)]
        assert assigned[0]
        assert assigned[0].task == "all"
        assert assigned[2] is None


def test_a_pilot_is_separate_from_the_main_study() -> None:
    study = opened(design(1, shown={"pilot_items": 1, "pilot_people": 1}), tasks(2), pilot=True)
    assert finish(study, "a", 0.0)
    assert finish(study, "a", 1.0) is None
    with pytest.raises(AssayError, match="the pilot has all its 1 annotators"):
        study.join("b", 2.0)
    study.start_main(3.0)
    assert sum(finish(study, "b", 4.0 + i) is not None for i in range(3)) == 2
    assert Counter(a.pilot for a in study.assignments.values()) == {True: 1, False: 2}


def test_answers_are_validated_and_repeated_answers_have_no_effect() -> None:
    study = opened(design(1), tasks(1))
    study.join("a", 0.0)
    study.join("b", 0.0)
    assignment = study.next_task("a", 0.0)
    assert assignment
    with pytest.raises(AssayError, match="no answer"):
        study.answer("a", assignment.id, answers(study, assignment)[:2], 1.0)
    with pytest.raises(AssayError, match="9 is not one of"):
        study.answer("a", assignment.id, answers(study, assignment, 9.0), 1.0)
    with pytest.raises(AssayError, match="a1: not an assignment of b"):
        study.answer("b", assignment.id, answers(study, assignment), 1.0)
    study.answer("a", assignment.id, answers(study, assignment), 1.0)
    study.answer("a", assignment.id, answers(study, assignment), 2.0)
    with pytest.raises(AssayError, match="already answered; answers cannot be changed"):
        study.answer("a", assignment.id, answers(study, assignment, 4.0), 3.0)


def test_a_journal_survives_a_truncated_line(tmp_path: Path) -> None:
    path = tmp_path / "study.jsonl"
    study = Study(design(2), Journal(path))
    study.open(0.0, "salt")
    study.add_tasks(tasks(2), 0.0)
    finish(study, "a", 0.0)
    before = path.read_bytes()
    path.write_bytes(before + b'[{"event":"joi')
    again = Study(design(2), Journal(path))
    assert again.assignments == study.assignments
    finish(again, "b", 5.0)  # the truncated line is removed
    assert Study(design(2), Journal(path)).assignments == again.assignments
    path.write_bytes(before.replace(b'"event":"added"', b'"event":"adder"'))
    with pytest.raises(AssayError, match=r"study\.jsonl:2: not a list of study events"):
        Study(design(2), Journal(path))
    path.write_bytes(before)
    with pytest.raises(AssayError, match="the design has changed since the study was opened"):
        Study(design(3), Journal(path))


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 30), min_size=1, max_size=6), st.floats(0, 1))
def test_largest_remainder(sizes: dict[str, int], share: float) -> None:
    n = int(share * sum(sizes.values()))
    counts = largest_remainder(sizes, n)
    assert sum(counts.values()) == n
    total = sum(sizes.values())
    for name, size in sizes.items():
        assert counts[name] <= size
        assert abs(counts[name] - (size * n / total if total else 0)) < 1


def test_samples() -> None:
    assert largest_remainder({"a": 5, "b": 3, "c": 2}, 5) == {"a": 3, "b": 1, "c": 1}
    items = list(range(100))
    drawn = sample(items, 10, 0, lambda item: item % 2)
    assert sum(item % 2 for item in drawn) == 5
    assert drawn == sorted(drawn) == sample(items, 10, 0, lambda item: item % 2)
    texts = ["a b", "a b c", "d e", "f g"]
    assert first_of_lengths(texts, [2, 3], 1, lambda text: len(text.split())) == ["a b", "a b c"]
    with pytest.raises(AssayError, match="1 items have a length of 3, 2 are required"):
        first_of_lengths(texts, [3], 2, lambda text: len(text.split()))
