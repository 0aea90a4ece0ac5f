"""`assay data filter`: which sentences a model gets to see, by three strategies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import read_jsonl

Here = Callable[..., Any]


def test_filtering(here: Here, mucsum: Path, tmp_path: Path) -> None:
    examples, output = tmp_path / "e.jsonl", tmp_path / "o.jsonl"
    here("data", "read", "mucsum", mucsum, "--split", "test", "-o", examples)
    call = here("data", "filter", examples, "--strategy", "oracle", "--budget", 4, "-o", output, "--json")
    assert call.json["kept"] == 2
    assert {row["source"] for row in read_jsonl(output)} == {"the old barn stood."}
    here("data", "filter", examples, "--strategy", "lead", "--budget", 9, "-o", output)
    assert read_jsonl(output)[0]["input"]["document"] == ["a barn burned near the mill.", "nobody was hurt."]
    scores = tmp_path / "s.jsonl"
    scores.write_text('{"id": "DOC.1", "scores": [1, 3, 2]}\n{"id": "DOC.2", "scores": [3, 2, 1]}\n')
    assert here("data", "filter", examples, "--strategy", scores, "--budget", 5, "-o", output).code == 0
    assert [row["source"] for row in read_jsonl(output)] == ["nobody was hurt.", "a barn burned near the mill."]
    assert here("data", "filter", examples, "--strategy", tmp_path / "none", "--budget", 5, "-o", output).code == 1
    wrong = here(
        "data", "filter", examples, "--strategy", "lead", "--budget", 5, "--tokenizer", "whitespace+x", "-o", output
    )
    assert wrong.code == 2


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        (['{"id": "DOC.1", "scores": [0.1, NaN, 0.3]}'], ":1: id DOC.1 has a score that is not finite"),
        (['{"id": "DOC.1", "scores": [1, 2, 1e999]}'], ":1: "),
        (['{"id": "DOC.1", "scores": [1, 2, true]}'], ":1: an id and a list of numbers"),
        (['{"id": "DOC.1", "scores": [1, 2, 3]}'] * 2, ":2: id DOC.1 is not unique"),
        (['{"id": "DOC.1", "scores": [1, 2]}'], " id DOC.1: 2 scores for 3 sentences"),
    ],
)
def test_scores_that_could_not_choose(here: Here, mucsum: Path, tmp_path: Path, lines: list[str], part: str) -> None:
    examples, scores, output = tmp_path / "e.jsonl", tmp_path / "s.jsonl", tmp_path / "o.jsonl"
    here("data", "read", "mucsum", mucsum, "--split", "test", "-o", examples)
    scores.write_text("\n".join(lines) + "\n")
    call = here("data", "filter", examples, "--strategy", scores, "--budget", 5, "-o", output)
    assert call.code == 1
    assert call.err.startswith(f"assay: {scores}")
    assert part in call.err
    assert not output.exists()
