"""Tasks of designs: texts of one input, pairs, groups of all texts, samples by length, sentences."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.records import Example, Output
from assay.studies.design import Design, People, Presentation, Question, Sample
from assay.studies.events import Answer, MemoryStore
from assay.studies.presets import budget, preset
from assay.studies.sheets import assign_all, collect_sheet, sheet_records
from assay.studies.study import Study
from assay.studies.support import supporting_sentences
from assay.studies.tasks import plan_tasks

SENTENCES = "The mill burned. Nobody was hurt."


def outputs(items: int, *systems: str, text: str = SENTENCES) -> list[Output]:
    return [Output(id=f"i{i}", output=f"{text}", system=system) for i in range(items) for system in systems]


def design(kind: str, **more: object) -> Design:
    question = Question(criterion="c", kind=kind, labels={"RelE": "", "OutE": ""}, several=True, most=2)
    return Design(name="s", questions=[question], people=People(per_item=1), **more)  # type: ignore[arg-type]


def test_pairs_are_all_pairs_of_each_input() -> None:
    the_design = design("pairwise", sample=Sample(items=2, systems=3))
    plan = plan_tasks(the_design, outputs(4, "a", "b", "c"))
    assert len(plan.tasks) == budget(the_design).tasks == 6
    assert {tuple(text.system for text in task.texts) for task in plan.tasks} == {("a", "b"), ("a", "c"), ("b", "c")}


def test_groups_are_sampled_from_all_texts() -> None:
    the_design = design("choice", sample=Sample(items=4, systems=3, groups=5, by_source=False))
    examples = [Example(id=f"i{i}", source=f"prompt {i}") for i in range(4)]
    plan = plan_tasks(the_design, outputs(4, "a", "b", "c"), examples)
    assert [len(task.texts) for task in plan.tasks] == [5, 5, 2]
    assert budget(the_design).tasks == 3
    texts = [text for task in plan.tasks for text in task.texts]
    assert Counter((text.id, text.system) for text in texts) == Counter(
        {(f"i{i}", system): 1 for i in range(4) for system in "abc"}
    )
    assert all(text.source == f"prompt {text.id[1:]}" for text in texts)
    assert plan.tasks == plan_tasks(the_design, outputs(4, "a", "b", "c"), examples).tasks


def test_the_perception_study_samples_by_length() -> None:
    the_design = preset("perception")
    made = [
        Output(id=f"{system}-{n}-{i}", output=" ".join(["w"] * n), system=system)
        for system in ("gold", "gpt")
        for n in (10, 12, 15, 20, 25, 30, 35, 40)
        for i in range(60)
    ]
    plan = plan_tasks(the_design, made)
    texts = [text for task in plan.tasks for text in task.texts]
    assert Counter(len(text.text.split()) for text in texts) == dict.fromkeys((10, 15, 20, 25, 30, 35, 40), 100)
    assert [len(task.texts) for task in plan.tasks] == [70] * 10
    with pytest.raises(AssayError, match="gold: 40 items have a length of 40, 50 are required"):
        plan_tasks(
            the_design, [output for output in made if not (output.id.startswith("gold-40") and output.id[-2] > "3")]
        )


def test_every_sentence_is_judged() -> None:
    the_design = design("typology", presentation=Presentation(order="fixed"))
    plan = plan_tasks(the_design, outputs(1, "a", "b"))
    assert plan.tasks[0].texts[0].sentences == ("The mill burned.", "Nobody was hurt.")
    study = Study(the_design, MemoryStore())
    study.open(0.0, "salt")
    study.add_tasks(plan.tasks, 0.0)
    study.join("w", 0.0)
    assignment = study.next_task("w", 0.0)
    assert assignment
    answers = [Answer(text, "c", "NoE", f"sentence:{n}") for text in range(2) for n in range(2)]
    with pytest.raises(AssayError, match="no answer to sentence:1"):
        study.answer("w", assignment.id, answers[:-1], 1.0)
    with pytest.raises(AssayError, match="sentence:2 does not exist"):
        study.answer("w", assignment.id, [*answers, Answer(1, "c", "NoE", "sentence:2")], 1.0)
    study.answer("w", assignment.id, answers, 1.0)


@pytest.mark.parametrize(
    ("kind", "filled", "units"),
    [
        ("typology", ["RelE+OutE", "NoE"], ["sentence:0", "sentence:1"]),
        ("spans", [{"start": 0, "end": 3, "label": "RelE", "comment": "x"}], ["span:0-3"]),
        ("spans", [], []),
        ("free-text", ["mills", "old mills"], ["answer:0", "answer:1"]),
    ],
)
def test_sheets_of_every_kind(tmp_path: Path, kind: str, filled: list[object], units: list[str]) -> None:
    study = Study(design(kind), MemoryStore())
    study.open(0.0, "salt")
    study.add_tasks(plan_tasks(study.design, outputs(1, "a")).tasks, 0.0)
    (line,) = sheet_records(study, assign_all(study, ["w"], 0.0)["w"])
    line["answers"]["c"] = [filled]
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(line))
    assert collect_sheet(study, path, 1.0) == (1, 0)
    (assignment,) = study.assignments.values()
    assert [answer.unit for answer in assignment.answers] == units
    assert assignment.done


@pytest.mark.parametrize("filled", [[{"start": 1}], [[1]], [True]])
def test_invalid_entries_of_lists(tmp_path: Path, filled: list[object]) -> None:
    study = Study(design("spans"), MemoryStore())
    study.open(0.0, "salt")
    study.add_tasks(plan_tasks(study.design, outputs(1, "a")).tasks, 0.0)
    (line,) = sheet_records(study, assign_all(study, ["w"], 0.0)["w"])
    line["answers"]["c"] = [filled]
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(line))
    with pytest.raises(AssayError, match=r"c\[0\]"):
        collect_sheet(study, path, 1.0)


def test_supporting_passages() -> None:
    article = ["It rained.", "The old mill by the river burned down.", "Nobody was hurt.", "Prices rose."]
    assert supporting_sentences(article, "the old mill by the river burned") == [
        0,
        1,
        2,
    ]  # shared from the third word on
    assert supporting_sentences(article, "The old mill fell") == []
    assert supporting_sentences(article, "The old mill by the", neighbours=0) == [1]


@given(st.lists(st.text("ab .", max_size=30), max_size=4), st.text("ab .", max_size=30))
def test_supporting_passages_are_those_with_a_run_of_words(article: list[str], sentence: str) -> None:
    """As in FRANK: a run is searched as text, so that it may begin and end within words."""
    split = sentence.split()
    runs = [" ".join(split[start : start + 5]) for start in range(0, len(split) - 4, 2)]
    expected = [i for i, text in enumerate(article) if any(run in " ".join(text.split()) for run in runs)]
    assert supporting_sentences(article, sentence, neighbours=0) == expected


def test_ids_of_judged_outputs_name_their_inputs() -> None:
    judged = [Output(id=f"i{i}/{name}", output=SENTENCES, system=name) for i in range(2) for name in "ab"]
    examples = [Example(id=o.id, source=f"about {o.id[:2]}", tags={"system": o.system or ""}) for o in judged]
    plan = plan_tasks(design("choice"), judged, examples)
    assert [(task.id, task.source, len(task.texts)) for task in plan.tasks] == [
        ("i0", "about i0", 2), ("i1", "about i1", 2),
    ]  # fmt: skip


def test_inputs_without_outputs_of_all_systems() -> None:
    some = [*outputs(2, "a"), *outputs(1, "b")]
    plan = plan_tasks(design("choice"), some)
    assert plan.notes == ["1 inputs are left out: not every system has an output for them"]
    with pytest.raises(AssayError, match="no input has outputs of all systems"):
        plan_tasks(design("choice"), [Output(id="1", output="x", system="a"), Output(id="2", output="x", system="b")])


def test_empty_texts_are_named_before_annotators_see_them() -> None:
    plan = plan_tasks(
        design("choice"), [*outputs(3, "a"), *outputs(2, "b", text=" "), Output(id="i2", output="x", system="b")]
    )
    assert plan.notes == ["b: 2 of 3 texts are empty, and are shown as they are"]


def test_a_group_of_entities_fills_the_gaps_of_tesas_prompt() -> None:
    group = {"kind": "entities", "type": "location", "entities": ["Wexley", "Ostrey", "Pellgate"], "title": "Ports"}
    example = Example(id="i", input=group | {"background": ["", "", ""], "context": "Wexley, Ostrey and Pellgate."})
    plan = plan_tasks(preset("tesa"), [Output(id="i", output="ports", system="a")], [example])
    text = plan.tasks[0].texts[0]
    assert text.fields == {"entities": "Wexley, Ostrey and Pellgate", "number": "three", "type": "areas"}
    prompt = preset("tesa").questions[0].text
    for name, value in text.fields.items():
        prompt = prompt.replace("{" + name + "}", value)
    assert prompt == "In this article, Wexley, Ostrey and Pellgate are discussed. The three areas..."


def test_a_text_that_no_page_can_show_is_refused() -> None:
    """Every page with it splits it into sentences; one of 40 MB held up all studies for a minute a page."""
    lines = [
        json.dumps({"id": "t", "source": "a " * 500_001, "texts": [{"id": "x", "system": "s", "text": "a"}]}),
        json.dumps({"id": "t", "texts": [{"id": "x", "system": "s", "text": "a " * 500_001}]}),
    ]
    pytest.importorskip("sqlalchemy")
    from assay.studies.server.tasks_file import parse_tasks

    for line in lines:
        with pytest.raises(AssayError, match="1,000,002 characters, at most 1,000,000"):
            parse_tasks(line, "x.jsonl", design("choice"))
