"""`assay data overlap`: find test items that occur in the training data."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option
from assay.datasets.overlap import LEVELS, SIDES, overlap
from assay.errors import AssayError
from assay.execution.loading import read_examples
from assay.records import to_json, write_jsonl
from assay.show.tables import Content, Table

EXAMPLE = """\b
Examples:
  assay data overlap train.jsonl test.jsonl
  assay data overlap e2e_nlg:e2e/trainset.csv e2e_nlg:e2e/testset.csv --near 0.9 -o leaks.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("train", type=PATH)
@click.argument("test", type=PATH)
@click.option(
    "--near",
    type=click.FloatRange(0.5, 1),
    default=0.8,
    show_default=True,
    help="Jaccard index of word trigrams from which items are near-duplicates.",
)
@click.option("--output", "-o", type=NEW_FILE, help="Write each overlapping test item with its nearest training item.")
@json_option
def command(train: Path, test: Path, near: float, output: Path | None, as_json: bool) -> None:
    """Count the items of TEST whose inputs or references occur in TRAIN: exactly, normalised, or nearly.

    TRAIN and TEST are files of examples, or DATASET:PATH for published files.
    """
    apart([output], [train, test])
    overlaps = overlap(read_examples(train).examples, read_examples(test).examples, near)
    left_out = [side for side in SIDES if side not in {each.side for each in overlaps}]
    if not overlaps:
        raise AssayError(f"{train} and {test}: neither inputs nor references are in both. Pass examples, not outputs.")
    warn(f"{side} are not compared: they are not in both files" for side in left_out)
    if output:
        rows = [
            {
                "side": each.side,
                "id": match.id,
                "train": match.other,
                "level": match.level,
                "similarity": match.similarity,
            }
            for each in overlaps
            for match in each.matches
        ]
        write_jsonl(output, rows)
    if as_json:
        sides = {each.side: {"items": each.items, **each.counts()} for each in overlaps}
        click.echo(to_json({"near": near, "overlap": sides}))
        return
    rows_shown: list[list[Content]] = [
        [each.side, each.items, *(f"{count:,} ({100 * count / each.items:.1f} %)" for count in each.counts().values())]
        for each in overlaps
    ]
    print_tables(Table.of(f"items of {test} that occur in {train}", ["", "items", *LEVELS], rows_shown))
    click.echo("Each level includes the previous ones." + ("" if output else " -o FILE names the items."))
