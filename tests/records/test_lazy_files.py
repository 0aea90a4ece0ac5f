"""Large files that stay where they are give the same items, and the same numbers, as files that are loaded."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import AssayError
from assay.execution.loading import load_items
from assay.records import Example, Items, lazy_files
from assay.records.lazy_files import LazyExamples, LazyRecords, find_examples, is_large, read_plain

Write = Callable[..., tuple[Path, Path]]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Files of a few items; every file counts as large."""
    monkeypatch.setattr(lazy_files, "LARGE", 10)

    def make(outputs: list[dict[str, Any]], examples: list[dict[str, Any]], blank: str = "") -> tuple[Path, Path]:
        paths = tmp_path / "outputs.jsonl", tmp_path / "examples.jsonl"
        for path, rows in zip(paths, (outputs, examples), strict=True):
            path.write_text(blank + "".join(json.dumps(row) + "\n" + blank for row in rows), encoding="utf-8")
        return paths

    return make


def outputs_of(*ids: str) -> list[dict[str, Any]]:
    return [{"id": id, "output": f"the answer to {id} is é {id}", "system": "s"} for id in ids]


def examples_of(*ids: str) -> list[dict[str, Any]]:
    return [
        {
            "id": id,
            "references": [f"an answer to {id}", f"the answer is {id}"][: 1 + i % 2],
            "source": f"What is {id}?\nSay it.",
            "language": "en",
            "tags": {"half": str(i % 2)},
        }
        for i, id in enumerate(ids)
    ]


def in_memory(items: Items) -> Items:
    assert isinstance(items.outputs, LazyRecords)
    assert isinstance(items.examples, LazyExamples)
    loaded = items.loaded()
    assert isinstance(loaded.outputs, tuple)
    return loaded


def test_items_are_the_same(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [f"i{k}" for k in range(2500)]  # more than a block
    paths = write(outputs_of(*ids), examples_of(*ids), blank="\n")
    there = load_items(paths[0], examples=paths[1])
    monkeypatch.setattr(lazy_files, "LARGE", 1 << 30)
    here = load_items(paths[0], examples=paths[1])
    assert in_memory(there) == here
    assert there.ids == here.ids
    assert there.digest == here.digest
    assert list(there.reference_counts) == list(here.reference_counts)
    assert [there.has(need) for need in ("references", "sources", "inputs")] == [True, True, False]
    assert there.examples[3] == here.examples[3]
    assert there.outputs[-1] == here.outputs[-1]
    for a, b in zip(there.shards(700), here.shards(700), strict=True):
        assert pickle.loads(pickle.dumps(a)).loaded() == b


def test_joined_by_id_in_any_order(write: Write) -> None:
    paths = write(outputs_of("c", "a", "b", "z"), examples_of("a", "b", "c", "d"))
    with pytest.raises(AssayError, match=r"1 id not in .*examples.jsonl: z"):
        load_items(paths[0], examples=paths[1])
    items = load_items(paths[0], examples=paths[1], allow_missing=True)
    assert in_memory(items).ids == ["a", "b", "c"]
    assert [text.split()[3] for text in items.outputs] == ["a", "b", "c"]
    assert any("no output of s for 1 of 4 items; not scored" in note for note in items.notes)


@pytest.mark.parametrize("workers", [1, 2])
def test_scores_are_the_same(write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, workers: int) -> None:
    ids = [f"i{k}" for k in range(40)]
    paths = write(outputs_of(*ids), examples_of(*ids))
    monkeypatch.setattr("assay.execution.measure.SHARD", 15)
    scored = [
        assay.score(paths[0], examples=paths[1], suite="gem-light", workers=workers, save=tmp_path / name)
        for name, large in (("there", 10), ("here", 1 << 30))
        if not monkeypatch.setattr(lazy_files, "LARGE", large)
    ]
    assert scored[0].to_dict() == scored[1].to_dict()
    for name in ("run.json", "outputs.jsonl", "examples.jsonl", "items.parquet", "content"):
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


@pytest.mark.parametrize(
    "row",
    [
        {"id": "a", "target": "t", "source": "s"},
        {"id": "a", "references": "one text"},
        {"id": 7, "references": ["t"]},
        {"id": "a", "references": []},
        {"id": "a", "references": ["t"], "language": ""},
        {"id": "a", "references": ["t"], "parent": "a"},
        {"id": "a", "references": ["t"], "tags": {"k": 1}},
        {"id": "a", "references": ["t"], "note": "another field"},
    ],
    ids=lambda row: ",".join(row),
)
def test_other_spellings_are_left_to_the_general_reader(tmp_path: Path, row: dict[str, Any]) -> None:
    path = tmp_path / "file"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert find_examples(path) is None
    assert read_plain(path.read_bytes(), Example) is None


def test_two_records_in_a_line_are_not_ours() -> None:
    line = b'{"id":"a","references":["x"]}{"id":"b","references":["y"]}\n'
    assert read_plain(line, Example) is None


def test_what_is_not_left_in_place(tmp_path: Path, write: Write) -> None:
    assert not is_large(tmp_path / "missing")
    assert not is_large(tmp_path)
    (tmp_path / "zipped").write_bytes(b"\x1f\x8b" + b"0" * 100)
    assert not is_large(tmp_path / "zipped")
    paths = write(outputs_of("a"), examples_of("a"))
    assert isinstance(load_items(paths[0], examples=paths[1], language="de").examples, tuple)


def test_a_file_that_changes_is_reported(write: Write) -> None:
    paths = write(outputs_of("a", "b"), examples_of("a", "b"))
    items = load_items(paths[0], examples=paths[1])
    paths[1].write_text("gone\n", encoding="utf-8")
    with pytest.raises(AssayError, match=r"examples.jsonl: changed while it was read"):
        items.loaded()
