"""Suggestions of a judge in a study: what is shown, what is refused, and the measured influence."""

from __future__ import annotations

import numpy as np
import pytest

from assay.errors import AssayError
from assay.records import Judgement
from assay.studies.anchoring import agreement, anchoring, disagreements
from assay.studies.design import Design, People, Question
from assay.studies.events import Answer, MemoryStore, Suggestion, Task, Text
from assay.studies.judgements import study_judgements
from assay.studies.study import Study
from assay.studies.suggestions import with_suggestions

LIKERT = Question(criterion="fluency", kind="likert", text="How fluent?", values=[1, 2, 3, 4, 5])
SPANS = Question(criterion="errors", kind="spans", text="Mark errors.", labels={"minor": "", "major": ""})


def design(*questions: Question) -> Design:
    return Design(name="s", questions=list(questions), people=People(per_item=4))


def tasks(count: int) -> list[Task]:
    return [Task(f"i{n}", (Text(f"i{n}", "a", "The harbour stays open."),)) for n in range(count)]


def judged(criterion: str, value: float | str, unit: str = "summary", id: str = "i0", by: str = "m") -> Judgement:
    return Judgement(id=id, system="a", annotator=by, criterion=criterion, value=value, unit=unit, method="judge")


def test_spans_of_a_judge_become_labels_of_the_study_and_no_errors_is_a_suggestion() -> None:
    rows = [
        judged("errors", 5.0), judged("errors.spans", "grammar/major", "span:4-11"),
        judged("errors", 0.0, id="i1"),
    ]  # fmt: skip
    made, notes = with_suggestions(design(SPANS), tasks(3), rows, 0.25)
    assert made[0].texts[0].suggested == {"errors": (Suggestion("major", "span:4-11"),)}
    assert made[1].texts[0].suggested == {"errors": ()}
    assert made[2].texts[0].suggested == {}
    assert made[0].hold_out == 0.25
    assert notes == ["1 of 3 texts have no suggestion"]


def test_what_cannot_be_an_answer_is_left_out_and_named() -> None:
    rows = [
        judged("errors.spans", "huge", "span:0-3"), judged("errors.spans", "minor", "span:0-999"),
        judged("fluency", 9.0), judged("fluency", 4.0, id="i1"), judged("fluency", 2.0, id="i1", by="m#2"),
    ]  # fmt: skip
    made, notes = with_suggestions(design(LIKERT, SPANS), tasks(2), rows, 0.5)
    assert made[0].texts[0].suggested == {}
    assert made[1].texts[0].suggested == {"fluency": (Suggestion(4.0),)}
    assert any("a span ends after its text" in note for note in notes)
    assert any("9 is not one of" in note for note in notes)
    with pytest.raises(AssayError, match="no suggestion fits"):
        with_suggestions(design(LIKERT), tasks(2), [judged("fluency", 3.0, id="other")], 0.5)
    with pytest.raises(AssayError, match="several judges"):
        with_suggestions(design(LIKERT), tasks(2), [judged("fluency", 3.0), judged("fluency", 3.0, by="n")], 0.5)


def test_comparisons_show_no_suggestions() -> None:
    pair = Question(criterion="better", kind="pairwise", text="Which is better?")
    with pytest.raises(AssayError, match="questions of kind pairwise"):
        with_suggestions(design(pair), tasks(1), [judged("better", 1.0)], 0.5)


def test_agreement_of_spans_is_f1_of_characters() -> None:
    own = [Answer(0, "errors", "major", "span:4-8")]
    assert agreement(SPANS, [Suggestion("major", "span:4-12")], own) == pytest.approx(2 * 4 / 12)
    assert agreement(SPANS, [], []) == 1
    assert agreement(SPANS, [], own) == 0
    assert agreement(LIKERT, [Suggestion(4.0)], [Answer(0, "fluency", 2.0)]) == 0.5


def simulated(pull: float, seed: int, items: int = 60) -> Study:
    """Annotators who copy a suggestion that they see with this probability, and judge by themselves otherwise."""
    draw = np.random.default_rng(seed)
    own = design(LIKERT)
    rows = [judged("fluency", float(draw.integers(1, 6)), id=f"i{n}") for n in range(items)]
    made, _ = with_suggestions(own, tasks(items), rows, 0.5)
    study = Study(own, MemoryStore())
    study.open(0, f"salt {seed}")
    study.add_tasks(made, 0)
    for name in "abcd":
        study.join(name, 0)
        while (given := study.next_task(name, 1)) is not None:
            task = study.tasks[given.task]
            value = float(draw.integers(1, 6))
            if study.sees_suggestion(name, task, 0) and draw.random() < pull:
                value = float(task.texts[0].suggested["fluency"][0].value)
            study.answer(name, given.id, [Answer(0, "fluency", value)], 2)
    return study


def test_planted_anchoring_is_measured_and_none_is_not_invented() -> None:
    # Two independent ratings of 1 to 5 differ by 1.6 on average: agreement .6, so a pull of .5 raises it by .2.
    covered = sum(
        result["low"] <= 0.2 <= result["high"]
        for result in (anchoring(simulated(0.5, seed))["fluency"] for seed in range(20))
    )
    assert covered >= 17
    false = sum(anchoring(simulated(0.0, seed))["fluency"]["p"] < 0.05 for seed in range(20))
    assert false <= 4


def test_judgements_say_whether_a_suggestion_was_seen() -> None:
    study = simulated(0.0, 1)
    seen = [each.suggested for each in study_judgements(study)]
    assert 0.3 < sum(seen) / len(seen) < 0.7


def test_disagreements_come_from_annotators_who_did_not_see_the_suggestion() -> None:
    rows = disagreements(simulated(1.0, 3))
    assert rows[0]["agreement"] == min(row["agreement"] for row in rows)
    assert all(row["held_out"] for row in rows)  # who saw it copied it
