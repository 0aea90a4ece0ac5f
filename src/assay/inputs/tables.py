"""Highlighted tables as text: titles, and each highlighted cell with its column and row headers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from assay.errors import AssayError
from assay.inputs.form import Form

if TYPE_CHECKING:
    from assay.records import Example, kinds
    from assay.records.kinds import Cell

LARGEST = 1_000_000
"""Maximum number of positions of a table; a damaged span could otherwise require unbounded memory."""


def grid(table: Sequence[Sequence[Cell]]) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the cell (row, index in the row) that covers each position, with row and column spans."""
    cover: dict[tuple[int, int], tuple[int, int]] = {}
    for r, row in enumerate(table):
        column = 0
        for c, cell in enumerate(row):
            while (r, column) in cover:
                column += 1
            height, width = cell.row_span or 1, cell.column_span or 1
            if height * width + len(cover) > LARGEST:
                raise AssayError("a table spans more than a million positions; its spans are damaged")
            for dr in range(height):
                for dc in range(width):
                    cover.setdefault((r + dr, column + dc), (r, c))
            column += width
    return cover


def headers(table: Sequence[Sequence[Cell]], cell: tuple[int, int]) -> tuple[list[str], list[str]]:
    """Return column headers above a cell and row headers to its left, nearest last, without repetition."""
    cover = grid(table)
    places = [place for place, owner in cover.items() if owner == cell]
    rows, columns = {r for r, _ in places}, {c for _, c in places}
    above = {owner: None for (r, c), owner in sorted(cover.items()) if c in columns and r < min(rows)}
    left = {owner: None for (r, c), owner in sorted(cover.items()) if r in rows and c < min(columns)}

    def texts(owners: dict[tuple[int, int], None]) -> list[str]:
        cells = [table[r][c] for r, c in owners]
        return [item.value for item in cells if item.is_header and item.value.strip()]

    return texts(above), texts(left)


@dataclass(frozen=True)
class Table(Form):
    name: ClassVar = "table"
    about: ClassVar = "titles and highlighted cells, each with its column and row headers"
    kind: ClassVar = "table"

    headers: bool = True
    section_text: bool = False

    def write(self, example: Example, structure: kinds.Table) -> str:
        names = ("page_title", "section_title", *(("section_text",) if self.section_text else ()))
        parts = [f"<{name}> {text} </{name}>" for name in names if (text := getattr(structure, name))]
        parts.append("<table>")
        for r, c in sorted(structure.highlighted):
            columns, rows = headers(structure.table, (r, c)) if self.headers else ([], [])
            inner = [structure.table[r][c].value]
            inner += [f"<col_header> {text} </col_header>" for text in columns]
            inner += [f"<row_header> {text} </row_header>" for text in rows]
            parts.append(f"<cell> {' '.join(inner)} </cell>")
        return " ".join([*parts, "</table>"])
