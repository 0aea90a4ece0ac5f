"""`assay benchmark shrink`: fewer items with the same conclusions."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import print_tables, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, format_option, json_option, seed_option
from assay.meta.shrink import shrink
from assay.records import to_json
from assay.records.files import write_jsonl
from assay.show.numbers import fixed
from assay.show.tables import Column, Form, Table

EXAMPLE = """\b
Examples:
  assay benchmark shrink scores.jsonl --score chrf --keep 100 -o kept.jsonl
  assay benchmark shrink a.jsonl b.jsonl c.jsonl d.jsonl e.jsonl --score rouge1 --keep 50 -o kept.jsonl --json
"""


@new_command(epilog=EXAMPLE)
@click.argument("scores", type=PATH, nargs=-1, required=True)
@click.option("--keep", type=click.IntRange(2), required=True, metavar="N", help="Number of items to keep.")
@click.option("--score", metavar="NAME", help="Score to use, if there are several.")
@click.option("-o", "--output", type=NEW_FILE, help="Write the ids of the kept items.")
@seed_option
@format_option
@json_option
def command(
    scores: tuple[Path, ...], keep: int, score: str | None, output: Path | None, seed: int, form: Form, as_json: bool
) -> None:
    """Choose the items of a smaller test set, from scores of known systems by id and system.

    The kept items are a random subset on which these systems have the means of all items. What a new system loses is
    measured on each known system with items chosen without it.
    """
    apart([output], scores)
    result = shrink(list(scores), keep, score, seed)
    if output:
        write_jsonl(output, [{"id": id} for id in result.ids])
    if as_json:
        click.echo(to_json(result.record()))
        return
    columns = [Column("system", "left"), Column("all items"), Column("kept"), Column("error if new")]
    rows = [[row["system"], fixed(row["mean"]), fixed(row["kept"]), fixed(row["error"])] for row in result.systems]
    notes = [
        "error if new: root mean squared error of the mean with items that were chosen without this system",
        f"error with as many random items: {result.random:.3g} instead of {result.error:.3g}; these are worth "
        f"{result.worth:.0f} random ones",
    ]
    caption = f"{result.score}: {len(result.ids)} of {result.items:,} items"
    print_tables(Table(columns, rows, caption=caption, notes=notes), form=form)
    say(result.sentence())
    warn(result.notes)
