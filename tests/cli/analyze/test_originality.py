"""Which fragments of outputs one source alone has; an index that is added to."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
CORPUS = [
    {"text": "The old tower keeps the northern wind away.", "document": "d1", "author": "Ann"},
    {"text": "Nobody saw the northern wind come down.", "document": "d2", "author": "Bo"},
    {"text": "The old tower keeps the northern wind away.", "document": "d1", "author": "Ann"},
]


def test_flagged_fragments_and_their_sources(here: Run, tmp_path: Path) -> None:
    corpus = write_jsonl(tmp_path / "corpus.jsonl", CORPUS)
    outputs = write_jsonl(
        tmp_path / "o.jsonl",
        [{"id": "a", "output": "The old tower keeps nothing."}, {"id": "b", "output": "A northern wind blew."}],
    )
    file = tmp_path / "flagged.jsonl"
    found = here("analyze", "originality", corpus, "--outputs", outputs, "-o", file, "--json").json
    assert found["scores"]["originality"]["value"] == 1
    assert found["scores"]["originality.pass"]["value"] == 0.5
    assert found["flagged"] == [
        {
            "id": "a", "sentence": "the old tower keeps nothing .", "fragment": "old tower keeps", "sources": 1,
            "source": CORPUS[0]["text"], "document": "d1", "author": "Ann",
        }
    ]  # fmt: skip
    assert found["histogram"]["2"] == 1
    assert json.loads(file.read_text())["fragment"] == "old tower keeps"
    shown = here("analyze", "originality", corpus, "--outputs", outputs).out
    assert "old tower keeps" in shown
    assert "Ann" in shown


def test_an_index_is_made_and_added_to(here: Run, tmp_path: Path) -> None:
    first, more = write_jsonl(tmp_path / "c.jsonl", CORPUS[:1]), write_jsonl(tmp_path / "more.jsonl", CORPUS[1:2])
    index = tmp_path / "index"
    assert "1 sentences, 9 words" in here("analyze", "originality", first, "--index", index).out
    assert here("analyze", "originality", more, "--index", index, "--json").json["sentences"] == 2
    outputs = write_jsonl(tmp_path / "o.jsonl", [{"id": "a", "output": "The northern wind"}])
    found = here("analyze", "originality", index, "--outputs", outputs, "--json").json
    assert found["histogram"] == {"2": 1}
    assert "already an index" in here("analyze", "originality", index, "--index", tmp_path / "other").err


def test_sentences_without_a_document_are_told_of(here: Run, tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("A grey stone fell.\nA grey stone fell.\nA grey stone rose.\n")
    call = here("analyze", "originality", tmp_path / "c.txt", "--index", tmp_path / "index")
    assert "1 sentences skipped" in call.out
    assert "have no document" in call.err


def test_wrong_usage(here: Run, tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("A grey stone fell.\n")
    call = here("analyze", "originality", tmp_path / "c.txt")
    assert call.code == 2
    assert "--outputs FILE" in call.err
    outputs = write_jsonl(tmp_path / "o.jsonl", [{"id": "a", "output": "x"}])
    assert here("analyze", "originality", tmp_path, "--outputs", outputs).code == 1


def test_an_index_goes_into_no_folder_of_other_files(here: Callable[..., Call], tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("kept\n")
    (tmp_path / "corpus.txt").write_text("The boat leaves the harbour at dawn.\n")
    call = here("analyze", "originality", tmp_path / "corpus.txt", "--index", tmp_path / "mine")
    assert call.code == 1
    assert "is not an index" in " ".join(call.err.split())
    assert [each.name for each in (tmp_path / "mine").iterdir()] == ["thesis.txt"]
