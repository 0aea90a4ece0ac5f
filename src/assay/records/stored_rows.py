"""Rows of an outputs file with all that a system stored next to the text, such as its n-best list."""

from __future__ import annotations

from pathlib import Path

import msgspec

from assay.records.documents import JSONObject
from assay.records.files import read_text


def rows_by_id(file: Path) -> dict[str, JSONObject]:
    """Return the JSON rows of a file of outputs by id; other lines have nothing next to a text."""
    rows = [msgspec.json.decode(line) for line in read_text(file).splitlines() if line.startswith("{")]
    return {str(row["id"]): row for row in rows if isinstance(row, dict) and "id" in row}
