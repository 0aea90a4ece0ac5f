"""The documentation as a site: pictures, navigation, the notebook, and no requests to other servers."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from tools import refresh_docs

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LARGEST = 150_000
"""Bytes of a picture: the repository keeps every version of it."""


def pages() -> list[Path]:
    return sorted(DOCS.rglob("*.md"))


def test_pictures_are_small_and_shown() -> None:
    shown = set()
    for page in pages():
        for described, path in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            assert described, f"{page.name}: {path} has no alternative text"
            shown.add((page.parent / path).resolve())
    files = set((DOCS / "pictures").iterdir())
    assert shown == files
    assert max(picture.stat().st_size for picture in files) < LARGEST


@pytest.mark.slow
def test_figures_are_those_of_the_sample(tmp_path: Path) -> None:
    """When this fails: python tools/make_pictures.py."""
    subprocess.run(
        [sys.executable, ROOT / "tools/make_pictures.py", "--figures", tmp_path], check=True, capture_output=True
    )
    drawn = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert drawn == {name: (DOCS / "pictures" / name).read_bytes() for name in drawn}
    assert len(drawn) == len(list((DOCS / "pictures").glob("*.svg")))


def test_every_page_is_in_the_navigation() -> None:
    pytest.importorskip("griffe")
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    nav = pytest.importorskip("yaml").safe_load(text)["nav"]
    made = runpy.run_path(str(ROOT / "tools/docs_nav.py"))["on_config"]({"docs_dir": str(DOCS), "nav": nav})
    assert {str(page.relative_to(DOCS)) for page in pages()} == set(re.findall(r"[\w/-]+\.md", str(made["nav"])))
    assert "name: material" in text
    assert "- search" in text


@pytest.mark.slow
def test_the_notebook_prints_what_it_shows() -> None:
    """When this fails: python tools/refresh_docs.py docs/tour.ipynb."""
    pytest.importorskip("nbclient")
    shown = refresh_docs.NOTEBOOK.read_text(encoding="utf-8")
    assert refresh_docs.refreshed(refresh_docs.NOTEBOOK) == shown.splitlines()
    assert shown.count('"output_type"') > 6


@pytest.mark.slow
def test_the_site_is_built_and_loads_nothing_from_other_servers(tmp_path: Path) -> None:
    """Without a warning: every link, page and docstring is found."""
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


def test_pages_to_refresh_are_chosen_by_path() -> None:
    assert refresh_docs.chosen_pages([], []) == refresh_docs.PAGES
    chosen = refresh_docs.chosen_pages([], ["power.md", "coming-from/"])
    assert {page.name for page in chosen} >= {"power.md", "sacrebleu.md"}
    assert all("power.md" in str(page) or page.parent.name == "coming-from" for page in chosen)
    with pytest.raises(SystemExit, match="no page has nowhere"):
        refresh_docs.chosen_pages([], ["nowhere"])
    with pytest.raises(SystemExit, match="no such page"):
        refresh_docs.chosen_pages([ROOT / "docs" / "nowhere.md"], [])
    with pytest.raises(SystemExit) as done:
        refresh_docs.main(["--help"])
    assert done.value.code == 0
