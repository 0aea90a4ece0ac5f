"""The built pages, as few files as there are: known by name, read once."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
KINDS = {"index.html": "text/html; charset=utf-8", "pages.js": "text/javascript", "pages.css": "text/css"}
HOW = "the pages are not built; run `make pages` in the source folder (it needs node and npm), or install a wheel"


def folder() -> Path:
    return Path(str(files("assay.explorer"))) / "static"


def built() -> bool:
    return all((folder() / name).is_file() for name in KINDS)


def static_files() -> dict[str, tuple[bytes, str]]:
    """Content and kind of each file, by the name a browser asks for."""
    return {name: ((folder() / name).read_bytes(), kind) for name, kind in KINDS.items()}
