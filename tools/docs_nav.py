"""Hooks of mkdocs: navigation of generated folders, CONTRIBUTING.md as a page, doctests of the API reference.

Griffe, which reads the docstrings, loads this file as an extension.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import griffe

ROOT = Path(__file__).parents[1]
FOLDERS = {"Metrics": "metrics", "Datasets": "datasets", "Evidence": "evidence"}
DOCTEST = re.compile(r"^(>>> .*(?:\n(?!\n).*)*)", re.MULTILINE)


def on_config(config: Any) -> Any:
    """Add the pages of each folder to the reference section, its index first."""
    docs = Path(config["docs_dir"])
    reference = next(entry["Reference"] for entry in config["nav"] if "Reference" in entry)
    for title, folder in FOLDERS.items():
        pages = sorted(page.name for page in (docs / folder).glob("*.md") if page.name != "index.md")
        reference.append({title: [f"{folder}/index.md", *(f"{folder}/{name}" for name in pages)]})
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the text of CONTRIBUTING.md for its page, with links to pages of the site."""
    if page.file.src_uri != "contributing.md":
        return markdown
    return (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("](docs/", "](")


class Doctests(griffe.Extension):
    """Show doctests as code, inside an example section and outside."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            text = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.MULTILINE)
            obj.docstring.value = DOCTEST.sub(r"```python\n\1\n```", text)
