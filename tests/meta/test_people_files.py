"""Files that people hand to assay agreement and power: odd names, repeated rows, items that only one file has."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.meta.tables import Format, Table

Here = Callable[..., Any]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def rated(system: Any = "a", rater: Any = "r1", items: int = 6) -> list[dict[str, Any]]:
    """Numbered items of one system, rated by one annotator with 0, 1 and 2 in turn."""
    return [
        {"id": i, "system": system, "annotator": rater, "criterion": "q", "value": i % 3, "seconds": i + 1}
        for i in range(items)
    ]


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_no_cell_can_steer_a_terminal_or_break_its_line(form: Format) -> None:
    odd = "\x1b[31mred\nline\r\x07\x9b"
    lines = Table(f"of {odd}", ["", odd], [[odd, "1"]]).render(form).split("\n")
    same = Table("of name", ["", "name"], [["name", "1"]]).render(form).split("\n")
    assert len(lines) == len(same)
    assert all(line.isprintable() for line in lines)
    assert sum("red line" in line for line in lines) == 3


def test_agreement_shows_odd_names_of_systems_plainly(here: Here, tmp_path: Path) -> None:
    rows = [
        {**row, "id": f"i{row['id']}"}
        for system in ("\x1b[2Ja", "b\nc")
        for rater in ("r1", "\x1b[31mr2")
        for row in rated(system, rater)
    ]
    call = here("agreement", write(tmp_path / "j.jsonl", rows), "--ci", "50", "--rank")
    assert call.code == 0
    assert all(line.isprintable() for line in call.out.split("\n"))
    assert "b c" in call.out
