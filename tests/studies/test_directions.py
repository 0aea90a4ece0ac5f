"""The direction of a scale: part of the design, printed with the ranking, and followed by every ranking."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.records import Judgement
from assay.studies.analysis import CriterionAnalysis, analyze
from assay.studies.design import Design, Question
from assay.studies.kinds import kind_for, shared_direction
from assay.studies.methods import compare_methods
from assay.studies.perception import perception_matrix
from assay.studies.presets import preset, preset_names
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
SCALES = [
    pytest.param(name, question, id=f"{name}-{question.criterion}")
    for name in preset_names()
    for question in preset(name).questions
    if question.values or question.kind == "ranking"
]
WORST_FIRST = {"bad": "good", "surely machine": "surely human", "very informal": "very formal"}


def ratings(criterion: str, method: str, good: float, bad: float) -> list[Judgement]:
    return [
        Judgement(id=f"i{i}", system=name, annotator=who, criterion=criterion, value=value, method=method, question="1")
        for i in range(12)
        for who in "ab"
        for name, value in (("worse", bad), ("better", good))
    ]


def analysed(rows: list[Judgement], design: Design | None = None) -> CriterionAnalysis:
    (result,) = analyze(rows, samples=50, model=None, design=design).criteria
    return result


@pytest.mark.parametrize(("name", "question"), SCALES)
def test_every_preset_states_its_direction_and_is_ranked_by_it(name: str, question: Question) -> None:
    assert question.better
    low, high = (question.values[0], question.values[-1]) if question.values else (1, 2)
    good, bad = (low, high) if question.better == "lower" else (high, low)
    rows = ratings(question.criterion, question.kind, good, bad)
    for design in (preset(name), None):
        result = analysed(rows, design)
        assert [row.system for row in result.ranks] == ["better", "worse"]
        assert [row.mean for row in result.ranks] == [good, bad]
        assert result.better == result.ranks[0].better == question.better
    labels = question.labels
    ends = labels.get(str(bad)), labels.get(str(good))
    assert ends[0] not in WORST_FIRST.values()
    assert ends[0] is None or WORST_FIRST.get(ends[0], ends[1]) == ends[1]


def test_rating_kinds_without_a_stated_direction_have_one() -> None:
    assert kind_for(Question(criterion="c", kind="human-likeness", values=[1, 2])).lower_is_better
    assert not kind_for(Question(criterion="c", kind="likert", values=[1, 2])).lower_is_better


def test_a_design_turns_a_scale_around() -> None:
    rows = ratings("errors", "likert", 0, 4)
    scale = Question(criterion="errors", kind="likert", values=[0, 4], better="lower")
    assert analysed(rows).ranks[0].system == "worse"
    assert analysed(rows, Design(name="d", questions=[scale])).ranks[0].system == "better"
    both = [*rows, *ratings("errors", "slider", 90, 10)]
    assert {pair.verdict for pair in compare_methods(both)} == {"contradiction"}
    assert {pair.verdict for pair in compare_methods(both, Design(name="d", questions=[scale]))} == {"same"}


def test_the_threshold_and_direction_of_a_design_decide_who_is_taken_for_human() -> None:
    rows = ratings("h", "human-likeness", 5, 3)
    scale = Question(criterion="h", kind="human-likeness", values=[1, 5], better="higher", threshold=4.0)
    matrix = {row.system: row.share for row in analysed(rows, Design(name="d", questions=[scale])).perception}
    assert matrix == {"better": 1.0, "worse": 0.0}
    assert [row.share for row in perception_matrix(rows)] == [0.0, 0.0]


def test_commands_print_the_direction(tmp_path: Path, run: Run) -> None:
    rows = ratings("human-likeness", "human-likeness", 1.5, 4.5)
    path = write_jsonl(tmp_path / "j.jsonl", [json.loads(json.dumps(_fields(row))) for row in rows])
    for words in (("study", "analyze"), ("analyze", "agreement", "--rank")):
        call = run(*words, str(path), "--ci", "50")
        assert "lower is better" in call.out
        table = call.out[call.out.index("lower is better") :]
        assert table.index("better  ", 20) < table.index("worse  ")
    report = json.loads(run("study", "analyze", str(path), "--json").out)
    assert report["criteria"][0]["better"] == "lower"


def _fields(row: Judgement) -> dict[str, object]:
    return {name: getattr(row, name) for name in ("id", "system", "annotator", "criterion", "value", "method")}


def test_two_directions_are_not_averaged() -> None:
    with pytest.raises(AssayError, match="rank the judgements of each method separately"):
        shared_direction(["likert", "ranking"])
