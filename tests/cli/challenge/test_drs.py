"""`assay challenge drs`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.conftest import Call, write_jsonl

ROWS = "001 011 010 010 001 111 111 111".split()


def test_rose_and_pairs(here: Callable[..., Call], tmp_path: Path) -> None:
    judged = [
        {"id": str(i), "system": "char", "annotator": "one", "criterion": name, "value": float(value)}
        for i, row in enumerate(ROWS)
        for name, value in zip(("semantics", "grammaticality", "phenomenon"), row, strict=True)
    ]
    path = write_jsonl(tmp_path / "rose.jsonl", judged)
    found = here("challenge", "drs", "rose", path, "--json").json
    assert found["sets"]["char"]["rose"]["value"] == 0.375
    assert "37.5 [13.7, 69.4]" in here("challenge", "drs", "rose", path).out
    examples = [
        {"id": "p", "input": {"kind": "drs", "clauses": [["b1", "REF", "t1"], ["b1", "EQU", "t1", '"now"']]}},
        {"id": "c", "parent": "p", "tags": {"challenge": "tense"},
         "input": {"kind": "drs", "clauses": [["b1", "REF", "t1"], ["b1", "TPR", "t1", '"now"']]}},
    ]  # fmt: skip
    path = write_jsonl(tmp_path / "drs.jsonl", examples)
    assert "present -> past" in here("challenge", "drs", "pairs", path, path).out
    assert here("challenge", "drs", "pairs", path, path, "--json").json["pairs"][0]["after"] == ['b1 TPR t1 "now"']
    lost = write_jsonl(tmp_path / "lost.jsonl", [{**examples[1], "parent": "q"}])
    call = here("challenge", "drs", "pairs", path, lost)
    assert call.code == 1
    assert "its parent q is not among the originals" in " ".join(call.err.split())


def test_a_set_without_parents_is_refused(here: Callable[..., Call], tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "plain.jsonl", [{"id": "a", "references": ["A boat."]}])
    call = here("challenge", "drs", "pairs", path, path)
    assert call.code == 1
    assert "no item has a parent" in " ".join(call.err.split())
