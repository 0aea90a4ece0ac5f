"""Files that options name count by what is in them: a saved run never gives an old number for a changed file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import AssayError
from assay.records.digests import seal

OUTPUTS = ["the house of the cat", "a quark"]
WORDS = "the\nhouse\ncat\nquark\n"


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words.txt"
    path.write_text(WORDS, encoding="utf-8")
    return path


def scored(words: Path, **options: Any) -> assay.Score:
    return assay.score(OUTPUTS, metrics=f"lexical_complexity:ranks={words}", **options).scores["lexical_complexity"]


def test_a_changed_list_of_words_is_another_number(words: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    before = scored(words, save=run)
    assert scored(words, save=run) == before
    words.write_text("quark\nhouse\ncat\n", encoding="utf-8")
    with pytest.raises(AssayError, match=r"has changed .*; score again"):
        assay.load_run(run)
    after = scored(words, save=run)
    assert after.value != before.value
    assert after.signature != before.signature
    assert assay.load_run(run).scores["lexical_complexity"] == after


def test_neither_the_name_of_a_list_nor_its_layout_counts(words: Path, tmp_path: Path) -> None:
    copied = tmp_path / "elsewhere.txt"
    copied.write_text("THE 100\n\nhouse 7\ncat\nquark", encoding="utf-8")
    one, other = scored(copied), scored(words)
    assert (one.value, one.signature) == (other.value, other.signature)
    assert one.label == "lexical_complexity:ranks=elsewhere.txt"


def test_a_saved_run_can_be_read_where_the_list_is_not(words: Path, tmp_path: Path) -> None:
    before = scored(words, save=tmp_path / "run")
    words.unlink()
    assert assay.load_run(tmp_path / "run").scores["lexical_complexity"] == before
    (failed,) = assay.score(OUTPUTS, metrics=f"lengths,lexical_complexity:ranks={words}").failed
    assert failed.why.endswith("words.txt: no such file; expected one word per line, the most frequent first")
    words.write_bytes(b"\xff\xfe")
    assert "not UTF-8 text" in assay.score(OUTPUTS, metrics=f"lengths,lexical_complexity:ranks={words}").failed[0].why


def test_changed_training_examples_are_another_number(tmp_path: Path) -> None:
    train = tmp_path / "train.jsonl"
    lists, gold, spec = ["cats\ndogs"], ["cats"], f"nbest:train={train}"
    found = []
    for seen in ("cats", 'dogs", "cats'):
        train.write_text(f'{{"id": "1", "references": ["{seen}"]}}\n', encoding="utf-8")
        found.append(assay.score(lists, gold, metrics=spec, save=tmp_path / "run").scores["nbest.seen"])
    assert [score.value for score in found] == [0.5, 1.0]
    assert found[0].signature != found[1].signature


def test_a_number_stored_under_another_rule_is_not_taken_for_this_one(tmp_path: Path) -> None:
    """NIST is folded from stored words: what was saved when it had another rule has its old signature."""
    assay.score(["a b"], ["a b c"], metrics="nist,lengths", save=tmp_path)
    manifest = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    for entry in manifest["metrics"]:
        entry["signature"] = entry["signature"].replace("|counting:mteval", "")
    (tmp_path / "run.json").write_text(json.dumps(seal(manifest)), encoding="utf-8")
    loaded = assay.load_run(tmp_path)
    assert "nist" not in loaded.scores
    assert "mean_length" in loaded.scores
    assert "nist would give another score" in loaded.failed[0].why


def test_a_part_of_the_items_is_not_another_way_to_count() -> None:
    """Two systems of which one lacks the items of a language are compared on the others without a warning."""
    said = ["en", "en", "de", "de"]
    examples = [assay.Example(id=str(i), references=("a b",), language=one) for i, one in enumerate(said)]
    outputs = [assay.Output(id=str(i), output="a b", system="x") for i in range(4)]
    every = assay.score(outputs, examples=examples, metrics="rouge1")
    some = assay.score(outputs[:3], examples=examples, metrics="rouge1", allow_missing=True)
    assert every.scores["rouge1"].signature != some.scores["rouge1"].signature
    assert not any("signatures differ" in warning for warning in assay.compare(every, some, samples=50).warnings)
