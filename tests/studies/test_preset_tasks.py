"""Every preset over 3, 4, 5 and 7 systems: groups follow the input, what is shown, and traps like any other text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from assay.errors import AssayError
from assay.records import Example, Output
from assay.studies.design import Design, parse_design
from assay.studies.events import Check, MemoryStore
from assay.studies.kinds import kind_for, texts_per_task
from assay.studies.lint import lint
from assay.studies.presets import preset, preset_names
from assay.studies.sheets import answer_help, assign_all, sheet_records
from assay.studies.study import Study
from assay.studies.tasks import plan_tasks
from assay.studies.traps import with_checks

SYSTEMS = (3, 4, 5, 7)
EVENT = {"type": "arson", "perpind": ["Bo"], "target": ["the mill"]}


def example(number: int) -> Example:
    """An input that has a source, an event and entities as the presets need them."""
    return Example(
        id=f"n{number}", source=f"Article {number}. Bo burned mill {number}. It was dark.",
        input={"kind": "event", "template": EVENT | {"location": [f"place {number}"]}},
    )  # fmt: skip


def group(number: int) -> Example:
    return Example(
        id=f"n{number}", source="Ada met Ben.",
        input={"kind": "entities", "type": "person", "entities": ["Ada", "Ben"], "background": ["", ""], "title": "T",
               "context": "Ada met Ben."},
    )  # fmt: skip


def small(name: str, items: int = 6) -> Design:
    """The preset on few inputs, with an own trap in each task where it has traps."""
    design = preset(name)
    sample = msgspec.structs.replace(design.sample, items=items, lengths=[], shared=True)
    traps = min(1, design.quality.traps_per_task)
    quality = msgspec.structs.replace(design.quality, traps_per_task=traps)
    return msgspec.structs.replace(design, sample=sample, quality=quality)


def planned(design: Design, systems: int) -> Iterator[dict[str, Any]]:
    """Yield the sheets of a study of synthetic outputs."""
    make = group if design.name == "tesa" else example
    examples = [make(number) for number in range(6)]
    outputs = [
        Output(id=one.id, output=f"System {s} says mill {one.id} burned. Nobody saw it.", system=f"s{s}")
        for one in examples
        for s in range(systems)
    ]
    plan = plan_tasks(design, outputs, examples)
    traps = {one.id: [Check("trap", "Cats burned the mill.", "")] for one in examples}
    study = Study(design, MemoryStore())
    study.open(0.0, "salt")
    study.add_tasks(with_checks(design, plan.tasks, traps), 0.0)
    people = [f"p{number}" for number in range(design.people.per_item or 1)]
    for assignments in assign_all(study, people, 0.0).values():
        for assignment, record in zip(assignments, sheet_records(study, assignments), strict=True):
            task = study.tasks[assignment.task]
            order = list(study.layout(assignment))
            yield record | {"task": task, "order": order, "traps": [n >= len(task.texts) for n in order]}


@pytest.mark.parametrize("name", preset_names())
def test_a_sheet_states_the_scale_or_the_labels(name: str) -> None:
    """Whoever fills in a sheet has no page that lists them."""
    for question in preset(name).questions:
        told = answer_help(question)
        wanted = [*question.labels, *question.labels.values()] if question.labels else []
        scale = [] if kind_for(question).scale == "continuous" else [str(value) for value in question.values]
        assert [word for word in (*wanted, *scale) if word not in told] == []
        assert told


@pytest.mark.parametrize("systems", SYSTEMS)
@pytest.mark.parametrize("name", preset_names())
def test_groups_sources_and_traps(name: str, systems: int) -> None:
    design = small(name)
    sheets = list(planned(design, systems))
    assert sheets
    pair = texts_per_task(design.questions)
    for sheet in sheets:
        ids = {text.id for text in sheet["task"].texts}
        if design.sample.by_source or pair:
            assert len(ids) == 1  # groups follow the input, whatever the number of systems
            assert sheet["source"], "a task shows its source"
        else:
            assert all(sheet["sources"])
        for key in ("sentences", "sources"):  # a trap has whatever the texts have
            if key in sheet:
                assert len({bool(entry) for entry in sheet[key]}) == 1
                assert len(sheet[key]) == len(sheet["texts"])
        assert all(text.strip() for text in sheet["texts"])
        if design.quality.traps_per_task:
            assert any(sheet["traps"])
            lengths = [len(entry) for entry in sheet.get("sentences", [])]
            assert min(lengths, default=1) >= 1


def test_the_event_of_event_keyed_summaries_is_shown() -> None:
    """Two events of one document are told apart by what is shown."""
    shown = {sheet["source"] for sheet in planned(small("eks"), 6)}
    assert all("event type: arson" in source and "individual perpetrators: Bo" in source for source in shown)
    assert len({source.partition("\n\n")[0] for source in shown}) == 6
    assert preset("eks").people.recruitment.startswith("three volunteers")


def test_a_question_about_something_that_is_not_shown() -> None:
    design = preset("eks")
    outputs = [Output(id=f"n{n}", output="x", system=s) for n in range(3) for s in "ab"]
    plain = [Example(id=f"n{n}", source="text") for n in range(3)]
    said = "question 'overall' refers to the event, which 3 of 3 inputs do not have"
    assert any(note.startswith(said) for note in plan_tasks(design, outputs, plain).notes)
    assert any("refers to the event" in note for note in plan_tasks(design, outputs).notes)
    hidden = msgspec.structs.replace(design.presentation, shows=["source"])
    rules = [one.rule for one in lint(msgspec.structs.replace(design, presentation=hidden)).findings]
    assert "not-shown" in rules
    assert "not-shown" not in [one.rule for one in lint(design).findings]


def test_the_names_of_a_group_are_shown() -> None:
    design = small("tesa")
    (sheet, *_) = planned(design, 3)
    assert sheet["task"].texts[0].fields == {"entities": "Ada and Ben", "number": "two", "type": "people"}
    plan = plan_tasks(design, [Output(id="n1", output="x", system="a")], [Example(id="n1", source="s")])
    assert any("refers to the entities" in note for note in plan.notes)


def test_a_design_names_its_schema() -> None:
    fields = {"name": "x", "questions": [{"criterion": "c", "kind": "spans", "schema": "fomc"}]}
    (question,) = parse_design(fields, "x").questions
    assert list(question.labels)[:2] == ["std_sentence", "attribution"]
    assert question.required == ["std_sentence", "actor", "reference", "act"]
    fields["questions"][0]["typology"] = "frank"  # type: ignore[index]
    with pytest.raises(AssayError, match="exclude each other"):
        parse_design(fields, "x")
