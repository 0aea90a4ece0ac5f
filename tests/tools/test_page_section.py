"""Benchmarks replace the part of a page between two marks, and nothing else; every page has the marks."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest

import benchmarks
from benchmarks.page_section import write_section

WRITERS = [
    name
    for _, name, _ in pkgutil.iter_modules(benchmarks.__path__)
    if "write_section(PAGE, BEGIN, END" in (Path(benchmarks.__file__).parent / f"{name}.py").read_text(encoding="utf-8")
]


def test_only_the_part_between_the_marks_changes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n<!-- a -->\nold\n<!-- end of a -->\nafter\n", encoding="utf-8")
    for _ in range(2):
        write_section(page, "<!-- a -->", "<!-- end of a -->", "new\n")
        assert page.read_text(encoding="utf-8") == "# Page\n<!-- a -->\nnew\n<!-- end of a -->\nafter\n"


def test_a_page_without_the_marks_stays_as_it_is(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n<!-- a -->\n", encoding="utf-8")
    with pytest.raises(ValueError, match="not found"):
        write_section(page, "<!-- a -->", "<!-- end of a -->", "new")
    assert page.read_text(encoding="utf-8") == "# Page\n<!-- a -->\n"


@pytest.mark.parametrize("name", WRITERS)
def test_every_page_has_its_marks(name: str) -> None:
    pytest.importorskip("scipy")
    module = importlib.import_module(f"benchmarks.{name}")
    text = module.PAGE.read_text(encoding="utf-8")
    assert text.index(module.BEGIN.strip()) < text.index(module.END.strip())


def test_there_are_such_benchmarks() -> None:
    assert {"inference", "planning", "slot_matching"} <= set(WRITERS)
