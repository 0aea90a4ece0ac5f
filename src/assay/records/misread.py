"""Files that would be read as plain text, one item per line, and are something else: tables without known names, pages
and documents. They are refused with the way to write them."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from assay.errors import AssayError

PAGE = re.compile(r"<(?:!doctype\b|html\b|\?xml\b)", re.IGNORECASE)
ELEMENT = re.compile(r"<([A-Za-z][\w.-]*)>")
"""A first line that only opens an element; a document closes it in its last line."""


def refuse_document(lines: list[str], path: Path) -> None:
    """Refuse HTML, XML and the YAML of promptfoo: their lines would be scored as texts."""
    filled = [line.strip() for line in lines if line.strip()]
    if len(filled) < 2:
        return
    opened = ELEMENT.fullmatch(filled[0])
    if (PAGE.match(filled[0]) and "</" not in filled[0]) or (opened and filled[-1] == f"</{opened[1]}>"):
        remedy = "Write one JSON object per line, or one text per line."
        if filled[0] == "<promptfoo>":
            remedy = "Write results as JSON: promptfoo eval -o results.json."
        raise AssayError(f"{path}:1: HTML or XML, not outputs ({filled[0][:24]}). {remedy}")
    if filled[0].startswith("evalId:") and filled[1] == "results:":
        raise AssayError(f"{path}:1: YAML of promptfoo, which is not read. Use promptfoo eval -o results.json.")


def refuse_nameless_table(lines: list[str], path: Path) -> None:
    """Refuse lines with equal numbers of tabs: a table with unknown columns would be scored as plain text."""
    tabs = lines[0].count("\t") if len(lines) > 1 else 0
    if tabs and all(line.count("\t") == tabs for line in lines):
        shown = ", ".join(cell.strip()[:24] for cell in lines[0].split("\t")[:6])
        raise AssayError(
            f"{path}:1: no known name among {tabs + 1} tab-separated columns ({shown}). Name the column of outputs "
            '"output" and that of references "reference"; docs/files.md lists all names.'
        )


def refuse_nameless_csv(text: str, path: Path) -> None:
    """Refuse a file that calls itself CSV, whose rows have equal numbers of columns of unknown names."""
    rows = _equal_rows(text, ",") or _equal_rows(text, ";")
    if not rows:
        return
    columns = len(rows[0])
    shown = ", ".join(cell.strip()[:24] for cell in rows[0][:6])
    remedy = 'Name the column of outputs "output" and that of references "reference"; docs/files.md lists all names.'
    if "Grader Reason" in rows[0]:
        remedy = "It looks like a table of promptfoo: write its results as JSON (promptfoo eval -o results.json)."
    raise AssayError(f"{path}:1: no known name among {columns} columns ({shown}). {remedy}")


def _equal_rows(text: str, delimiter: str) -> list[list[str]]:
    """Return the rows of a table, all of the same number of columns; empty if the text is none."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if row]
    except csv.Error:
        return []
    columns = len(rows[0]) if len(rows) > 1 else 1
    return rows if columns > 1 and all(len(row) == columns for row in rows) else []
