"""The documentation as a site: its pictures, its pages, the question it follows, and the notebook."""

from __future__ import annotations

import doctest
import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Call

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SAMPLE = ROOT / "src/assay/sample"
LARGEST = 150_000
"""Bytes of a picture: the repository keeps every version of it."""


def pages() -> list[Path]:
    return sorted(DOCS.rglob("*.md"))


def test_pictures_are_there_small_and_shown() -> None:
    shown = set()
    for page in pages():
        for said, path in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            assert said, f"{page.name}: {path} has no words for those who cannot see it"
            shown.add((page.parent / path).resolve())
    there = set((DOCS / "pictures").iterdir())
    assert shown == there
    assert max(picture.stat().st_size for picture in there) < LARGEST


@pytest.mark.slow
def test_figures_are_those_of_the_sample(tmp_path: Path) -> None:
    """Who changes a figure draws the pictures anew: python tools/make_pictures.py"""
    subprocess.run(
        [sys.executable, ROOT / "tools/make_pictures.py", "--figures", tmp_path], check=True, capture_output=True
    )
    drawn = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert drawn == {name: (DOCS / "pictures" / name).read_bytes() for name in drawn}
    assert len(drawn) == len(list((DOCS / "pictures").glob("*.svg")))


def test_every_page_is_in_the_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    nav = pytest.importorskip("yaml").safe_load(text)["nav"]
    made = runpy.run_path(str(ROOT / "tools/docs_nav.py"))["on_config"]({"docs_dir": str(DOCS), "nav": nav})
    assert {str(page.relative_to(DOCS)) for page in pages()} == set(re.findall(r"[\w/-]+\.md", str(made["nav"])))
    assert "name: material" in text
    assert "- search" in text


def shown_commands() -> list[tuple[str, list[str]]]:
    """The commands of the page, each with the lines printed under it."""
    found: list[tuple[str, list[str]]] = []
    for line in (DOCS / "getting-started.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("    $ assay "):
            found.append((line.removeprefix("    $ assay "), []))
        elif found and line.startswith("     "):
            found[-1][1].append(line)
    return found


@pytest.mark.slow
def test_the_question_is_answered_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: Callable[..., Call]
) -> None:
    shutil.copytree(SAMPLE, tmp_path / "sample")
    monkeypatch.chdir(tmp_path / "sample")
    commands = shown_commands()
    assert len(commands) == 6
    for command, printed in commands:
        call = here(*shlex.split(command))
        assert call.code == 0, call.err
        said = " ".join(f"{call.out} {call.err}".split())
        for line in printed:
            assert " ".join(line.split()) in said, line


def test_the_python_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLE)
    page = (DOCS / "getting-started.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    found = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(block, {}, "page", None, 0))
    assert (found.attempted, found.failed) == (5, 0)


def outputs(notebook: Any) -> list[str]:
    """What the cells of a notebook printed and gave back."""
    found = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            text = output.get("text") or output["data"]["text/plain"]
            found.append("".join(text))
    return found


@pytest.mark.slow
def test_the_notebook_runs_and_says_what_it_said(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    stored = json.loads((DOCS / "tour.ipynb").read_text(encoding="utf-8"))
    notebook = nbformat.read(DOCS / "tour.ipynb", as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    assert outputs(notebook) == outputs(stored)
    assert len(outputs(stored)) > 6


@pytest.mark.slow
def test_the_site_asks_no_other_server(tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", site],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    page = (site / "getting-started/index.html").read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|<link[^>]+href)="https?://[^"]+\.(?:js|css|woff2?)', page)
    assert "fonts.googleapis" not in page
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    assert any("getting-started" in entry["location"] for entry in index["docs"])
