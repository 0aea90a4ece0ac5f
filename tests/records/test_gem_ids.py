"""GEM's ids join the same examples as the published ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError
from tests.conftest import Call, write_jsonl

EXAMPLES = [
    {"id": f"Id{i}", "references": [f"the tide is {i} metres"], "split": split}
    for i, split in enumerate(["train", "test", "test", "test"])
]


def submission(path: Path, keys: list[str]) -> Path:
    texts = {"harbours-test-0": "the tide is 1 metres", "harbours-test-1": "the tide is 2 metres"}
    values = [texts.get(key, "the tide is 3 metres") for key in keys]
    path.write_text(json.dumps({"submission_name": "a", "tasks": {"harbours_test": {"values": values, "keys": keys}}}))
    return path


def test_places_in_the_split_are_joined_in_any_order(tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", EXAMPLES[1:])
    path = submission(tmp_path / "s.json", ["harbours-test-2", "harbours-test-0", "harbours-test-1"])
    result = assay.score(path, examples=examples, metrics="bleu")
    assert result.scores["bleu"].value == pytest.approx(100)
    assert any("GEM ids" in note for note in result.warnings)


def test_the_split_is_that_of_the_id(tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", EXAMPLES)
    path = submission(tmp_path / "s.json", ["harbours-test-0", "harbours-test-1", "harbours-test-2"])
    result = assay.score(path, examples=examples, metrics="bleu", allow_missing=True)
    assert result.scores["bleu"].value == pytest.approx(100)


def test_an_index_beyond_the_items_is_named(tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", EXAMPLES)
    path = submission(tmp_path / "s.json", ["harbours-test-0", "harbours-test-7"])
    with pytest.raises(AssayError, match=r"harbours-test-7 is beyond the 3 items .* rows=pair"):
        assay.score(path, examples=examples, metrics="bleu")


def test_ids_of_two_splits_are_no_places(tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", EXAMPLES)
    path = submission(tmp_path / "s.json", ["harbours-test-0", "harbours-train-0"])
    with pytest.raises(AssayError, match=r"1 id not in .*: harbours-train-0\."):
        assay.score(path, examples=examples, metrics="bleu")


def test_published_outputs_under_both_ids(
    here: Callable[..., Call], shared_data: Callable[[str], Path], tmp_path: Path
) -> None:
    lines = shared_data("webnlg/outputs-2020/en/bt5.txt").read_text(encoding="utf-8").splitlines()
    keys = [f"web_nlg_en-test-{i}" for i in range(len(lines))]
    path = tmp_path / "bt5.json"
    path.write_text(
        json.dumps({"submission_name": "bt5", "tasks": {"web_nlg_en_test": {"values": lines, "keys": keys}}})
    )
    examples = tmp_path / "e.jsonl"
    assert here("data", "read", "web_nlg_en", shared_data("webnlg/en"), "--split", "test", "-o", examples).code == 0
    plain = here("score", shared_data("webnlg/outputs-2020/en/bt5.txt"), "-e", examples, "-m", "bleu", "--json").json
    named = here("score", path, "-e", examples, "-m", "bleu", "--json").json
    assert named["n"] == 1779
    assert named["scores"]["bleu"]["value"] == plain["scores"]["bleu"]["value"]
