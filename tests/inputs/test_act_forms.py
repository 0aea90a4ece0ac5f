"""Dialog acts as text."""

# ruff: noqa: E501 -- expected texts are in one piece

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets import dataset
from assay.errors import AssayError
from assay.inputs import form
from assay.inputs.acts import read_templates, template_key, templated
from assay.records import Example
from assay.records.inputs import read_input
from assay.records.kinds import Act, Acts, Utterance


def _act(name: str, slot: str = "", *values: str) -> Act:
    return Act(name, slot, list(values))


BUS = Example(
    id="b.1",
    input=Acts(
        service="Buses_2",
        acts=[_act("OFFER", "departure_time", "8:30 am"), _act("OFFER", "price", "$23"), _act("OFFER", "fare_type", "Economy")],
        context=[Utterance("user", "One?"), Utterance("sys", "Two."), Utterance("user", "Three?")],
    ).plain(),
)  # fmt: skip
GIVEN = "Buses_2 __sep__ OFFER departure_time 8:30 am, OFFER price $23, OFFER fare_type Economy"
SORTED = "Buses_2 __sep__ OFFER departure_time 8:30 am, OFFER fare_type Economy, OFFER price $23"
TEMPLATES = (
    "OFFER!!departure_time!!@\tOne goes at @,\nOFFER!!price!!@\tfor @.\nOFFER!!fare_type!!@\tYou would sit in @.\n"
)
TEMPLATED = "Buses_2 __sep__ One goes at 8:30 am, for $23. You would sit in Economy."


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("order=given", GIVEN),
        ("order=sorted", SORTED),
        ("context=1", f"{SORTED} __sep__ user: Three?"),
        ("context=2", f"{SORTED} __sep__ sys: Two. user: Three?"),
        ("context5", f"{SORTED} __sep__ user: One? sys: Two. user: Three?"),
        ("style=call", "Buses_2 __sep__ OFFER(departure_time=8:30 am), OFFER(fare_type=Economy), OFFER(price=$23)"),
    ],
)
def test_acts_are_written_in_all_styles(options: str, expected: str) -> None:
    assert form(f"acts:{options}").render(BUS) == expected


def test_acts_are_written_by_templates(tmp_path: Path) -> None:
    (tmp_path / "Buses_2.tsv").write_text(TEMPLATES)
    assert form(f"acts:style=template:templates={tmp_path}").render(BUS) == TEMPLATED
    prompted = form(f"acts:style=template:context=1:templates={tmp_path}").render(BUS)
    assert prompted == f"{TEMPLATED} __sep__ user: Three?"
    with pytest.raises(AssayError, match="needs templates=FOLDER"):
        form("acts:style=template").render(BUS)


def test_the_published_record_in_all_forms(shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    """Dialogue 89_00034, turn 7, has the acts that stand above; the context is taken from the file."""
    example = next(
        e
        for e in dataset("schema_guided_dialog").read(shared_data("sgd/train/dialogues_089.json"))
        if e.tags["dialogue"] == "89_00034" and e.tags["turn"] == "7"
    )
    turns = read_input(example, Acts).context
    assert [turn.speaker for turn in turns] == ["user", "sys", "user", "sys", "user"]
    spoken = " ".join(f"{turn.speaker}: {turn.text}" for turn in turns)
    (tmp_path / "Buses_2.tsv").write_text(TEMPLATES)
    by_form = {
        "acts:order=given": GIVEN,
        "acts": SORTED,
        "acts:prompt": f"{SORTED} __sep__ user: {example.source}",
        "acts:context5": f"{SORTED} __sep__ {spoken}",
        f"acts:style=template:templates={tmp_path}": TEMPLATED,
        f"acts:style=template:prompt:templates={tmp_path}": f"{TEMPLATED} __sep__ user: {example.source}",
        f"acts:style=template:context5:templates={tmp_path}": f"{TEMPLATED} __sep__ {spoken}",
    }
    assert {name: form(name).render(example) for name in by_form} == by_form
    assert (turns[-1].speaker, turns[-1].text) == ("user", example.source)


@pytest.mark.parametrize(
    ("act", "method", "key"),
    [
        (_act("OFFER", "price", "$23"), "", "OFFER!!price!!@"),
        (_act("REQUEST", "type", "A", "B"), "", "REQUEST!!type!!@!!@"),
        (_act("CONFIRM", "wifi", "True"), "", "CONFIRM!!wifi!!True"),
        (_act("GOODBYE"), "", "GOODBYE"),
        (_act("NOTIFY_FAILURE"), "BuyTicket", "NOTIFY_FAILURE!!BuyTicket"),
        (_act("INFORM_COUNT", "count", "3"), "FindBus", "INFORM_COUNT!!FindBus!!count!!@"),
        (_act("OFFER_INTENT", "intent", "BuyTicket"), "", "OFFER_INTENT!!BuyTicket"),
    ],
)
def test_template_keys(act: Act, method: str, key: str) -> None:
    assert template_key(act, method) == key


def test_template_errors_name_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="NOTIFY_SUCCESS needs the intent"):
        template_key(_act("NOTIFY_SUCCESS"), "")
    with pytest.raises(AssayError, match="no template for OFFER!!x!!@ of service S"):
        templated(Acts(service="S", acts=[_act("OFFER", "x", "1")], context=[]), {})
    path = tmp_path / "S.tsv"
    path.write_text("OFFER!!x!!@\tno place for it\n")
    with pytest.raises(AssayError, match=r"S\.tsv:1"):
        read_templates(path)


def test_acts_are_ordered_by_precedence_and_confirmations_introduced() -> None:
    acts = [_act("CONFIRM", "a", "1@2"), _act("GOODBYE"), _act("REQUEST", "b")]
    templates = {"CONFIRM!!a!!@": "A is @.", "GOODBYE": "Bye.", "REQUEST!!b": "Which b?"}
    assert (
        templated(Acts(service="S", acts=acts, context=[]), templates)
        == "Please confirm the following details: Which b? A is 1@2. Bye."
    )


WORD = st.text(alphabet="abc_:$", min_size=1, max_size=5)


@given(st.lists(st.builds(_act, st.sampled_from(("OFFER", "INFORM")), WORD, WORD), max_size=4), WORD, st.integers(0, 5))
def test_acts_can_be_read_back(acts: list[Act], service: str, context: int) -> None:
    structure = Acts(service=service, acts=acts, context=[Utterance("user", "hi")])
    example = Example(id="x", input=structure.plain())
    chosen = form(f"acts:order=given:context={context}")
    back = chosen.read(chosen.render(example))
    if acts:
        assert back["service"] == service
        assert back["acts"] == [f"{act.act} {act.slot} {act.values[0]}" for act in acts]
        assert back["context"] == ("user: hi" if context else "")
