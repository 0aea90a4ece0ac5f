"""Event templates as text."""

# ruff: noqa: E501 -- expected texts are in one piece

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets import dataset
from assay.errors import AssayError
from assay.inputs import form
from assay.inputs.events import EventTemplate
from assay.records import Example
from assay.records.inputs import read_input
from assay.records.kinds import Event

TEMPLATE: dict[str, Any] = {
    "type": "arson", "completion": "attempted", "date": [], "location": ["mill"], "perpind": [], "perporg": [],
    "target": ["a barn", "a cart"], "victim": [], "weapon": ["matches"],
}  # fmt: skip
EXAMPLE = Example(id="d.1", input={"kind": "event", "template": TEMPLATE, "document": ["A barn.", "It burned."]})

CLEAN = (
    "SEPstage of completion: attemptedSEPdate: SEPlocation: millSEPindividual perpetrators: SEPorganizations "
    "responsible: SEPphysical targets: a barn, a cartSEPevent type: arsonSEPvictims: SEPweapons: matchesSEP"
)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("fields=template_only:separator=SEP", CLEAN),
        (
            "fields=template_only:separator=SEP:compat=eks-release",
            "SEPstage of completion: attemptedSEPdate: stage of completion: attemptedSEPlocation: millSEPindividual "
            "perpetrators: location: millSEPorganizations responsible: individual perpetrators: location: "
            "millSEPphysical targets: a barn, a cartSEPevent type: arsonSEPvictims: event type: arsonSEPweapons: "
            "matchesSEP",
        ),
        (
            "fields=template_only:separator=|:order=paper:empty=drop",
            "|event type: arson|completion: attempted|location: mill|physical targets: a barn, a cart|"
            "weapons: matches|",
        ),
        (
            "fields=template_only:separator=|:descriptions=false:empty=drop",
            "|attempted|mill|a barn, a cart|arson|matches|",
        ),
        ("fields=document_only:prefix=summarize it! ", "summarize it!A barn. It burned."),
        ("fields=document_with_type", "A barn. It burned. arson"),
        ("separator=SEP", f"A barn. It burned. {CLEAN}"),
    ],
)
def test_event_fields_are_written_by_setting(options: str, expected: str) -> None:
    assert form(f"event-template:{options}").render(EXAMPLE) == expected


def test_the_released_and_the_clean_form_of_a_published_template(shared_data: Callable[[str], Path]) -> None:
    """TST4-MUC4-0001.1 has date, organization and victim empty; fillers come from the file."""
    folder = shared_data("eks/data/mucsum")
    example = next(e for e in dataset("mucsum").read(folder, "test") if e.id == "TST4-MUC4-0001.1")
    event = read_input(example, Event)
    assert not [*event.fillers("date"), *event.fillers("perporg"), *event.fillers("victim")]
    place, who, target, weapon = (", ".join(event.fillers(key)) for key in ("location", "perpind", "target", "weapon"))
    released = form("event-template:fields=template_only:separator=SEP:eks-release").render(example)
    assert released == (
        "SEPstage of completion: accomplishedSEPdate: stage of completion: accomplishedSEP"
        f"location: {place}SEPindividual perpetrators: {who}SEPorganizations responsible: individual perpetrators: {who}SEPphysical targets: {target}"
        f"SEPevent type: bombingSEPvictims: event type: bombingSEPweapons: {weapon}SEP"
    )
    clean = form("event-template:fields=template_only:separator=SEP").render(example)
    assert clean == (
        f"SEPstage of completion: accomplishedSEPdate: SEPlocation: {place}SEPindividual perpetrators: {who}SEP"
        f"organizations responsible: SEPphysical targets: {target}SEPevent type: bombingSEPvictims: "
        f"SEPweapons: {weapon}SEP"
    )


@pytest.mark.parametrize(("split", "touched"), [("train", 1099), ("dev", 187), ("test", 204)])
def test_the_defect_touches_as_many_items_as_reported(
    shared_data: Callable[[str], Path], split: str, touched: int
) -> None:
    folder = shared_data("eks/data/mucsum")
    clean = form("event-template:fields=template_only")
    released = form("event-template:fields=template_only:eks-release")
    examples = list(dataset("mucsum").read(folder, split))
    assert sum(clean.render(example) != released.render(example) for example in examples) == touched


def test_prompts_are_those_the_authors_sent(shared_data: Callable[[str], Path]) -> None:
    """White space aside; eight prompts were made from an older version of the templates."""
    path = shared_data("eks/model_outputs/chatgpt/temp_and_doc/prompt2_test_preds.jsonl")
    examples = {e.id: e for e in dataset("mucsum").read(shared_data("eks/data/mucsum"), "test")}
    prompt = form("event-prompt")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    sent = {row["instance_id"]: "".join(row["user_prompt"].split()) for row in rows}
    assert len(sent) == 209
    other = [id for id, text in sent.items() if "".join(prompt.render(examples[id]).split()) != text]
    assert len(other) == 8


FILLER = st.text(alphabet="abc '-", min_size=1, max_size=8).map(str.strip).filter(bool)
TEMPLATES = st.fixed_dictionaries(
    {"type": FILLER, "completion": FILLER}
    | {
        role: st.lists(FILLER, max_size=3)
        for role in ("date", "location", "perpind", "perporg", "target", "victim", "weapon")
    }
)


@given(
    TEMPLATES,
    st.sampled_from(("released", "paper")),
    st.sampled_from(("keep", "drop")),
    st.sampled_from(("</s>", "|", "SEP")),
)
def test_a_template_can_be_read_back(template: dict[str, Any], order: Any, empty: Any, separator: str) -> None:
    chosen = EventTemplate(fields="template_only", order=order, empty=empty, separator=separator)
    back = chosen.read(chosen.template(Event(template=template)))
    expected = {key: [value] if isinstance(value, str) else value for key, value in template.items()}
    assert {key: values for key, values in back.items() if values} == {
        key: values for key, values in expected.items() if values
    }


def test_texts_that_cannot_be_read_back_are_reported() -> None:
    chosen = EventTemplate(separator="|")
    for text in ("", "event type: x", "|what: x|", "|event type|"):
        with pytest.raises(AssayError):
            chosen.read(text)
    with pytest.raises(AssayError, match="cannot be read back"):
        form("event-prompt").read("x")


def test_another_kind_of_input_is_refused_by_id() -> None:
    with pytest.raises(AssayError, match="id x: form event-template writes event inputs; this one has triples"):
        form("event-template").render(Example(id="x", input={"kind": "triples"}))
