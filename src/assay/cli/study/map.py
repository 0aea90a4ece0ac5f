"""`assay study map`: convert a table of ratings to judgements."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from assay.cli.shared.display import say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option
from assay.records import to_json, write_jsonl
from assay.studies.mapping import map_ratings, read_mapping

EXAMPLE = """\b
Examples:
  assay study map ratings.csv --columns columns.toml -o judgements.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("table", type=PATH)
@click.option(
    "--columns", type=PATH, required=True, metavar="FILE",
    help="Mapping (TOML): the columns of id, system, annotator, criterion and value.",
)  # fmt: skip
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Judgements to write (JSONL).")
@json_option
def command(table: Path, columns: Path, output: Path, as_json: bool) -> None:
    """Convert the ratings in TABLE (CSV, TSV, JSON, JSONL, Parquet) to judgements."""
    apart([output], [table, columns])
    judgements = map_ratings(table, read_mapping(columns))
    write_jsonl(output, judgements)
    counts = Counter(judgement.criterion for judgement in judgements)
    if as_json:
        click.echo(to_json({"judgements": len(judgements), "criteria": counts}))
        return
    listed = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    say(f"{len(judgements):,} judgements in {output} ({listed})")
    say(f"Next: assay analyze agreement {output}")
