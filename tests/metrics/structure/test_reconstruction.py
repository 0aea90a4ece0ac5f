"""Reconstruction match: what is invented, left out and said twice; a small model that reads acts from replies."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.inputs.labelled import SERVICE
from assay.metrics.structure.reconstruction import Reconstruction, Structure, compare_structures, reconstructed
from assay.metrics.structure.slot_forms import e2e_forms
from assay.metrics.structure.slot_values import compare_values
from assay.models.context import Context
from assay.models.extractor import ExtractedSpan
from assay.records import Example
from assay.records.items import Items
from assay.records.kinds import Act

ASKED = Structure("Services_4", [Act("REQUEST", "type", ["Psychologist", "Psychiatrist"])])


def read(*values: str, service: str = "Services_4", said: tuple[str, ...] = ()) -> Structure:
    spans = [ExtractedSpan("REQUEST type", 10 * i, 10 * i + 5, value, 0.9) for i, value in enumerate(values)]
    whole = [ExtractedSpan(label, -1, -1, "", 0.8) for label in said]
    return reconstructed(
        [
            *spans,
            *whole,
            ExtractedSpan(f"{SERVICE}{service}", -1, -1, "", 0.3),
            ExtractedSpan("REQ_MORE", -1, -1, "", 0.4),
        ]
    )


def test_the_same_line_or_the_same_set() -> None:
    assert ASKED.line == "Services_4 __sep__ REQUEST type Psychologist Psychiatrist"
    assert read("Psychologist", "Psychiatrist").line == ASKED.line
    turned = read("psychiatrist", "Psychologist")
    assert turned.line != ASKED.line
    assert compare_structures(ASKED, turned) == ([], [], [])
    assert read("Psychologist", "Psychiatrist", service="Doctors_1").line != ASKED.line


def test_acts_are_sorted_as_strings() -> None:
    offered = [
        Act("OFFER", "departure_time", ["8:30 am"]),
        Act("OFFER", "price", ["$23"]),
        Act("OFFER", "fare_type", ["Economy"]),
    ]
    line = "Buses_2 __sep__ OFFER departure_time 8:30 am, OFFER fare_type Economy, OFFER price $23"
    assert Structure("Buses_2", offered).line == line


@pytest.mark.parametrize(
    ("values", "said", "missing", "invented", "duplicated"),
    [
        (("Psychiatrist", "Psychiatrist"), (), ["psychologist"], [], ["psychiatrist"]),
        (("Psychiatrist",), (), ["psychologist"], [], []),
        (("Psychologist", "Psychiatrist", "Dentist"), (), [], ["dentist"], []),
        (("Psychologist", "Psychiatrist"), ("INFORM open True",), [], ["true"], []),
    ],
)
def test_what_is_invented_missing_and_said_twice(
    values: tuple[str, ...], said: tuple[str, ...], missing: list[str], invented: list[str], duplicated: list[str]
) -> None:
    found = compare_structures(ASKED, read(*values, said=said))
    assert [[value for _, value in kind] for kind in found] == [missing, invented, duplicated]


def test_the_check_by_rules_sees_the_same_cases() -> None:
    """`slot_error` needs no model: invented, left out and repeated values of the published examples."""
    mr = {
        "kind": "slots",
        "slots": [["name", "The Wrestlers"], ["customer rating", "5 out of 5"], ["familyFriendly", "yes"]],
    }
    example = Example(id="1", input=mr)
    good = compare_values(example, "The Wrestlers is a 5 out of 5 rated family friendly venue .", e2e_forms())
    assert not good.missing
    assert not good.added
    sushi = compare_values(example, "The Wrestlers is a 5 out of 5 rated family friendly sushi bar .", e2e_forms())
    assert "food" in {each.slot for each in sushi.added}
    assert compare_values(example, "The Wrestlers is family friendly .", e2e_forms()).missing
    asked = {"kind": "acts", "service": "Services_4", "context": [],
             "acts": [{"act": "REQUEST", "slot": "type", "values": ["Psychologist", "Psychiatrist"]}]}  # fmt: skip
    acts = Example(id="2", input=asked)
    both = compare_values(acts, "Do you need a Psychiatrist or a Psychologist ?", e2e_forms())
    assert not both.missing
    twice = compare_values(acts, "Do you need a Psychiatrist or a Psychiatrist ?", e2e_forms())
    assert [each.value for each in twice.missing] == ["Psychologist"]


def test_a_trained_model_reads_acts_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from assay.execution.training.kinds import read_recipe, train_model

    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    towns = ["Lund", "Bergen", "Turku", "Aarhus", "Oslo"]
    examples = [
        Example(id=f"{town}{hour}", references=(f"A bus to {town} leaves at {hour} . Shall I book it ?",),
                input={"kind": "acts", "service": "Buses", "context": [], "acts": [
                    {"act": "OFFER", "slot": "town", "values": [town]},
                    {"act": "OFFER", "slot": "time", "values": [hour]},
                    {"act": "OFFER_INTENT", "slot": "intent", "values": ["Book"]}]})
        for town in towns for hour in ("9:00", "10:30", "11:15", "12:45")
    ] + [
        Example(id=f"ask{i}", references=(text,), input={"kind": "acts", "service": "Buses", "context": [], "acts": [
            {"act": "REQUEST", "slot": "town", "values": []}]})
        for i, text in enumerate(["Where do you want to go ?", "To which town do you want to go ?", "Where to ?"] * 3)
    ]  # fmt: skip
    kind, recipe = read_recipe("extractor:tiny:epochs=40:lr=1e-2:select=f1:vocabulary=300")
    trained = train_model(kind, recipe, examples, examples, tmp_path / "model", None, lambda line: None)
    assert trained["selected"] > 0.95
    own = [example.references[0] for example in examples]
    spec = f"reconstruction:model={tmp_path / 'model'}"
    result = assay.score(own, examples=examples, metrics=[spec])
    assert result.values["reconstruction.set"] > 0.8
    assert "model:model-" in result.scores["reconstruction"].signature
    wrong = ["A bus to Lund leaves at 9:00 . Shall I book it ?"] * len(own)
    worse = assay.score(wrong, examples=examples, metrics=[spec])
    assert worse.values["reconstruction.set"] < 0.2
    assert worse.values["reconstruction.missing"] > 0.4


def test_what_is_missing_is_named() -> None:
    example = Example(id="1", input={"kind": "acts", "service": "Buses", "context": [],
                                     "acts": [{"act": "REQ_MORE", "slot": None, "values": []}]})  # fmt: skip
    assert (
        "assay system train extractor"
        in assay.score(["x"], examples=[example], metrics=["reconstruction"]).skipped[0].why
    )
    other = Example(id="1", input={"kind": "concepts", "concepts": ["x"]})
    skipped = assay.score(["x"], examples=[other], metrics=["reconstruction:model=minilm"]).skipped
    assert "kind acts" in skipped[0].why


def test_a_text_model_recovers_slots_and_triples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact strings, parts in any order, and the three kinds of error, with a reader whose answers are known."""
    from assay.systems.base import Answer
    from assay.systems.neural.hugging_face import Model

    lines = {
        "right": "name[Alder], food[Thai]",
        "reordered": "food[Thai], name[Alder]",
        "wrong": "name[Alder], food[Greek], name[Alder]",
        "fact": "<SUB> Alder <PRED> near <OBJ> river",
    }
    (tmp_path / "config.json").write_text('{"is_encoder_decoder": true}', encoding="utf-8")
    monkeypatch.setattr(Model, "generate", lambda self, some: (Answer(one.id, lines[one.source]) for one in some))
    slots = {"kind": "slots", "slots": [["name", "Alder"], ["food", "Thai"]]}
    facts = {"kind": "triples", "triples": [["Alder", "near", "river"]]}
    inputs = {"right": slots, "reordered": slots, "wrong": slots, "fact": facts}
    examples = tuple(Example(id=name, input=given) for name, given in inputs.items())
    metric = Reconstruction(model=str(tmp_path))
    items = Items(tuple(lines), examples)
    assert metric.unfit(items) is None
    rows = metric.compute(items, Context())
    sums = metric.values(rows.values.sum(axis=0, keepdims=True))
    assert {name: float(value[0]) for name, value in sums.items()} == {
        "reconstruction": 2 / 4, "reconstruction.set": 3 / 4, "reconstruction.missing": 1 / 7,
        "reconstruction.invented": 1 / 7, "reconstruction.duplicated": 1 / 7,
    }  # fmt: skip
    assert "structured inputs" in str(metric.unfit(Items(("a",), (Example(id="1"),))))
