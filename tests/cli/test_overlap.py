"""`assay overlap`: counts, and the pairs in a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from conftest import Call, write_jsonl


def test_the_command(here: Callable[..., Call], tmp_path: Path) -> None:
    train = write_jsonl(tmp_path / "train.jsonl", [{"id": "a", "references": ["High tide."]}])
    test = write_jsonl(
        tmp_path / "test.jsonl", [{"id": "b", "references": ["high tide"]}, {"id": "c", "references": ["Low."]}]
    )
    leaks = tmp_path / "leaks.jsonl"
    call = here("overlap", train, test, "--json", "-o", leaks)
    assert call.json["overlap"] == {"references": {"items": 2, "exact": 0, "normalised": 1, "near": 1}}
    assert '"train":"a"' in leaks.read_text().replace(" ", "")
    assert "1 (50.0 %)" in here("overlap", train, test).out
