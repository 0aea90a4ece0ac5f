"""`assay data list`: the datasets that can be read."""

from __future__ import annotations

import click

from assay.cli.data.cards import describe
from assay.cli.data.show import command as show
from assay.cli.shared.listing import Listing, list_command, text_columns
from assay.datasets import DATASETS
from assay.show.numbers import count
from assay.show.tables import Column

SPLITS = ("train", "validation", "test")
EXAMPLE = """\b
Examples:
  assay data list
  assay data list mucsum --json
"""
LISTING = Listing(
    key="datasets",
    registry=DATASETS,
    make=lambda dataset: dataset(),
    describe=describe,
    columns=[
        *text_columns("dataset", "task", "language", fold=("task", "language")),
        *(Column(split) for split in SPLITS),
        *text_columns("input", fold=("input",)),
    ],
    why="input",
    row=lambda name, card: [
        name,
        card["task"],
        " ".join(card["languages"]),
        *(count(card["sizes"].get(split)) for split in SPLITS),
        card["input_type"],
    ],
    order=lambda name, card: (card["task"], name),
)


@list_command(EXAMPLE)
@click.pass_context
def command(ctx: click.Context, name: str | None, as_json: bool) -> None:
    """List all datasets, or show the card of NAME (see `assay data show`)."""
    if name:
        ctx.invoke(show, name=name, as_json=as_json)
    else:
        LISTING.show("Next: assay data show NAME, assay data read NAME PATH -o examples.jsonl", as_json)
