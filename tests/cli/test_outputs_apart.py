"""No command writes over what it reads, nor two things to one file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Call, write_jsonl

Here = Callable[..., Call]

EVENT = {"kind": "event", "document": ["x"], "template": {"type": "arson", "victim": ["the mayor"]}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Examples, outputs, references and scores under the names the calls below use."""
    monkeypatch.chdir(tmp_path)
    write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "A day.", "input": EVENT, "references": ["r"]}])
    write_jsonl(tmp_path / "o.jsonl", [{"id": "a", "output": "The mayor fled."}])
    write_jsonl(tmp_path / "s.jsonl", [{"id": "a", "scores": [1.0]}])
    (tmp_path / "link.jsonl").symlink_to("e.jsonl")
    item = {"instance_id": "D.1", "document": ["x"], "template": {}, "summary": ["y"]}
    (tmp_path / "muc").mkdir()
    (tmp_path / "muc" / "test.json").write_text(json.dumps({"D": [item]}))
    return tmp_path


@pytest.mark.parametrize(
    ("call", "named"),
    [
        ("analyze slots o.jsonl -e e.jsonl -o o.jsonl", "o.jsonl"),
        ("analyze slots o.jsonl -e e.jsonl -o ./e.jsonl", "e.jsonl"),
        ("data render e.jsonl --as source -o e.jsonl", "e.jsonl"),
        ("data render e.jsonl --as source -o link.jsonl", "link.jsonl"),
        ("data filter e.jsonl --strategy lead --budget 9 -o e.jsonl", "e.jsonl"),
        ("data filter e.jsonl --strategy s.jsonl --budget 9 -o s.jsonl", "s.jsonl"),
        ("data read mucsum muc -o new.jsonl --outputs new.jsonl", "new.jsonl"),
        ("data read mucsum muc -o muc/test.json", "muc/test.json"),
        ("score o.jsonl -e e.jsonl -m bleu --per-example e.jsonl", "e.jsonl"),
        ("score o.jsonl -e e.jsonl -m bleu --save new --per-example new", "new"),
        ("system generate e.jsonl -S lead:k=1 --force -o e.jsonl", "e.jsonl"),
        ("system generate e.jsonl -S lead --force -o new.jsonl --plot new.jsonl", "new.jsonl"),
        ("system generate e.jsonl -S lead --sweep k=1,1 -o new.jsonl", "new-k-1.jsonl"),
        ("judge run o.jsonl -e e.jsonl -S chat:m --criterion c --force -o o.jsonl", "o.jsonl"),
        ("data synthesize augmented --from e.jsonl --classes s.jsonl --force -o s.jsonl", "s.jsonl"),
        ("system train seq2seq:tiny --train e.jsonl --valid o.jsonl -o o.jsonl", "o.jsonl"),
        ("system rank e.jsonl -S random --force -o e.jsonl", "e.jsonl"),
        ("system choose e.jsonl -S ngram --train o.jsonl --force -o o.jsonl", "o.jsonl"),
        ("report s.jsonl -o s.jsonl", "s.jsonl"),
    ],
)
def test_a_file_is_not_written_over(here: Here, folder: Path, call: str, named: str) -> None:
    def content() -> dict[Path, Any]:
        return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    before = content()
    made = here(*call.split())
    assert made.code == 2
    assert made.err.startswith(f"assay: {named}: is ")
    assert "write to another file" in made.err
    assert content() == before


def test_a_folder_in_place_of_a_file_is_named_as_given(here: Here, folder: Path) -> None:
    for call in (
        "analyze slots o.jsonl -e e.jsonl -o muc",
        "data render e.jsonl --as source -o muc",
        "data read mucsum muc -o muc",
    ):
        made = here(*call.split())
        assert made.code == 2
        assert "'muc' is a directory" in made.err
        assert ".part" not in made.err
