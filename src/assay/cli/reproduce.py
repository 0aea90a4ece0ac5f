"""`assay reproduce`: published tables, computed again from released data."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import click

from assay.cli.display import warn
from assay.cli.options import PATH, json_option
from assay.cli.tables import format_option, show
from assay.errors import AssayError
from assay.meta.reproduce import REPRODUCTIONS, Cell, matched, reproduce
from assay.meta.tables import Format, Table
from assay.records import to_json

EXAMPLE = """\b
Examples:
  assay reproduce --data path/to/released/data
  assay reproduce frank --data path/to/released/data
"""
DATA = "../shared/data"


@click.command(epilog=EXAMPLE)
@click.argument("name", required=False)
@click.option("--data", type=PATH, help="Folder of released data; else $ASSAY_DATA.")
@click.option("--all", "everything", is_flag=True, help="Also the cells that agree and those that cannot be compared.")
@format_option
@json_option
def command(name: str | None, data: Path | None, everything: bool, form: Format, as_json: bool) -> None:
    """Recompute published numbers. NAME is one of frank, eks, narrative, e2e, webnlg; without it, a scoreboard."""
    folder = data or Path(os.environ.get("ASSAY_DATA", DATA))
    if not folder.is_dir():
        raise AssayError(f"{folder}: no such folder; name the released data with --data or ASSAY_DATA")
    if name is not None:
        cells = reproduce(name, folder)
        if as_json:
            click.echo(to_json({"rows": [asdict(cell) for cell in cells]}))
        else:
            show(_details(cells, everything), form)
        return
    found: dict[str, list[Cell]] = {}
    missing: dict[str, str] = {}
    for each in REPRODUCTIONS:
        try:
            found[each] = reproduce(each, folder)
        except AssayError as why:
            missing[each] = str(why)
    if not found:
        raise AssayError(f"{folder}: nothing to reproduce there; {next(iter(missing.values()))}")
    if as_json:
        rows = [asdict(cell) | {"table": f"{each}: {cell.table}"} for each, cells in found.items() for cell in cells]
        skipped = [{"name": each, "why": why} for each, why in missing.items()]
        click.echo(to_json({"rows": rows, "skipped": skipped}))
        return
    show([_scoreboard(found)], form)
    warn(f"{each} skipped: {why}" for each, why in missing.items())


def _scoreboard(found: dict[str, list[Cell]]) -> Table:
    rows = []
    for each, cells in found.items():
        for table in dict.fromkeys(cell.table for cell in cells):
            same, other, silent = matched(cell for cell in cells if cell.table == table)
            rows.append([f"{each}: {table}", str(same), str(other), str(silent)])
    total = matched(cell for cells in found.values() for cell in cells)
    rows.append(["all", *map(str, total)])
    return Table("Published cells, recomputed", ["", "agree", "differ", "not comparable"], rows)


def _details(cells: list[Cell], everything: bool) -> list[Table]:
    tables = []
    for name in dict.fromkeys(cell.table for cell in cells):
        mine = [cell for cell in cells if cell.table == name]
        same, other, silent = matched(mine)
        shown = mine if everything else [cell for cell in mine if cell.match is False]
        caption = f"{name}: {same} agree, {other} differ, {silent} not comparable"
        rows = [[c.row, c.column, _shown(c.published), _shown(c.computed), _verdict(c.match), c.note] for c in shown]
        tables.append(Table(caption, ["row", "column", "published", "computed", "", "note"], rows))
    return tables


def _shown(value: float | str | None) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.4g}"


def _verdict(match: bool | None) -> str:
    return {True: "same", False: "differs", None: "–"}[match]
