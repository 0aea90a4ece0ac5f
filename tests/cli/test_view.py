"""`assay view`: what it cannot show is said in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


def test_view_without_pages_says_how(here: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.explorer.standalone.KINDS", {"nothing.html": "text/html"})
    said = here("view", tmp_path)
    assert said.code == 1
    assert "make pages" in said.err
    assert len(said.err.strip().splitlines()) == 1


def test_view_of_nothing(here: Call, tmp_path: Path) -> None:
    assert here("view", tmp_path / "none").code == 1
    (tmp_path / "empty").mkdir()
    said = here("view", tmp_path / "empty")
    assert said.code == 1
    assert "neither" in said.err


def test_wrong_usage(here: Call, tmp_path: Path) -> None:
    assert here("view").code == 2
    assert "70000" in here("view", tmp_path, "--port", "70000").err
