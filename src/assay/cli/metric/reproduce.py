"""`assay metric reproduce`: recompute published tables from released data."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import click

from assay.cli.shared.display import counted, print_tables, say, warn
from assay.cli.shared.help import CommandWithVerbs, new_command
from assay.cli.shared.options import PATH, refuse_idle, table_options
from assay.meta.reproduce import (
    all_cells_report,
    cells_report,
    check_name,
    draw,
    folder_of,
    reproduce,
    reproduce_all,
)
from assay.meta.tables.published import cell_tables, scoreboard
from assay.records import to_json
from assay.show.tables import Form

EXAMPLE = """\b
Examples:
  assay metric reproduce --data path/to/released/data
  assay metric reproduce frank --data path/to/released/data
  assay metric reproduce frank --data path/to/released/data --plots figures
  assay metric reproduce fetch eks --data path/to/released/data
"""


class ReproduceCommand(CommandWithVerbs):
    """`assay metric reproduce NAME`, and `assay metric reproduce fetch NAME`."""

    verbs: ClassVar = {"fetch": "assay.cli.metric.reproduce_fetch"}


@new_command(cls=ReproduceCommand, epilog=EXAMPLE)
@click.argument("name", required=False)
@click.option("--data", type=PATH, help="Folder of released data (default: $ASSAY_DATA).")
@click.option("--all", "everything", is_flag=True, help="Also show cells that match and cells that cannot be compared.")
@click.option("--models", is_flag=True, help="Also compute what requires a model, which can take hours (faithful).")
@table_options
def command(
    name: str | None, data: Path | None, everything: bool, models: bool, form: Form, plots: Path | None,
    figure_format: str, as_json: bool,
) -> None:  # fmt: skip
    """Recompute published tables. Without NAME: a summary of all papers whose data are available.

    NAME is one of frank, eks, narrative, fomc, tesa, faithful, multiwoz, pointer, simplification, e2e, alttest, gem,
    drs, fkgl, perception, similarity, style-transfer, webnlg and few-judgements. `assay metric reproduce fetch
    NAME` downloads released data.
    """
    if plots is None:
        refuse_idle(figure_format="--plots")
    if name is None:
        refuse_idle(plots="a NAME")
    if name is not None:
        check_name(name)
    folder = folder_of(name, data)
    if name is not None:
        cells = reproduce(name, folder, models)
        for path in draw(name, folder, plots, figure_format) if plots else ():
            click.echo(f"{path}", err=True)
        if as_json:
            click.echo(to_json(cells_report(cells)))
        else:
            print_tables(*cell_tables(cells, everything), form=form)
            hidden = sum(cell.match is not False for cell in cells)
            if form == "text" and hidden and not everything:
                say(
                    f"--all shows {counted(hidden, 'more cell')}: those that match, and those without a published value"
                )
        return
    tables, missing = reproduce_all(folder)
    if as_json:
        click.echo(to_json(all_cells_report(tables, missing)))
        return
    print_tables(scoreboard(tables), form=form)
    warn(f"{each} skipped: {why}" for each, why in missing.items())
