"""Each promise names its test, and the named tests exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py(?:::\w+)?)`", PAGE)))
PROGRAMS = sorted(set(re.findall(r"`python -m (benchmarks\.\w+)`", PAGE)))
SECTIONS = [part for part in PAGE.split("\n## ")[1:] if part.split("\n")[0] not in ("Cost", "See also")]


@pytest.mark.parametrize("name", NAMED)
def test_named_tests_exist(name: str) -> None:
    path, _, function = name.partition("::")
    assert (ROOT / path).is_file()
    if function:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        known = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        known |= {
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        assert function in known


@pytest.mark.parametrize("name", PROGRAMS)
def test_named_programs_exist(name: str) -> None:
    assert (ROOT / f"{name.replace('.', '/')}.py").is_file()


@pytest.mark.parametrize("section", SECTIONS, ids=lambda text: text.split("\n")[0])
def test_each_section_names_a_test(section: str) -> None:
    assert "tests/" in section or "python -m benchmarks" in section


def test_each_promise_about_servers_names_its_test() -> None:
    (servers,) = [section for section in SECTIONS if section.startswith("Servers")]
    promises = re.split(r"\n- ", servers)[1:]
    assert len(promises) > 8
    for promise in promises:
        assert re.search(r"`tests/[\w/]+\.py::\w+`", promise), promise
