"""Quality control: tutorial, qualification, reading test, traps, attention checks, time, bonuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.studies.design import Design, People, Presentation, Quality, Question, parse_design
from assay.studies.events import Answer, Check, Journal, MemoryStore, Task, Text
from assay.studies.judgements import study_judgements
from assay.studies.presets import preset
from assay.studies.quality import (
    answer_is_right,
    bonuses_owed,
    grade,
    next_step,
    qualification,
    reading_test,
    too_fast,
    trap_score,
    tutorial,
)
from assay.studies.study import Study
from assay.studies.trap_test import blocked_shares, trap_test
from assay.studies.traps import read_traps, reading_question, with_checks

FRANK = Question(
    criterion="factual", kind="typology", several=True, labels={"RelE": "", "OutE": "", "GramE": "", "CorefE": ""}
)
TRAPS = (Check("trap", "altered", "RelE"), Check("trap", "foreign", "OutE"), Check("trap", "as it is"))


def study(quality: Quality, checks: tuple[Check, ...] = TRAPS, tasks: int = 3) -> Study:
    design = Design(
        name="s",
        questions=[FRANK],
        people=People(per_item=1),
        quality=quality,
        presentation=Presentation(order="shuffled"),
    )
    made = Study(design, MemoryStore())
    made.open(0.0, "salt")
    made.add_tasks([Task(f"t{i}", (Text(f"i{i}", "a"), Text(f"i{i}", "b")), checks=checks) for i in range(tasks)], 0.0)
    made.join("w", 0.0)
    return made


def work(made: Study, *checks: str, seconds: float | None = None, who: str = "w") -> str:
    """Answer a task with these answers to its checks; return the reason for a block."""
    assignment = made.next_task(who, 0.0)
    assert assignment
    answers = [Answer(number, "factual", value) for number, value in enumerate(("NoE", "RelE", *checks))]
    made.answer(who, assignment.id, answers, 1.0, seconds)
    return grade(made, assignment, 2.0)


@pytest.mark.parametrize(
    ("answer", "expected", "right"),
    [
        ("RelE", "RelE", True),
        ("RelE+OutE", "RelE", True),
        ("NoE", "RelE", False),
        ("NoE", "", True),
        ("GramE", "", False),
        (2.0, "<=2", True),
        (3.0, "<=2", False),
        (4.0, ">=4", True),
        (3.0, "3", True),
        (3.0, "RelE", False),
    ],
)
def test_correct_answers_to_traps(answer: float | str, expected: str, right: bool) -> None:
    assert answer_is_right(answer, expected) is right


def test_a_running_trap_score_blocks_below_half_and_separates_the_work() -> None:
    made = study(Quality(trap_block=0.5))
    assert work(made, "RelE", "OutE", "NoE") == ""
    assert work(made, "NoE", "NoE", "RelE") == ""  # (1 + 0) / 2 is not below
    why = work(made, "NoE", "NoE", "NoE")
    assert why == "traps: 44% right, 50% needed"
    assert trap_score(made.annotators["w"]) == pytest.approx(4 / 9)
    assert next_step(made, "w") == "blocked"
    assert not list(study_judgements(made))
    assert len(list(study_judgements(made, apart=True))) == 6  # traps are not judgements
    made.join("v", 5.0)
    assert made.next_task("v", 6.0)  # assigned again


def test_the_platform_s_stricter_settings() -> None:
    made = study(Quality(trap_block=0.7, trap_start=1))
    assert work(made, "RelE", "OutE", "GramE").startswith("traps: 67%")


def test_bonuses_for_good_tasks_and_for_every_second_one() -> None:
    made = study(Quality(bonus_from=0.6, bonus=1.0, bonus_every=2), tasks=5)
    for checks in (("RelE", "OutE", "GramE"), ("NoE", "NoE", "NoE"), ("RelE", "OutE", "NoE"), ("RelE", "OutE", "NoE")):
        work(made, *checks)
    assert [paid.why for paid in made.annotators["w"].bonuses] == [
        "good task",
        "good task",
        "2 good tasks",
        "good task",
    ]
    made.block("w", "by hand", 9.0)
    assert bonuses_owed(made) == {"w": 4.0}


def test_grading_twice_has_no_effect() -> None:
    made = study(Quality(bonus_from=0.5, bonus=1.0))
    work(made, "RelE", "OutE", "NoE")
    assignment = next(iter(made.assignments.values()))
    before = len(list(made.store.events()))
    grade(made, assignment, 9.0)
    assert len(list(made.store.events())) == before
    opened = made.next_task("w", 9.0)
    assert opened
    with pytest.raises(AssayError, match="not answered yet"):
        grade(made, opened, 9.0)


@pytest.mark.parametrize(("seconds", "items", "dropped"), [(299, 70, True), (300, 70, False), (100, 35, False)])
def test_the_minimum_time_of_the_perception_study(seconds: float, items: int, dropped: bool) -> None:
    assert too_fast(preset("perception").quality, seconds, items) is dropped


def test_time_is_summed_over_tasks() -> None:
    made = study(Quality(minimum_seconds=40, minimum_items=4), ())
    assert work(made, seconds=15.0) == ""  # fewer than minimum_items
    assert work(made, seconds=24.0) == "time: 39 s for 4 texts"


@given(st.integers(0, 200), st.integers(1, 5), st.integers(0, 3), st.integers(0, 2))
def test_an_attention_check_is_never_first(seed: int, texts: int, traps: int, attention: int) -> None:
    checks = (*(Check("trap", "x", "RelE"),) * traps, *(Check("attention", "same"),) * attention)
    made = Study(Design(name="s", seed=seed, questions=[FRANK], people=People(per_item=1)), MemoryStore())
    made.open(0.0, "salt")
    made.add_tasks([Task("t", tuple(Text("i", f"s{s}") for s in range(texts)), checks=checks)], 0.0)
    made.join("w", 0.0)
    assignment = made.next_task("w", 0.0)
    assert assignment
    shown = made.layout(assignment)
    assert sorted(shown) == list(range(texts + traps + attention))
    assert shown[0] < texts + traps


def test_attention_checks_expect_the_previous_answers() -> None:
    made = study(Quality(attention_block=1), (Check("attention", "same"),), tasks=8)
    assignment = made.next_task("w", 0.0)
    assert assignment
    before = made.layout(assignment)[made.layout(assignment).index(2) - 1]
    right = ("NoE", "RelE")[before]
    assert work(made, right) == ""
    assignment = made.next_task("w", 3.0)
    assert assignment
    assert work(made, "OutE") == "attention: 1 checks failed"


def test_steps_before_the_first_task() -> None:
    made = study(Quality(tutorial=True, qualification=0.85, reading_test=True))
    assert next_step(made, "w") == "tutorial"
    feedback = tutorial(made, "w", ["RelE", "NoE"], ["RelE", "OutE"], ["it closed", "who built it is not stated"], 1.0)
    assert [each.right for each in feedback] == [True, False]
    assert next_step(made, "w") == "qualification"
    answers = ["RelE"] * 17 + ["NoE"] * 3
    assert qualification(made, "w", answers, ["RelE"] * 20, 2.0)  # 85 % is enough
    with pytest.raises(AssayError, match="already"):
        qualification(made, "w", answers, ["RelE"] * 20, 2.0)
    assert next_step(made, "w", "t0") == "reading"
    names = reading_question({"Wexley": 4, "Ruiz": 2, "crane": 1}, "Norby", 0)
    assert sorted(names) == ["Norby", "Ruiz", "Wexley"]
    assert reading_test(made, "w", "t0", "Norby", "Norby", 3.0)
    assert next_step(made, "w", "t0") == "task"
    assert not reading_test(made, "w", "t1", "Ruiz", "Norby", 4.0)
    assert next_step(made, "w", "t1") == "blocked"
    assert made.next_task("w", 5.0) is None


@pytest.mark.parametrize(("strict", "passes"), [(False, True), (True, False)])
def test_a_threshold_may_be_strict(strict: bool, passes: bool) -> None:
    made = study(Quality(qualification=0.5, qualification_strict=strict))
    assert qualification(made, "w", ["RelE", "NoE"], ["RelE", "RelE"], 1.0) is passes
    assert bool(made.annotators["w"].blocked) is not passes


def test_traps_of_frank(shared_data: Callable[[str], Path]) -> None:
    traps = read_traps(shared_data("frank/traps.jsonl"))
    assert len(traps) == 499
    assert sum(map(len, traps.values())) == 2808
    expected = [check.expected for checks in traps.values() for check in checks]
    assert [expected.count(kind) for kind in ("OutE", "CorefE", "RelE", "GramE", "")] == [617, 598, 596, 582, 415]


def test_checks_of_tasks(tmp_path: Path) -> None:
    path = tmp_path / "traps.jsonl"
    path.write_text(
        '{"document": "i0", "text": "x", "error": "relation"}\n{"document": "i0", "text": "y", "value": 1}\n'
    )
    strange = tmp_path / "strange.jsonl"  # other Unicode line separators may occur in a text
    strange.write_text('{"document": "i0", "text": "one\u2028two\x85three", "error": "relation"}\n', encoding="utf-8")
    assert read_traps(strange)["i0"][0].text == "one\u2028two\x85three"
    design = Design(name="s", questions=[FRANK], quality=Quality(traps_per_task=2, attention_checks=1))
    (task,) = with_checks(design, [Task("t", (Text("i0", "a"),))], read_traps(path))
    assert sorted((check.kind, check.expected) for check in task.checks) == [
        ("attention", ""), ("trap", ""), ("trap", "RelE"),
    ]  # fmt: skip
    with pytest.raises(AssayError, match="0 traps for i1"):
        with_checks(design, [Task("t", (Text("i1", "a"),))], read_traps(path))
    path.write_text(
        '{"document": "i0", "text": "c x.", "error": "relation", "sentences": ["a.", "b.", "c x."], "sentence": 2}\n'
    )
    one = msgspec.structs.replace(design, quality=Quality(traps_per_task=1))
    (task,) = with_checks(one, [Task("t", (Text("i0", "a", "e. f.", sentences=("e.", "f.")),))], read_traps(path))
    (check,) = task.checks
    assert (check.sentences, check.sentence) == (("b.", "c x."), 1)
    for line, problem in (
        ('{"text": "x"}', "document and text of the trap are required"),
        ('{"document": 1, "text": "x", "error": "relation", "sentences": ["y"], "sentence": 0}', "number of the trap"),
        ('{"document": 1, "text": "x", "error": "relation", "sentences": ["x"]}', "number of the trap"),
        ('{"document": 1, "text": "x", "error": "odd"}', "odd"),
    ):
        path.write_text(line)
        with pytest.raises(AssayError, match=problem):
            read_traps(path)


def test_recorded_checks_can_be_read_again(tmp_path: Path) -> None:
    """Every check stores values that the journal can read."""
    journal = Journal(tmp_path / "study.jsonl")
    made = Study(study(Quality(reading_test=True)).design, journal)
    made.open(0.0, "salt")
    made.join("w", 0.0)
    assert reading_test(made, "w", "t0", "Wexley", "Wexley", 1.0)
    assert not reading_test(made, "w", "t1", "Wexley", "Harrow", 1.0)
    again = Study(made.design, journal)
    assert [each.right for each in again.annotators["w"].checks] == [1, 0]
    assert again.annotators["w"].blocked == "reading test"


def test_one_early_mistake_does_not_block_an_acceptable_annotator() -> None:
    """Three wrong traps in a row are needed, and more once some were right."""
    made = study(Quality(trap_acceptable=0.9), tasks=5)
    assert work(made, "RelE", "OutE", "GramE") == ""
    assert work(made, "NoE", "NoE", "NoE") == ""  # 3 of 6 right
    why = work(made, "NoE", "NoE", "RelE")
    assert why == "traps: 3 of 9 right; 90% is acceptable (false blocks: at most 1.0%)"
    assert next_step(made, "w") == "blocked"
    quick = study(Quality(trap_acceptable=0.9))
    assert work(quick, "NoE", "NoE", "RelE").startswith("traps: 0 of 3 right")


@pytest.mark.parametrize("acceptable", [0.7, 0.9, 0.95])
@pytest.mark.parametrize("per_task", [1, 3])
def test_false_blocks_are_at_most_the_stated_rate(acceptable: float, per_task: int) -> None:
    quality = Quality(trap_acceptable=acceptable, traps_per_task=per_task)
    better = (acceptable, (1 + acceptable) / 2)
    assert all(each.share <= 0.01 for each in blocked_shares(quality, 400, better))


def test_blocked_shares_are_those_of_simulated_annotators() -> None:
    rng = np.random.default_rng(0)
    quality = Quality(trap_acceptable=0.9, traps_per_task=1)
    test = trap_test(quality)
    assert test is not None
    assert test.fewest() == 3
    for accuracy, exact in ((0.9, None), (0.5, 7)):
        answers = rng.random((4000, 30)) < accuracy
        right = answers.cumsum(axis=1)
        stop = np.array([[test.blocks(int(row[n]), n + 1) for n in range(30)] for row in right[:1000]])
        (found,) = blocked_shares(quality, 30, (accuracy,))
        assert found.share == pytest.approx(stop.any(axis=1).mean(), abs=0.02)
        assert found.median == exact
    (running,) = blocked_shares(Quality(trap_block=0.5, traps_per_task=1), 30, (0.9,))
    assert running.share > 0.1  # a running share blocks one in nine of those who are right in nine of ten


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"trap_acceptable": 0.9, "trap_block": 0.5}, "both block; keep one"),
        ({"trap_acceptable": 1.2}, "trap_acceptable is 1.2"),
        ({"trap_acceptable": 0.4}, "trap_chance is 0.5; it must be above 0 and below trap_acceptable"),
        ({"trap_acceptable": 0.9, "trap_false_block": 0}, "trap_false_block is 0"),
    ],
)
def test_settings_of_traps_that_cannot_be_used(settings: dict[str, float], why: str) -> None:
    with pytest.raises(AssayError, match=why):
        parse_design({"name": "x", "quality": settings}, "design.toml")


RANK = {"criterion": "rank", "kind": "ranking", "text": "Which is best?"}
RATE = {"criterion": "fluency", "kind": "likert", "text": "How fluent?", "values": [1, 2, 3]}


@pytest.mark.parametrize(
    ("questions", "quality", "why"),
    [
        ([RANK], {"traps_per_task": 1}, "learn which texts are traps"),
        ([RATE, RANK], {"traps_per_task": 1}, "learn which texts are traps"),
        ([RANK], {"attention_checks": 1}, "needs a question about one text"),
    ],
)
def test_checks_that_a_comparison_cannot_hide(questions: list[Any], quality: dict[str, int], why: str) -> None:
    """Its page failed with an error of the server."""
    with pytest.raises(AssayError, match=why):
        parse_design({"name": "x", "questions": questions, "quality": quality}, "design.toml")
    parse_design({"name": "x", "questions": [RATE, RANK], "quality": {"attention_checks": 1}}, "design.toml")
