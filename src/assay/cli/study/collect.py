"""`assay study collect`: read completed annotation sheets."""

from __future__ import annotations

import time
from pathlib import Path

import click

from assay.cli.shared.display import say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FOLDER, PATH, json_option
from assay.errors import AssayError
from assay.records import to_json
from assay.records.locks import Lock
from assay.studies.design import read_design
from assay.studies.events import Journal
from assay.studies.quality import grade_all
from assay.studies.sheets import collect_sheet
from assay.studies.study import Study

EXAMPLE = """\b
Examples:
  assay study collect study.jsonl --design design.toml sheets/person-1.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("journal", type=NEW_FOLDER)
@click.argument("sheets", type=PATH, nargs=-1, required=True)
@click.option("--design", type=PATH, required=True, help="Design of the study.")
@json_option
def command(journal: Path, sheets: tuple[Path, ...], design: Path, as_json: bool) -> None:
    """Read completed SHEETS into the journal; reading a sheet again changes nothing."""
    if not journal.is_file():
        raise AssayError(f"{journal}: no such file. Make a journal with `assay study assign`.")
    with Lock.of_file(journal):
        study = Study(read_design(design), Journal(journal))
        collected = {path: collect_sheet(study, path, time.time()) for path in sheets}
        blocked = grade_all(study, time.time())
    if as_json:
        rows = [{"sheet": str(path), "answered": done, "empty": empty} for path, (done, empty) in collected.items()]
        click.echo(to_json({"sheets": rows, "blocked": blocked}))
        return
    for path, (done, empty) in collected.items():
        say(f"{path}: {done:,} tasks answered, {empty:,} still empty")
    warn(f"{name} is blocked ({why}); their answers are kept separately" for name, why in blocked.items())
