"""Files that people hand to assay analyze agreement and power: odd names, repeated rows, items that only one file
has."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def test_agreement_shows_odd_names_of_systems_plainly(here: Here, tmp_path: Path) -> None:
    rows = [
        {**row, "id": f"i{row['id']}"}
        for system in ("\x1b[2Ja", "b\nc")
        for rater in ("r1", "\x1b[31mr2")
        for row in rated(system, rater)
    ]
    call = here("analyze", "agreement", write(tmp_path / "j.jsonl", rows), "--ci", "50", "--rank")
    assert call.code == 0
    assert all(line.isprintable() for line in call.out.split("\n"))
    assert "b c" in call.out


def test_power_says_which_items_it_leaves_out(here: Here, tmp_path: Path) -> None:
    rows = [{"id": i, "m": i % 7, "flat": 1} for i in range(30)]
    a = write(tmp_path / "a.jsonl", rows)
    few = write(tmp_path / "few.jsonl", [{**row, "m": row["id"] % 5} for row in rows[:20]])
    holes = [{**row, "m": row["id"] % 5 if row["id"] < 20 else None, "flat": None} for row in rows]
    call = here("analyze", "power", a, few)
    assert (call.code, "--allow-missing" in call.err) == (1, True)
    call = here("analyze", "power", a, few, "--allow-missing")
    assert call.code == 0
    assert "10 of 30 items" in " ".join(call.err.split())
    assert "flat: the standard deviation" in call.err
    assert "flat: " not in call.out
    call = here("analyze", "power", a, write(tmp_path / "holes.jsonl", holes), "--json")
    assert call.json["metrics"]["m"]["n"] == 20
    assert "m: 10 of 30 items without a score in A or B are left out." in call.json["warnings"]
    assert call.json["metrics"].get("flat", {"n": 0})["n"] == 0
    call = here("analyze", "power", "--sd", "1", "--effect", "1", "--allow-missing")
    assert (call.code, "--allow-missing does not apply to --sd" in call.err) == (2, True)


def test_power_of_a_file_with_itself_is_refused(here: Here, tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", [{"id": i, "m": i % 7} for i in range(30)])
    call = here("analyze", "power", a, a)
    assert call.code == 1
    assert "a.jsonl is both A and B. Give the --per-example files of two systems." in call.err


def test_repeated_judgements_count_once_with_a_note(here: Here, tmp_path: Path) -> None:
    rows = [row for system in ("a", "b") for rater in ("r1", "r2") for row in rated(system, rater)]
    rows[12]["value"] = 2
    again = [{**row, "seconds": 99} for row in (rows[0], rows[0], rows[12])]
    options = ["--ci", "50", "--rank", "--json"]
    once = here("analyze", "agreement", write(tmp_path / "once.jsonl", rows), *options).json
    twice = here("analyze", "agreement", write(tmp_path / "twice.jsonl", rows + again), *options).json
    (note,) = (note for note in twice["warnings"] if note not in once["warnings"])
    assert note == "3 of 27 judgements are repeated rows and are left out."
    for name in ("judgements", "profiles", "ranking", "fleiss"):
        assert twice[name] == once[name]
