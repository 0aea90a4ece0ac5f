"""Judgements from any table of ratings, by a column mapping."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Call, read_jsonl

Run = Callable[..., Call]
WIDE = "item,model,who,flu,ade,t,place\n1,a,x,4,,3.5,2\n1,b,x,2,5,1,1\n"


def mapped(here: Run, folder: Path, table: str, columns: str) -> Call:
    (folder / "t.csv").write_text(table)
    (folder / "c.toml").write_text(columns)
    return here("study", "map", folder / "t.csv", "--columns", folder / "c.toml", "-o", folder / "j.jsonl")


def test_one_column_per_criterion(here: Run, tmp_path: Path) -> None:
    columns = (
        'id = "q-{item}"\nsystem = "model"\nannotator = "who"\nseconds = "t"\nposition = "place"\nmethod = "=likert"\n'
        '[criteria]\nfluency = "flu"\nadequacy = "ade"\n'
    )
    assert mapped(here, tmp_path, WIDE, columns).code == 0
    first, *rest = read_jsonl(tmp_path / "j.jsonl")
    assert first == {
        "id": "q-1", "system": "a", "annotator": "x", "criterion": "fluency", "value": 4.0, "seconds": 3.5,
        "position": 2, "method": "likert",
    }  # fmt: skip
    assert [row["criterion"] for row in rest] == ["fluency", "adequacy"]  # empty cells are skipped


def test_one_answer_per_row(here: Run, tmp_path: Path) -> None:
    table = "item,model,who,aspect,rating\n1,a,x,fluency,good\n"
    columns = 'id = "item"\nsystem = "model"\nannotator = "who"\ncriterion = "aspect"\nvalue = "rating"\n'
    assert mapped(here, tmp_path, table, columns).code == 0
    assert read_jsonl(tmp_path / "j.jsonl")[0]["value"] == "good"


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ('id = "item"\nsystem = "model"\nannotator = "who"\n', "either criterion and value"),
        ('id = "item"\nsystem = "model"\nannotator = "rater"\n[criteria]\nf = "flu"\n', "no column 'rater'"),
        ('id = "item"\ncolour = "model"\n', "colour"),
    ],
)
def test_errors_name_what_is_missing(here: Run, tmp_path: Path, columns: str, problem: str) -> None:
    call = mapped(here, tmp_path, WIDE, columns)
    assert call.code == 1
    assert problem in call.err
