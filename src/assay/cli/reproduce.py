"""`assay reproduce`: published tables, computed again from released data."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import click

from assay.cli.display import print_tables, warn
from assay.cli.options import PATH, json_option
from assay.cli.tables import format_option
from assay.errors import AssayError
from assay.meta.reproduce import REPRODUCTIONS, Cell, reproduce
from assay.meta.tables.published import cell_tables, scoreboard
from assay.records import to_json
from assay.show.tables import Form

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
def command(name: str | None, data: Path | None, everything: bool, form: Form, as_json: bool) -> None:
    """Recompute published numbers. NAME is one of frank, eks, narrative, e2e, webnlg; without it, a scoreboard."""
    folder = data or Path(os.environ.get("ASSAY_DATA", DATA))
    if not folder.is_dir():
        raise AssayError(f"{folder}: no such folder; name the released data with --data or ASSAY_DATA")
    if name is not None:
        cells = reproduce(name, folder)
        if as_json:
            click.echo(to_json({"rows": [asdict(cell) for cell in cells]}))
        else:
            print_tables(*cell_tables(cells, everything), form=form)
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
    print_tables(scoreboard(found), form=form)
    warn(f"{each} skipped: {why}" for each, why in missing.items())
