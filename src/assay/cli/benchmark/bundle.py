"""`assay benchmark bundle`: write the public bundle of a store."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.submission import is_day
from assay.benchmark.submission_store import open_version
from assay.cli.benchmark.rescore import stored_version
from assay.cli.shared.display import counted, say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FOLDER, PATH, json_option
from assay.errors import UsageError
from assay.records import to_json

EXAMPLE = """\b
Example:
  assay benchmark bundle store --version 1 -o tides.zip
"""


@new_command(epilog=EXAMPLE)
@click.argument("store", type=PATH)
@stored_version
@click.option("--output", "-o", type=NEW_FOLDER, required=True, help="Folder or .zip file to write.")
@click.option("--as-of", "day", help="Date of publication, e.g. 2027-01-31 (default: today).")
@json_option
def command(store: Path, version: str | None, output: Path, day: str | None, as_json: bool) -> None:
    """Write the public part of STORE (outputs, statistics, scores, cards), for `assay view`.

    Submissions that are anonymous on that date get another name and no card.
    """
    from assay.benchmark.bundle import write_bundle

    if day is not None and not is_day(day):
        raise UsageError(f"--as-of {day}: use a date like 2027-01-31")
    chosen = open_version(store, version)
    records = write_bundle(chosen, output, day=day or "")
    if as_json:
        click.echo(to_json({"bundle": str(output), "benchmark": chosen.manifest.title, "submissions": len(records)}))
        return
    say(f"{output}: {chosen.manifest.title}, {counted(len(records), 'submission')}")
    say(f"Next: assay view {output}")
