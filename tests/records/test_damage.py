"""JSON that other readers take, or stumble over: names twice, endless nesting, half a surrogate pair."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.records import read_outputs, read_references

DEEP = "[" * 100_000
REFUSED = {
    "id twice": ('{"i0": "a", "i0": "b"}', r"file: 'i0' is repeated in one object"),
    "id twice, indented": ('{\n "i0": "a",\n "i1": "c",\n "i0": "b"\n}', r"file: 'i0' is repeated in one object"),
    "nested": (DEEP, r"file: nested too deeply"),
    "nested in a line": ('{"id": "a", "output": "x"}\n{"id": "b", "output": ' + DEEP, r"file:2: not JSON"),
    "nested input": ('{"id": "a", "references": ["x"], "input": {"a": ' + DEEP, r"file: nested too deeply"),
    "half a pair": ('{"id": "a", "output": "x"}\n{"id": "b", "output": "\\ud800"}', r"file:2: unpaired surrogate"),
    "half a pair in an id": ('{"id": "\\udc00", "output": "x"}', r"file:1: unpaired surrogate"),
    "half a pair in a list": ('[\n"\\ud83d\\ude00",\n"\\ud83d"\n]', r"file:3: unpaired surrogate"),
}


@pytest.mark.parametrize("reader", [read_outputs, read_references])
@pytest.mark.parametrize("case", REFUSED)
def test_refused(tmp_path: Path, case: str, reader: object) -> None:
    text, message = REFUSED[case]
    (tmp_path / "file").write_text(text, encoding="utf-8")
    with pytest.raises(AssayError, match=message) as caught:
        reader(tmp_path / "file")  # type: ignore[operator]
    assert "\n" not in str(caught.value)


def test_whole_pairs_are_letters(tmp_path: Path) -> None:
    (tmp_path / "file").write_text('["\\ud83d\\ude00", "b"]', encoding="utf-8")
    assert list(read_outputs(tmp_path / "file").texts) == ["😀", "b"]
