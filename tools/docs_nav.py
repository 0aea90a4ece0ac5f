"""A hook of mkdocs: pages of metrics and datasets, and pages that nobody listed, stand in the navigation too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FOLDERS = {"Metrics": "metrics", "Datasets": "datasets"}


def on_config(config: Any) -> Any:
    docs = Path(config["docs_dir"])
    at = next(i for i, entry in enumerate(config["nav"]) if "Background" in entry)
    made = []
    for title, folder in FOLDERS.items():
        pages = sorted(page.name for page in (docs / folder).glob("*.md") if page.name != "index.md")
        made.append({title: [f"{folder}/index.md", *(f"{folder}/{name}" for name in pages)]})
    listed = str(config["nav"])
    others = sorted(page.name for page in docs.glob("*.md") if f"'{page.name}'" not in listed)
    config["nav"][at]["Background"] += others
    config["nav"][at:at] = made
    return config
