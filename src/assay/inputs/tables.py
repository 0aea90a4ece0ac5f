"""Highlighted tables as text: titles, and each highlighted cell with its column and row headers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.inputs.form import TRUE_FALSE, Form, Options, flag, structure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.records import Example

Cell = dict[str, Any]
LARGEST = 1_000_000
"""Positions a table may span; a damaged span would otherwise ask for unbounded memory."""


def grid(table: Sequence[Sequence[Cell]]) -> dict[tuple[int, int], tuple[int, int]]:
    """Which cell (row, index in it) covers each position, with row and column spans spread out."""
    cover: dict[tuple[int, int], tuple[int, int]] = {}
    for r, row in enumerate(table):
        column = 0
        for c, cell in enumerate(row):
            while (r, column) in cover:
                column += 1
            height, width = int(cell.get("row_span", 1) or 1), int(cell.get("column_span", 1) or 1)
            if height * width + len(cover) > LARGEST:
                raise AssayError("a table spans more than a million positions; its spans are damaged")
            for dr in range(height):
                for dc in range(width):
                    cover.setdefault((r + dr, column + dc), (r, c))
            column += width
    return cover


def headers(table: Sequence[Sequence[Cell]], cell: tuple[int, int]) -> tuple[list[str], list[str]]:
    """Column headers above a cell and row headers beside it, nearest last, each once."""
    cover = grid(table)
    places = [place for place, owner in cover.items() if owner == cell]
    rows, columns = {r for r, _ in places}, {c for _, c in places}
    above = {owner: None for (r, c), owner in sorted(cover.items()) if c in columns and r < min(rows)}
    beside = {owner: None for (r, c), owner in sorted(cover.items()) if r in rows and c < min(columns)}

    def texts(owners: dict[tuple[int, int], None]) -> list[str]:
        cells = [table[r][c] for r, c in owners]
        return [item["value"] for item in cells if item.get("is_header") and item["value"].strip()]

    return texts(above), texts(beside)


def _write(example: Example, options: Options) -> str:
    given = structure(example)
    parts = []
    for name in ("page_title", "section_title", "section_text"):
        if given.get(name) and (name != "section_text" or flag(options, "section_text")):
            parts.append(f"<{name}> {given[name]} </{name}>")
    parts.append("<table>")
    for r, c in sorted(given["highlighted"]):
        columns, rows = headers(given["table"], (r, c)) if flag(options, "headers") else ([], [])
        inner = [given["table"][r][c]["value"]]
        inner += [f"<col_header> {text} </col_header>" for text in columns]
        inner += [f"<row_header> {text} </row_header>" for text in rows]
        parts.append(f"<cell> {' '.join(inner)} </cell>")
    return " ".join([*parts, "</table>"])


TABLE = Form(
    name="table",
    about="titles and highlighted cells, each with its column and row headers",
    kind="table",
    write=_write,
    options={"headers": "true", "section_text": "false"},
    choices={"headers": TRUE_FALSE, "section_text": TRUE_FALSE},
)
