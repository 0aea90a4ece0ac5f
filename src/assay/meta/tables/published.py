"""Tables of reproductions: counts of matching cells, and the cells of each published table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.meta.reproduce.cells import Cell as Published
from assay.meta.reproduce.cells import matched
from assay.show.tables import Column, Content, Table

ARITHMETIC = " (arithmetic on printed figures, not counted)"
VERDICTS = {True: "same", False: "differs", None: "–"}


def scoreboard(reproduced: Mapping[str, Sequence[Published]]) -> Table:
    """Return a row for each published table: cells that agree, differ, and cannot be compared.

    Arithmetic on printed figures has rows of its own, which the total does not count.
    """
    rows: list[list[Content]] = []
    for each, cells in reproduced.items():
        for table in dict.fromkeys(cell.table for cell in cells):
            for basis, words in (("data", ""), ("print", ARITHMETIC)):
                own = [cell for cell in cells if cell.table == table and cell.basis == basis]
                if own:
                    rows.append([f"{each}: {table}{words}", *matched(own)])
    rows.append(["all from data", *matched(c for cells in reproduced.values() for c in cells if c.basis == "data")])
    return Table.of("Published cells, recomputed", ["", "agree", "differ", "not comparable"], rows)


def cell_tables(cells: Sequence[Published], everything: bool = False) -> list[Table]:
    """Return a table for each published one: the cells that differ, or all cells."""
    columns = [
        Column("row", "left"), Column("column", "left"), Column("published"), Column("computed"),
        Column("", "left"), Column("note", "left", fold=True),
    ]  # fmt: skip
    tables = []
    for name, basis in dict.fromkeys((cell.table, cell.basis) for cell in cells):
        mine = [cell for cell in cells if (cell.table, cell.basis) == (name, basis)]
        same, other, silent = matched(mine)
        shown = [cell for cell in mine if everything or cell.match is False]
        rows = [[c.row, c.column, c.published, c.computed, VERDICTS[c.match], c.note] for c in shown]
        title = name + (ARITHMETIC if basis == "print" else "")
        tables.append(Table(columns, rows, f"{title}: {same} agree, {other} differ, {silent} not comparable"))
    return tables
