"""The words of the field: phrases and identifiers that a reader would have to translate fail here.

`python -m tests.test_language src/assay/stats docs` lists what is left below some paths.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
RULES = ROOT / "tests" / "language.toml"
PLACES = ("src/assay", "web/src", "web/index.html", "docs", "README.md", "CONTRIBUTING.md", "SECURITY.md", "examples")
SUFFIXES = {".py", ".pyi", ".ts", ".html", ".md", ".toml", ".css", ".js"}


class Finding(NamedTuple):
    """One use of a banned phrase or identifier."""

    file: str
    line: int
    words: str
    instead: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.words!r}: write {self.instead}"


class Allowed(NamedTuple):
    """An exception: where a banned phrase may stay, and why."""

    file: str
    words: str
    why: str


@lru_cache
def rules() -> tuple[list[tuple[re.Pattern[str], str]], dict[str, str], list[Allowed]]:
    """Return banned phrases and identifiers with their replacements, and the exceptions."""
    table = tomllib.loads(RULES.read_text(encoding="utf-8"))
    phrases = [(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), instead) for words, instead in table["phrases"].items()]
    allowed = [Allowed(each["file"], each["words"], each["why"]) for each in table.get("allowed", [])]
    return phrases, table["identifiers"], allowed


@lru_cache
def all_phrases() -> re.Pattern[str]:
    """Return one pattern for all phrases, since few lines have any."""
    return re.compile("|".join(pattern.pattern for pattern, _ in rules()[0]), re.IGNORECASE)


@lru_cache
def findings_of_the_project() -> list[Finding]:
    return list(findings(ROOT / place for place in PLACES if (ROOT / place).exists()))


def findings(paths: Iterable[Path]) -> Iterator[Finding]:
    """Yield every banned phrase and identifier below these paths."""
    phrases, identifiers, _ = rules()
    anything = all_phrases()
    for path in files(paths):
        name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            if not anything.search(line):
                continue
            for pattern, instead in phrases:
                yield from (Finding(name, number, match[0], instead) for match in pattern.finditer(line))
        if path.suffix == ".py":
            for line_number, identifier in names_in(text):
                if (better := identifiers.get(identifier.strip("_"))) is not None:
                    yield Finding(name, line_number, identifier, better)


def files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in inside:
            if file.suffix in SUFFIXES and file.is_file() and "static" not in file.relative_to(path).parts[:-1]:
                yield file


def names_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield what a module names itself: classes, functions, arguments, variables."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def is_allowed(finding: Finding) -> bool:
    return any(
        finding.file.startswith(each.file) and re.fullmatch(each.words, finding.words, re.IGNORECASE)
        for each in rules()[2]
    )


def test_no_banned_words() -> None:
    left = [str(finding) for finding in findings_of_the_project() if not is_allowed(finding)]
    assert not left, f"{len(left)} banned words:\n" + "\n".join(left[:60])


def test_every_exception_is_used_and_says_why() -> None:
    uses = findings_of_the_project()
    for each in rules()[2]:
        assert each.why, each
        assert any(
            one.file.startswith(each.file) and re.fullmatch(each.words, one.words, re.IGNORECASE) for one in uses
        ), f"no longer needed: {each}"


if __name__ == "__main__":
    remaining = [each for each in findings(Path(name).resolve() for name in sys.argv[1:]) if not is_allowed(each)]
    print("\n".join(map(str, remaining)))
    print(f"{len(remaining)} findings")
