"""Verdicts of a running study: a clear difference is decided, equal systems rarely are, however often one looks."""

from __future__ import annotations

import numpy as np

from assay.studies.design import Design, People, Presentation, Question
from assay.studies.events import Answer, MemoryStore, Task, Text
from assay.studies.stopping import sentence, verdicts_so_far
from assay.studies.study import Study


def study_of(inputs: int, gain: float, seed: int, better: str = "") -> Study:
    """Two annotators rate two systems on each input; system-1 is better by `gain`."""
    question = Question(
        criterion="quality", kind="likert", text="How good?", values=[1, 2, 3, 4, 5], definition="As a whole.",
        labels={str(value): f"level {value}" for value in range(1, 6)}, better="lower" if better else "",
    )  # fmt: skip
    design = Design(
        name="two", title="Two systems", instructions="Read.", language="en", questions=[question],
        people=People(per_item=2), presentation=Presentation(order="balanced"),
    )  # fmt: skip
    study = Study(design, MemoryStore())
    study.open(0.0, "salt")
    tasks = [
        Task(f"t{i}", tuple(Text(f"t{i}", f"system-{s}", f"text {i} of {s}") for s in range(2))) for i in range(inputs)
    ]
    study.add_tasks(tasks, 0.0)
    rng = np.random.default_rng(seed)
    now = 1.0
    for name in ("ann", "bob"):
        study.join(name, now)
        while (assignment := study.next_task(name, now)) is not None:
            now += 1
            texts = study.tasks[assignment.task].texts
            answers = [
                Answer(
                    number,
                    "quality",
                    float(np.clip(round(3 + gain * (text.system == "system-1") + rng.normal()), 1, 5)),
                )
                for number, text in enumerate(texts)
            ]
            study.answer(name, assignment.id, answers, now)
    return study


def test_a_clear_difference_is_decided_with_its_direction() -> None:
    (verdict,) = verdicts_so_far(study_of(60, 1.2, 0))
    (pair,) = verdict["pairs"]
    assert (pair["better"], verdict["best"], verdict["clear"]) == ("system-1", "system-1", True)
    assert pair["after"] < 60
    assert pair["e_value"] > pair["needed"] == 40
    assert sentence(verdict).endswith("1 of 1 pairs of systems decided after 60 inputs; the study may stop")
    (turned,) = verdicts_so_far(study_of(60, 1.2, 0, "lower"))
    assert turned["best"] == "system-0"


def test_equal_systems_are_rarely_decided_at_any_time() -> None:
    wrong = sum(verdicts_so_far(study_of(40, 0.0, seed))[0]["decided"] for seed in range(30))
    assert wrong <= 3


def test_an_input_counts_when_all_its_annotators_have_finished() -> None:
    study = study_of(5, 1.0, 1)
    last = max((each for each in study.assignments.values()), key=lambda each: each.finished or 0.0)
    last.state = "open"
    assert verdicts_so_far(study)[0]["inputs"] == 4
