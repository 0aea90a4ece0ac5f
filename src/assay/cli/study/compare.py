"""`assay study compare`: check whether two studies are comparable."""

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
    """List differences between two designs that affect their results: criteria, wording, scales, annotators, items."""
    differences = comparability(read_design(a), read_design(b))
    if as_json:
        click.echo(to_json({"comparable": not differences, "differences": differences}))
        return
    if not differences:
        click.echo("The two studies are comparable: same questions, annotators and presentation.")
        return
    columns = [Column("differs", "left"), Column(a.name, "left", fold=True), Column(b.name, "left", fold=True)]
    print_tables(
        Table(columns, [[row["what"], row["a"], row["b"]] for row in differences], "Not comparable"), form=form
    )
