"""`assay data show`: the card of a dataset, and statistics measured on its files."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.data.cards import describe, home, measure, print_card, print_measured
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option
from assay.datasets import dataset
from assay.records import to_json

EXAMPLE = """\b
Examples:
  assay data show mucsum
  assay data show mucsum --path data/mucsum --split test
"""


@new_command(epilog=EXAMPLE)
@click.argument("name")
@click.option("--path", type=PATH, help="Files or folder of the dataset, to measure (default: the cache).")
@click.option("--split", help="Measure only this split.")
@json_option
def command(name: str, path: Path | None, split: str | None, as_json: bool) -> None:
    """Show the card of dataset NAME, with statistics measured on its files."""
    reader = dataset(name)
    folder = path or (home(reader) if home(reader).is_dir() else None)
    measured = measure(reader, folder, split) if folder else {}
    if as_json:
        click.echo(to_json({"datasets": {reader.name: describe(reader, folder) | {"measured": measured}}}))
        return
    print_card(reader, folder)
    print_measured(measured, reader)
