"""`assay data overlap`: counts, and the pairs in a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.conftest import Call, write_jsonl

TEXT = "the boats of the old harbour leave at dawn when the tide is high"


def test_the_command(here: Callable[..., Call], tmp_path: Path) -> None:
    train = write_jsonl(tmp_path / "train.jsonl", [{"id": "a", "references": ["High tide."]}])
    test = write_jsonl(
        tmp_path / "test.jsonl", [{"id": "b", "references": ["high tide"]}, {"id": "c", "references": ["Low."]}]
    )
    leaks = tmp_path / "leaks.jsonl"
    call = here("data", "overlap", train, test, "--json", "-o", leaks)
    assert call.json["overlap"] == {"references": {"items": 2, "exact": 0, "normalised": 1, "near": 1}}
    assert '"train":"a"' in leaks.read_text().replace(" ", "")
    assert "1 (50.0 %)" in here("data", "overlap", train, test).out


def test_what_cannot_be_compared_is_said(here: Callable[..., Call], tmp_path: Path) -> None:
    train = write_jsonl(tmp_path / "train.jsonl", [{"id": "a", "source": "Low tide.", "references": [TEXT]}])
    outputs = write_jsonl(tmp_path / "outputs.jsonl", [{"id": "a", "output": TEXT}])
    call = here("data", "overlap", train, outputs)
    assert call.code == 1
    assert "neither inputs nor references are in both" in " ".join(call.err.split())
    bare = write_jsonl(tmp_path / "bare.jsonl", [{"id": "b", "references": [TEXT]}])
    call = here("data", "overlap", train, bare)
    assert call.code == 0
    assert "inputs are not compared" in call.err
