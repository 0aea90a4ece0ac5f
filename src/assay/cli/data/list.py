"""`assay data list`: the datasets that can be read."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.data.cards import describe
from assay.cli.data.show import command as show
from assay.cli.shared.display import cannot_be_loaded, print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.options import json_option
from assay.datasets import DATASETS
from assay.records import to_json
from assay.show.numbers import count
from assay.show.tables import Column, Table

SPLITS = ("train", "validation", "test")
EXAMPLE = """\b
Examples:
  assay data list
  assay data list mucsum --json
"""


@new_command(epilog=EXAMPLE)
@click.argument("name", required=False)
@json_option
@click.pass_context
def command(ctx: click.Context, name: str | None, as_json: bool) -> None:
    """List all datasets, or show the card of NAME (see `assay data show`)."""
    if name:
        ctx.invoke(show, name=name, as_json=as_json)
        return
    broken: dict[str, str] = {}
    described = dict(DATASETS.each(lambda cls: describe(cls()), broken))
    if as_json:
        click.echo(to_json({"datasets": described} | cannot_be_loaded(broken)))
    else:
        _print_all(described, broken)


def _print_all(cards: dict[str, dict[str, Any]], broken: dict[str, str]) -> None:
    columns = [
        *(Column(heading, "left", fold=heading != "dataset") for heading in ("dataset", "task", "language")),
        *(Column(split) for split in SPLITS),
        Column("input", "left", fold=True),
    ]
    rows = []
    for name, card in sorted(cards.items(), key=lambda each: (each[1]["task"], each[0])):
        sizes = [count(card["sizes"].get(split)) for split in SPLITS]
        rows.append([name, card["task"], " ".join(card["languages"]), *sizes, card["input_type"]])
    rows += [[name, "", "", "", "", "", why] for name, why in broken.items()]
    print_tables(Table(columns, rows))
    click.echo("Next: assay data show NAME, assay data read NAME PATH -o examples.jsonl")
