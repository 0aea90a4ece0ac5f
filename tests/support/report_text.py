"""The text of a report, with what a one-file report contains in compressed form."""

from __future__ import annotations

from pathlib import Path

from assay.explorer.standalone import unpacked


def report_text(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    return text + unpacked(text).decode() if 'id="data"' in text else text
