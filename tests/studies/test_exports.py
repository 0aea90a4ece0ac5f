"""Exports of a study: anonymous and complete."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets.frank_typology import CATEGORIES, GROUPS, LABELS
from assay.errors import AssayError
from assay.records import Judgement
from assay.studies.comparability import comparability
from assay.studies.datasheet import datasheet, datasheet_markdown
from assay.studies.design import Design, People, Question, read_design
from assay.studies.events import Answer, Journal, Task, Text
from assay.studies.exports import frank_records, gem_csv
from assay.studies.presets import preset, preset_names
from assay.studies.study import Study
from tests.conftest import Call, read_jsonl

Run = Callable[..., Call]
DESIGN = """
name = "s"
instructions = "Read | it <b>well</b>"
[[questions]]
criterion = "fluency"
kind = "likert"
values = [1, 2, 3]
[people]
per_item = 1
"""


def vote(sentence: int, who: int, value: str, id: str = "h/bart", system: str = "bart") -> Judgement:
    return Judgement(
        id=id, system=system, annotator=f"a{who}", criterion="error", value=value, unit=f"sentence:{sentence}"
    )


@given(st.lists(st.lists(st.sampled_from(LABELS), min_size=3, max_size=3), min_size=1, max_size=6))
def test_frank_s_column_identities_hold_for_any_votes(sentences: list[list[str]]) -> None:
    (record,) = frank_records([vote(n, k, value) for n, votes in enumerate(sentences) for k, value in enumerate(votes)])
    assert (record["hash"], record["model_name"], record["sentences"]) == ("h", "bart", len(sentences))
    errors = {name: record["Other"] - record[name] for name in CATEGORIES}
    assert record["Factuality"] == pytest.approx(record["Other"] - sum(errors.values()))
    for group, members in GROUPS.items():
        assert record[group] == pytest.approx(record["Other"] - sum(errors[name] for name in members))
        assert record[f"Flip_{group}"] == pytest.approx(record["Factuality"] + sum(errors[name] for name in members))
    assert all(record[f"Flip_{name}"] == pytest.approx(record["Factuality"] + errors[name]) for name in CATEGORIES)
    assert record["Flip_Other"] == record["Factuality"]
    right = sum(votes.count("NoE") >= 2 for votes in sentences)
    assert record["Factuality"] == pytest.approx(right / len(sentences))


def test_votes_by_hand() -> None:
    rows = [vote(0, k, v) for k, v in enumerate(["NoE", "NoE", "RelE"])]
    rows += [vote(1, k, v) for k, v in enumerate(["RelE", "RelE+OutE", "NoE"])]
    rows += [vote(2, k, v) for k, v in enumerate(["EntE", "OutE", "RelE"])]
    (record,) = frank_records(rows)
    assert record["Factuality"] == pytest.approx(1 / 3)
    assert record["RelE"] == pytest.approx(1 / 3)
    assert record["EntE"] == record["Other"] == pytest.approx(2 / 3)
    with pytest.raises(AssayError, match="two votes"):
        frank_records([*rows, rows[0]])
    with pytest.raises(AssayError, match="no votes on sentences"):
        frank_records([])


def test_gem_s_table_guards_formulas() -> None:
    rows = [Judgement(id="=1+1", system="t5", annotator="p", criterion="c", value=4.0, position=2)]
    (row,) = csv.DictReader(gem_csv(rows).splitlines())
    assert row["gem_id"] == "'=1+1"
    assert (row["submission"], row["value"], row["position"], row["seconds"]) == ("t5", "4.0", "2", "")


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    (tmp_path / "d.toml").write_text(DESIGN)
    study = Study(read_design(tmp_path / "d.toml"), Journal(tmp_path / "j.jsonl"))
    study.open(0.0, "salt")
    study.add_tasks([Task(f"t{i}", (Text(f"i{i}", "a", "one"), Text(f"i{i}", "b", "two"))) for i in range(3)], 0.0)
    for who in ("WORKER-1", "WORKER-2"):
        study.join(who, 0.0)
        assignment = study.next_task(who, 0.0)
        assert assignment
        study.answer(who, assignment.id, [Answer(0, "fluency", 2), Answer(1, "fluency", 3)], 5.0, 4.0)
    study.block("WORKER-2", "traps", 6.0)
    return tmp_path / "j.jsonl"


def test_a_bundle_is_complete_and_anonymous(here: Run, journal: Path) -> None:
    folder = journal.parent / "release"
    design = journal.parent / "d.toml"
    assert here("study", "export", journal, "--design", design, "--as", "bundle", "-o", folder).code == 0
    assert {path.name for path in folder.iterdir()} == {
        "judgements.jsonl", "blocked.jsonl", "pilot.jsonl", "texts.jsonl", "people.jsonl", "design.json",
        "datasheet.json", "datasheet.md", "lint.json", "instructions.txt", "manifest.json",
    }  # fmt: skip
    assert len(read_jsonl(folder / "judgements.jsonl")) == len(read_jsonl(folder / "blocked.jsonl")) == 2
    assert [row["blocked"] for row in read_jsonl(folder / "people.jsonl")] == ["", "traps"]
    assert not any("WORKER" in path.read_text() for path in folder.iterdir())
    assert here("study", "export", journal, "--design", design, "--as", "bundle", "-o", folder).code == 1


def test_other_exports(here: Run, journal: Path) -> None:
    design = journal.parent / "d.toml"
    out = journal.parent / "out"
    assert here("study", "export", journal, "--design", design, "-o", out).code == 0
    assert len(read_jsonl(out)) == 2
    assert here("study", "export", out, "--as", "gem", "-o", journal.parent / "g.csv").code == 0
    assert here("study", "export", design, "--as", "datasheet", "-o", journal.parent / "s.json").code == 0
    sheet = json.loads((journal.parent / "s.json").read_text())
    assert sheet["annotators"]["pay"] == "not stated"
    assert here("study", "export", journal, "-o", out).code == 2  # which design?
    assert here("study", "export", out, "--as", "frank", "-o", journal.parent / "f.json").code == 1
    assert here("study", "analyze", journal, "--design", design, "--ci", 50).code == 0


def test_datasheets_of_all_presets() -> None:
    for name in preset_names():
        page = datasheet_markdown(datasheet(preset(name)))
        assert page.startswith("# Evaluation datasheet")
        assert all(line.count(" | ") <= 1 for line in page.splitlines() if line.startswith("| ") and line != "| | |")
    hostile = Design(name="x", instructions="a | b\n\n# <script>", questions=[Question(criterion="c", kind="choice")])
    page = datasheet_markdown(datasheet(hostile))
    assert "<script>" not in page
    assert "\n# <" not in page


def test_comparability_of_two_studies(here: Run, tmp_path: Path) -> None:
    assert comparability(preset("li2018"), preset("li2018")) == []
    differences = {row["what"] for row in comparability(preset("rao_tetreault2018"), preset("xformal2021"))}
    assert {"meaning preservation: values", "items", "background"} <= differences
    assert "formality: values" not in differences
    other = Design(name="other", people=People(per_item=2), questions=[Question(criterion="c", kind="choice")])
    assert {"what": "c: included", "a": "not stated", "b": "True"} in comparability(Design(name="x"), other)
    for name in ("li2018", "mir2019"):
        here("study", "new", "--preset", name, "-o", tmp_path / f"{name}.toml")
    call = here("study", "compare", tmp_path / "li2018.toml", tmp_path / "mir2019.toml", "--json")
    assert not call.json["comparable"]
    assert "content preservation: kind" in {row["what"] for row in call.json["differences"]}


def test_exported_judgements_are_read_by_metric_correlate(here: Run, tmp_path: Path) -> None:
    from tests.conftest import write_jsonl

    rows = [
        {"id": f"i{i}", "system": s, "annotator": a, "criterion": "fluency", "value": 1 + (i * k + len(a)) % 5,
         "position": k, "method": "likert", "question": "1", "seconds": 3.5}
        for i in range(12) for k, s in enumerate(("bart", "t5"), 1) for a in ("x", "yy")
    ]  # fmt: skip
    write_jsonl(tmp_path / "j.jsonl", rows)
    scores = [
        {"id": row["id"], "system": row["system"], "ours": row["value"]} for row in rows if row["annotator"] == "x"
    ]
    write_jsonl(tmp_path / "s.jsonl", scores)
    call = here("metric", "correlate", "--human", tmp_path / "j.jsonl", "--scores", tmp_path / "s.jsonl", "--json")
    assert call.code == 0, call.err
    assert call.json["n"] == 24
    assert call.json["metrics"]["ours"]["pearson"]["r"] > 0.3
