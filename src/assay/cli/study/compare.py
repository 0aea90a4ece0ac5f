"""`assay study compare`: may the numbers of two studies stand in one table?"""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, format_option, json_option
from assay.records import to_json
from assay.show.tables import Column, Form, Table
from assay.studies.comparability import comparability
from assay.studies.design import read_design

EXAMPLE = """\b
Examples:
  assay study compare ours.toml theirs.toml
"""


@new_command(epilog=EXAMPLE)
@click.argument("a", type=PATH)
@click.argument("b", type=PATH)
@format_option
@json_option
def command(a: Path, b: Path, form: Form, as_json: bool) -> None:
    """Every difference between two designs that could move their numbers: criteria, wording, scales, people, items."""
    found = comparability(read_design(a), read_design(b))
    if as_json:
        click.echo(to_json({"comparable": not found, "differences": found}))
        return
    if not found:
        click.echo("The two studies asked the same, of the same kind of people, in the same way.")
        return
    columns = [Column("differs", "left"), Column(a.name, "left", fold=True), Column(b.name, "left", fold=True)]
    print_tables(
        Table(columns, [[row["what"], row["a"], row["b"]] for row in found], "Not comparable as they are"), form=form
    )
