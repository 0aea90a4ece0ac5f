"""Equivalence classes by experts: listed, proposed, compared, frozen, and answered by people."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.challenges.human_choices import choices_of
from assay.datasets.class_building import Listed, agreement, frozen, list_spans, propose_by_vectors, sheet_csv
from assay.datasets.class_page import class_page
from assay.datasets.equivalence_classes import read_classes
from assay.errors import AssayError
from assay.inputs.schema import FOMC, Category, Schema
from assay.records import Example, Judgement
from assay.records import write_jsonl as write_records
from tests.conftest import Call
from tests.support.processor_time import processor_seconds

Run = Callable[..., Call]
OWN = Schema("own", (Category("effect", start="<e>", end="</e>"),))


def targets(*spans: str) -> list[Example]:
    return [Example(id=f"t{n}", references=(f"It <e> {span} </e> .",)) for n, span in enumerate(spans)]


def test_spans_by_frequency_with_proposals() -> None:
    listed = list_spans(targets("eases pain", "eased the pain", "eases pain", "helps sleep"), "effect", OWN)
    assert [(one.span, one.count, one.proposed) for one in listed] == [
        ("eases pain", 2, "eases pain"), ("eased the pain", 1, "eases pain"), ("helps sleep", 1, "helps sleep"),
    ]  # fmt: skip
    assert listed[0].example == "It eases pain ."
    with pytest.raises(AssayError, match="act: no category of the schema own, which has effect"):
        list_spans([], "act", OWN)
    with pytest.raises(AssayError, match="no target has a span of act"):
        list_spans(targets("x"), "act", FOMC)


def test_parts_are_those_that_the_evaluation_matches() -> None:
    marked = [Example(id="a", references=("[ACT_START] cut rates (Did cut) [ACT_END] , [ACT_START] rose [ACT_END]",))]
    for part, expected in (
        ("text", ["cut rates"]),
        ("comment", ["Did cut"]),
        ("whole", ["cut rates (Did cut)", "rose"]),
    ):
        assert [one.span for one in list_spans(marked, "act", FOMC, part)] == expected


def test_proposals_by_similarity() -> None:
    import numpy as np

    vectors = {"a": [1.0, 0.0], "b": [0.9, 0.1], "c": [0.0, 1.0]}
    listed = [Listed(name, 1, name, "") for name in vectors]
    made = propose_by_vectors(listed, lambda texts: [np.array(vectors[text]) for text in texts], 0.8)
    assert [one.proposed for one in made] == ["a", "a", "c"]


def test_agreement_of_experts() -> None:
    """By hand: pairs together 2 and 1, common 1, of 6; expected 1/3, so ARI is (1 - 1/3) / (1.5 - 1/3) = 4/7."""
    one = {"p": "A", "q": "A", "r": "B", "s": "B", "t": "-"}
    other = {"p": "x", "q": "x", "r": "y", "s": "z", "t": "y"}
    made = agreement(one, other)
    assert made.rand == pytest.approx(4 / 7)
    assert made.f1 == pytest.approx(2 / 3)
    assert made.excluded == 0.8
    assert (made.disputed, made.pairs) == (("r", "s"), 1)


def test_disputes_among_many_spans() -> None:
    """The second expert splits the last of 700 pairs: its two spans are disputed, and no others."""
    one = {f"s{i}{side}": f"c{i}" for i in range(700) for side in "ab"}
    made = agreement(one, one | {"s699b": "other"})
    assert (made.disputed, made.pairs) == (("s699a", "s699b"), 1)


def test_freezing_a_sheet(here: Run, tmp_path: Path) -> None:
    sheet, file = tmp_path / "s.csv", tmp_path / "c.json"
    listed = [Listed("=cmd", 2, "-", ""), Listed("eases pain", 1, "pain", ""), Listed("helps sleep", 1, "sleep", "")]
    sheet.write_text(sheet_csv(listed))
    assert "'=cmd" in sheet.read_text()  # no formula in a spreadsheet
    arguments = ("data", "markup", "freeze", "--category", "effect", "--evaluation", "e", "-o", file)
    made = here(*arguments, sheet, "--json").json
    assert (made["classes"], made["members"], made["agreement"]) == (2, 2, None)
    (classes,) = read_classes(file)
    assert (list(classes.names), classes.classes) == (["pain", "sleep"], [["eases pain"], ["helps sleep"]])
    version = json.loads(file.read_text())[0]["version"]
    assert version == frozen({"eases pain": "pain", "helps sleep": "sleep"}, "e", "effect", "whole")["version"]
    second = tmp_path / "t.csv"
    second.write_text(sheet.read_text().replace(",sleep,", ",-,"))
    call = here(*arguments, sheet, second)
    assert "1 spans are disputed (first: 'helps sleep')" in call.err
    assert "Agreement on 3 spans" in call.out  # before disputes are settled
    assert here(*arguments, sheet, second, "--disputed", "first").code == 0
    assert here(*arguments, sheet, second, "--disputed", "exclude").code == 1  # one class is left
    sheet.write_text(sheet.read_text().replace(",pain,", ",,"))
    assert "s.csv:3: 'eases pain' has no class" in here(*arguments, sheet).err
    rows = json.loads(file.read_text())
    file.write_text(json.dumps([{**rows[0], "clases": []}]))
    with pytest.raises(AssayError, match="clases"):  # unknown keys are refused
        read_classes(file)


def test_the_page_is_small_and_safe() -> None:
    listed = [Listed(f"</script><b>{n}", 1, f"c{n}", "") for n in range(5000)]
    page = class_page(listed, "a <b>")
    assert processor_seconds(lambda: class_page(listed, "a <b>"), quick=1) < 1
    assert "</script><b>" not in page
    assert "a &lt;b&gt;" in page
    assert len(page) < 1_000_000


def test_people_answer_the_same_instances(here: Run, tmp_path: Path) -> None:
    choice = {"kind": "choice", "prefix": "It", "positive": "eases pain", "negative": "helps sleep"}
    instances = [Example(id=f"i{n}", source="Doc.", input=choice, tags={"evaluation": "e"}) for n in range(3)]
    write_records(tmp_path / "i.jsonl", instances)
    assert here("data", "markup", "people", tmp_path / "i.jsonl", "-o", tmp_path / "p").code == 0
    first = json.loads((tmp_path / "p/examples.jsonl").read_text().splitlines()[0])
    assert first["source"] == "Doc.\n\nIt …"
    assert here("study", "lint", tmp_path / "p/design.toml").code == 0

    def vote(id: str, who: str, value: float) -> list[Judgement]:
        return [
            Judgement(id=id, system=side, annotator=who, criterion="continuation", value=v)
            for side, v in (("a", value), ("b", 1 - value))
        ]

    rows = [*vote("i0", "x", 1), *vote("i1", "x", 0), *vote("i2", "x", 1), *vote("i2", "y", 0)]
    made, ties = choices_of(instances, rows)
    assert [row["correct"] for row in made] == [True, False, False]
    assert ties == 1
    with pytest.raises(AssayError, match="id i2: no judgement"):
        choices_of(instances, rows[:4])


def test_a_span_of_the_second_sheet_only(here: Run, tmp_path: Path) -> None:
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    first.write_text("span,class\na,A\nb,B\n")
    second.write_text("span,class\na,A\nb,B\nc,B\n")
    call = here(
        "data", "markup", "freeze", first, second, "--category", "x", "--evaluation", "e", "-o", tmp_path / "c.json"
    )
    assert (call.code, "1 spans are not in 1.csv (first: 'c')" in call.err) == (1, True)
