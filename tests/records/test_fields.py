"""Lists and objects inside the cells of a table, and texts of other libraries."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.records import read_examples, read_outputs, read_references
from tests.conftest import write_jsonl


def table(path: Path, column: str, cell: str) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([["id", column], ["a", cell]])
    return path


@pytest.mark.parametrize(
    "cell",
    ['["the cat sat", "it\'s a cat"]', "['the cat sat', \"it's a cat\"]", "['the cat sat',\n \"it's a cat\"]"],
)
def test_lists_in_cells(tmp_path: Path, cell: str) -> None:
    (example,) = read_references(table(tmp_path / "r.csv", "references", cell)).examples
    assert example.references == ("the cat sat", "it's a cat")


@pytest.mark.parametrize("cell", ['{"k": "v"}', "{'k': 'v'}"])
def test_objects_in_cells(tmp_path: Path, cell: str) -> None:
    (example,) = read_examples(table(tmp_path / "e.csv", "tags", cell)).examples
    assert example.tags == {"k": "v"}


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("tags", "{bad"),
        ("references", '["a", b'),
        ("reference", "['a', b]"),
        ("references", "['a' 'b']"),
        ("references", "['a'\n 'b']"),
        ("references", '["\\ud800"]'),
        ("references", '["a", ' + "[" * 100_000),
    ],
)
def test_broken_cells_are_named(tmp_path: Path, column: str, cell: str) -> None:
    path = table(tmp_path / "t.csv", column, cell)
    with pytest.raises(AssayError, match=rf"t\.csv:\d: {column} is not valid JSON "):
        read_examples(path)


def test_texts_of_numpy_are_texts() -> None:
    texts = np.array(["a b", "b"])
    for outputs in (texts, list(texts), [{"output": text} for text in texts]):
        assert [type(text) for text in read_outputs(outputs).texts] == [str, str]
        for references in (texts, list(texts), [[text] for text in texts]):
            assert {type(text) for each in read_references(references).examples for text in each.references} == {str}
            assert assay.score(outputs, references, metrics="rouge1").values["rouge1"] == 1
    (output,) = read_outputs([{"id": texts[0], "output": texts[1], "system": texts[1]}]).outputs
    assert type(output.id) is str


@pytest.mark.parametrize("name", ["document_id", "dialogue_id", "Doc ID", "conversation"])
def test_a_field_that_names_the_document_becomes_a_tag(name: str, tmp_path: Path) -> None:
    """It was dropped, so that items of one document were resampled as if they were independent."""
    rows = [{"id": str(i), "references": ["a"], name: i // 2, "note": "x"} for i in range(4)]
    examples = read_examples(write_jsonl(tmp_path / "e.jsonl", rows)).examples
    assert [example.tags for example in examples] == [{name: str(i // 2)} for i in range(4)]
    long = [{"id": "1", "references": ["a"], "passage": "word " * 100}]
    assert read_examples(write_jsonl(tmp_path / "l.jsonl", long)).examples[0].tags == {}
