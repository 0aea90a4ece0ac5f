"""Blinded sheets from outputs, and judgements with system names and hashed annotators from sheets."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.studies.design import read_design
from assay.studies.events import Journal
from assay.studies.judgements import study_judgements
from assay.studies.study import Study
from tests.conftest import Call, read_jsonl, write_jsonl

Run = Callable[..., Call]
DESIGN = """
name = "s"
[[questions]]
criterion = "fluency"
kind = "likert"
values = [1, 2, 3, 4, 5]
version = "2"
[sample]
items = 6
[people]
per_item = 2
[presentation]
order = "balanced"
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "design.toml").write_text(DESIGN)
    for system in ("good", "poor", "bad"):
        rows = [{"id": f"i{i}", "output": f"{system} text {i}", "system": system} for i in range(8)]
        write_jsonl(tmp_path / f"{system}.jsonl", rows)
    tags = [{"id": f"i{i}", "source": f"source {i}", "tags": {"half": str(i % 2)}} for i in range(8)]
    write_jsonl(tmp_path / "e.jsonl", tags)
    return tmp_path


def assign(here: Run, folder: Path, *more: object) -> Call:
    outputs = [folder / f"{name}.jsonl" for name in ("good", "poor", "bad")]
    return here("study", "assign", folder / "design.toml", *outputs, "-o", folder / "j.jsonl", *more)


def test_a_complete_study_with_sheets(here: Run, files: Path) -> None:
    call = assign(here, files, "-e", files / "e.jsonl", "--people", 3, "--sheets", files / "sheets", "--json")
    assert call.json["tasks"] == 6
    assert sum(call.json["people"].values()) == 12
    sheets = sorted((files / "sheets").iterdir())
    for path in sheets:
        lines = read_jsonl(path)
        assert not any("system" in line for line in lines)
        for line in lines:
            line["answers"]["fluency"] = [{"good": 5, "poor": 3, "bad": 1}[t.split()[0]] for t in line["texts"]]
        write_jsonl(path, lines)
    for _ in range(2):  # collecting again has no effect
        assert here("study", "collect", files / "j.jsonl", "--design", files / "design.toml", *sheets).code == 0
    study = Study(read_design(files / "design.toml"), Journal(files / "j.jsonl"))
    judgements = list(study_judgements(study))
    assert len(judgements) == 6 * 3 * 2
    assert {(j.system, j.value) for j in judgements} == {("good", 5), ("poor", 3), ("bad", 1)}
    assert {(j.method, j.question, j.pilot) for j in judgements} == {("likert", "2", False)}
    assert Counter((j.system, j.position) for j in judgements) == dict.fromkeys(
        ((system, place) for system in ("good", "poor", "bad") for place in (1, 2, 3)), 4
    )
    assert {j.annotator[:2] for j in judgements} == {"p-"}
    assert study.finished


def test_strata_and_too_few_annotators(here: Run, files: Path) -> None:
    call = assign(
        here, files, "-e", files / "e.jsonl", "--stratify", "half", "--people", 1, "--sheets", files / "s", "--json"
    )  # fmt: skip
    assert call.json["places_left"] == 6
    study = Study(read_design(files / "design.toml"), Journal(files / "j.jsonl"))
    assert Counter(int(task[1:]) % 2 for task in study.tasks) == {0: 3, 1: 3}
    assert assign(here, files).code == 1  # an existing journal is not replaced


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"assignment": "a9", "annotator": "person-1", "answers": {}}, "no assignment a9"),
        ({"annotator": "x"}, "not a line of a sheet"),
        ({"assignment": "a1", "annotator": "person-1", "answers": {"fluency": [1]}}, "a list of 3 answers"),
        ({"assignment": "a1", "annotator": "person-1", "answers": {"fluency": [1, 2, 7]}}, "7 is not one of"),
        (
            {"assignment": "a1", "annotator": "person-2", "answers": {"fluency": [1, 2, 3]}},
            "a1: not an assignment of person-2",
        ),
    ],
)
def test_an_invalid_sheet_changes_nothing(here: Run, files: Path, line: dict[str, object], problem: str) -> None:
    assert assign(here, files, "--people", 1, "--sheets", files / "s").code == 0
    before = (files / "j.jsonl").read_bytes()
    path = files / "wrong.jsonl"
    path.write_text(json.dumps(line))
    call = here("study", "collect", files / "j.jsonl", "--design", files / "design.toml", path)
    assert call.code == 1
    assert problem in call.err
    assert "wrong.jsonl:1: " in call.err
    assert (files / "j.jsonl").read_bytes() == before


def test_only_some_systems(here: Run, files: Path) -> None:
    assert assign(here, files, "--systems", "good,bad", "--json").json["systems"] == ["bad", "good"]
    call = assign(here, files, "--systems", "god")
    assert call.code == 1  # the journal exists
    (files / "j.jsonl").unlink()
    call = assign(here, files, "--systems", "god")
    assert (call.code, "did you mean good" in call.err) == (2, True)


def test_a_missing_tag(here: Run, files: Path) -> None:
    call = assign(here, files, "-e", files / "e.jsonl", "--stratify", "third")
    assert (call.code, "no tag 'third'" in call.err) == (1, True)


def test_hashed_names_differ_between_studies() -> None:
    from assay.studies.design import Design
    from assay.studies.events import MemoryStore
    from assay.studies.judgements import hashed

    studies = [Study(Design(name="s"), MemoryStore()) for _ in range(2)]
    for salt, study in zip("ab", studies, strict=True):
        study.open(0.0, salt)
        with pytest.raises(AssayError, match="study s: already open"):
            study.open(0.0, salt)
    assert hashed(studies[0], "x") != hashed(studies[1], "x")
