"""`assay study forget`: one person's data out of a study."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FOLDER, PATH
from assay.errors import AssayError, UsageError
from assay.studies.design import read_design
from assay.studies.forget import forget

EXAMPLE = """\b
Examples:
  assay study forget study.jsonl --design design.toml --person p-1f0c2a9b3d
  assay study forget studies --study frank --person p-1f0c2a9b3d
"""


@new_command(epilog=EXAMPLE)
@click.argument("journal", type=NEW_FOLDER)
@click.option("--design", type=PATH, help="The design the study was opened with, where JOURNAL is a file.")
@click.option("--study", help="Which one, where JOURNAL is the folder of a server.")
@click.option("--database", metavar="URL", help="Of a server that keeps its studies in PostgreSQL.")
@click.option("--person", required=True, help="As they came, or as exports name them.")
def command(journal: Path, design: Path | None, study: str | None, database: str | None, person: str) -> None:
    """Take everything that one person did out of a JOURNAL, for good; others are given their tasks.

    JOURNAL may be the folder of a server, which may go on meanwhile; nothing else may write to a file. Files exported
    before are not touched.
    """
    if journal.is_dir():
        if study is None:
            raise UsageError(f"{journal} is the folder of a server; name the study with --study")
        gone = _on_server(journal, study, database, person)
        say(f"{study}: {gone:,} events are gone")
        return
    if not journal.is_file():
        raise AssayError(f"{journal}: no such file; give the journal of a study")
    if design is None or study or database:
        raise UsageError(f"{journal} is a file: it needs --design, and neither --study nor --database")
    gone = forget(journal, read_design(design), person)
    say(f"{journal}: {gone:,} events are gone")


def _on_server(folder: Path, study: str, database: str | None, person: str) -> int:
    try:
        from assay.serving.database import open_database
        from assay.studies.server.entrance import forget_person
        from assay.studies.server.store import Desk
    except ImportError as error:
        raise AssayError(f"{error.name} is not installed; pip install 'assay-eval[studio]'") from None
    if database is None and not (folder / "assay.sqlite").is_file():
        raise AssayError(f"{folder}: no database of a server; name its folder, or give --database URL")
    desk = Desk(open_database(database, folder))
    try:
        return desk.change(study, lambda work: forget_person(work, person)).result()
    finally:
        desk.close()
