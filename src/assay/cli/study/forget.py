"""`assay study forget`: one person's data out of a study."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.display import say
from assay.cli.options import PATH
from assay.errors import AssayError
from assay.studies.design import read_design
from assay.studies.forget import forget

EXAMPLE = """\b
Examples:
  assay study forget study.jsonl --design design.toml --person p-1f0c2a9b3d
"""


@click.command("forget", epilog=EXAMPLE)
@click.argument("journal", type=PATH)
@click.option("--design", type=PATH, required=True, help="The design the study was opened with.")
@click.option("--person", required=True, help="As they came, or as exports name them.")
def command(journal: Path, design: Path, person: str) -> None:
    """Take everything that one person did out of a JOURNAL, for good; others are given their tasks.

    Nothing else may write to the journal meanwhile. Files exported before are not touched.
    """
    if not journal.is_file():
        raise AssayError(f"{journal}: no such file; give the journal of a study")
    gone = forget(journal, read_design(design), person)
    say(f"{journal}: {gone:,} events are gone")
