"""`assay metric reproduce`: tables cell by cell, and what is missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.meta.reproduce import REPRODUCTIONS

Here = Callable[..., Any]


def test_reproduce(here: Here, shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    data = shared_data("narrative").parent
    report = here("metric", "reproduce", "narrative", "--data", data, "--json").json
    assert set(report["rows"][0]) == {"table", "row", "column", "published", "computed", "match", "note", "basis"}
    text = here("metric", "reproduce", "narrative", "--data", data, "--format", "markdown")
    assert "24 agree, 0 differ" in text.out
    few, more = (here("metric", "reproduce", "narrative", "--data", data, *option).out for option in ((), ("--all",)))
    hidden = sum(row["match"] is not False for row in report["rows"])
    assert f"--all shows {hidden} more cells" in few
    assert "--all" not in more
    for arguments, code, why in (
        (["nope", "--data", data], 2, "nope: unknown reproduction"),
        (["frank", "--data", tmp_path], 1, "not found"),
        (["--data", tmp_path / "gone"], 1, "no such folder"),
        (["--data", tmp_path], 1, "no released data"),
    ):
        call = here("metric", "reproduce", *arguments)
        assert call.code == code
        assert why in call.err


NEEDS_NO_DATA = {"tesa", "fkgl", "perception"}
"""Arithmetic on printed figures, or synthetic data."""


def test_scoreboard_lists_what_is_missing(here: Here, shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    (tmp_path / "narrative").symlink_to(shared_data("narrative"))
    call = here("metric", "reproduce", "--data", tmp_path)
    assert call.code == 0
    assert "narrative: Best p" in call.out
    assert "frank skipped" in call.err
    report = here("metric", "reproduce", "--data", tmp_path, "--json").json
    assert {entry["name"] for entry in report["skipped"]} == set(REPRODUCTIONS) - NEEDS_NO_DATA - {"narrative"}


def test_an_unknown_name_is_told_before_missing_data(here: Here, tmp_path: Path) -> None:
    call = here("metric", "reproduce", "nope", "--data", tmp_path / "nowhere")
    assert call.code == 2
    assert "nope: unknown reproduction" in call.err
