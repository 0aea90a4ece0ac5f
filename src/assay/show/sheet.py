"""Font, colours and components of pages that are one file, and of servers."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

ROOM = "assay.explorer"
SHEETS = ("tokens.css", "ui.css")


@cache
def font() -> bytes:
    """Return the font: Inter's Latin letters, figures and signs as WOFF2."""
    return files(ROOM).joinpath("templates", "inter.woff2").read_bytes()


def font_name() -> str:
    """Return a file name that changes with the font, so that browsers may keep it."""
    return f"inter-{hashlib.sha256(font()).hexdigest()[:12]}.woff2"


def embedded_font() -> str:
    """Return the font as an address with the data inside."""
    return f"data:font/woff2;base64,{base64.b64encode(font()).decode()}"


def sheet(address: str = "") -> str:
    """Return the style sheet of all pages.

    Args:
        address: Address of the font (default: its data, so that the page needs no other file).
    """
    face = (
        f'@font-face {{ font-family: "Inter"; src: url("{address or embedded_font()}") format("woff2"); '
        "font-weight: 400 700; font-display: swap; }\n"
    )
    return face + "".join(files(ROOM).joinpath("templates", name).read_text(encoding="utf-8") for name in SHEETS)
