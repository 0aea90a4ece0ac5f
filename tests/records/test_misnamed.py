"""Columns with other names than ours: never dropped without a word, never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.records.read import read_examples, read_systems


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("prompt_id,model,response,gold\n1,x,a b,c\n", ['prompt_id (for the id: rename it "id")', "model (", "gold ("]),
        ('{"id": "1", "output": "a", "Model Name": "x"}\n', ['Model Name (for the system: rename it "system")']),
        ("id,output,golden\n1,a,b\n", ["golden (for the reference"]),
    ],
)
def test_outputs(tmp_path: Path, content: str, words: list[str]) -> None:
    path = tmp_path / "out"
    path.write_text(content)
    (note,) = (note for file in read_systems(path) for note in file.notes)
    assert note.startswith(f"{path}: not used: ")
    assert all(each in note for each in words)


@pytest.mark.parametrize(
    "content",
    [
        "id,system,output,model,reference,gold\n1,s,a,judge-9,b,label\n",
        '{"id": "1", "output": "a", "difficulty": 3}\n',
        "a line of text\n",
    ],
)
def test_no_note_where_the_field_is_there(tmp_path: Path, content: str) -> None:
    path = tmp_path / "out"
    path.write_text(content)
    assert [note for file in read_systems(path) for note in file.notes] == []


def test_examples(tmp_path: Path) -> None:
    path = tmp_path / "examples.csv"
    path.write_text("qid,source,gold_summary\n1,text,summary\n")
    (note,) = read_examples(path).notes
    assert "qid (for the id" in note
    assert "gold_summary (for the reference" in note
