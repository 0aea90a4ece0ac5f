"""The form of the documents: short lines and paragraphs, the parts of a guide, and paths and links that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(DOCS.rglob("*.md")),
    *sorted(page for page in (ROOT / "src/assay").glob("*/README.md") if page.parent.name != "sample"),
]
GENERATED = {DOCS / "reference/commands.md"}
"""Help texts, written by a program."""
LONGEST_LINE = 120
LONGEST_PARAGRAPH = 6
LONGEST = {"README.md": 120, "docs/architecture.md": 150}
"""Lines of a document."""
NO_GUIDES = ("index.md", "gallery.md", "contributing.md", "architecture.md")
INVENTED = ("tests/metrics/test_exact.py",)


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the first line and the number of lines of every paragraph and list item outside code and tables."""
    fenced, start, length = False, 0, 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        prose = not fenced and line.strip() and not line.startswith(("    ", "#", "|", "<", "```"))
        if not prose or re.match(r" *(?:[-*]|\d+\.) ", line):
            if length:
                yield start, length
            start, length = number, int(bool(prose))
        else:
            start, length = (start if length else number), length + 1


@pytest.mark.parametrize("document", DOCUMENTS, ids=shown)
def test_lines_and_paragraphs_are_short(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    if document not in GENERATED:
        wide = ("|", "{") if document.parent.name in ("metrics", "datasets") else ()  # tables, records
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if not line.startswith(wide)]
        long = [number for number, line in lines if len(line) > LONGEST_LINE]
        assert not long, f"lines above {LONGEST_LINE} characters: {long}"
    blocks = [start for start, length in paragraphs(text) if length > LONGEST_PARAGRAPH]
    assert not blocks, f"paragraphs above {LONGEST_PARAGRAPH} lines, at lines {blocks}"


@pytest.mark.parametrize("name", LONGEST)
def test_documents_stay_short(name: str) -> None:
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= LONGEST[name]


@pytest.mark.parametrize("guide", [page for page in sorted(DOCS.glob("*.md")) if page.name not in NO_GUIDES], ids=shown)
def test_a_guide_states_its_purpose_and_where_to_go_next(guide: Path) -> None:
    """A heading, one short paragraph, and at the end related pages."""
    text = guide.read_text(encoding="utf-8")
    heading, _, rest = text.partition("\n\n")
    assert re.fullmatch(r"# [^\n]+", heading)
    assert re.match(r"[A-Z`]", rest), "no paragraph below the heading"
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert sections[-1] == "See also"
    assert not re.search(r"20\d\d-\d\d-\d\d", text.replace("2020-07-01", "").replace("2027-01-31", "")), (
        "dates of measurement belong to docs/evidence"
    )


@pytest.mark.parametrize("document", DOCUMENTS, ids=shown)
def test_paths_that_are_named_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for path in re.findall(r"`((?:tests|src|tools|benchmarks|examples|deploy|web|locks|docs)/[\w./-]*\w)`", text):
        assert (ROOT / path).exists() or path in INVENTED, path
    for module in re.findall(r"python -m benchmarks[ .](\w+)", text):
        assert (ROOT / "benchmarks" / f"{module}.py").exists(), module


@pytest.mark.parametrize("document", DOCUMENTS, ids=shown)
def test_links_lead_to_files(document: Path) -> None:
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not re.match(r"\w+:", target):
            assert (document.parent / target).exists(), target
