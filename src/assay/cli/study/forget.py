"""`assay study forget`: delete one participant's data."""

from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from assay.cli.server.options import database_option
from assay.cli.shared.display import say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FOLDER, PATH
from assay.errors import AssayError, UsageError
from assay.serving.settings import database_url
from assay.studies.design import read_design
from assay.studies.forget import forget

EXAMPLE = """\b
Examples:
  assay study forget study.jsonl --design design.toml --person p-1f0c2a9b3d
  assay study forget studies --study frank --person p-1f0c2a9b3d
"""


@new_command(epilog=EXAMPLE)
@click.argument("journal", type=NEW_FOLDER)
@click.option("--design", type=PATH, help="Design, if JOURNAL is a file.")
@click.option("--study", help="Study, if JOURNAL is the folder of a server.")
@database_option
@click.option("--person", required=True, help="Name of the participant, original or as in exports.")
def command(journal: Path, design: Path | None, study: str | None, database: str | None, person: str) -> None:
    """Delete all data of one participant from JOURNAL; their tasks are assigned to others.

    JOURNAL is a file, which no other process may write to, or the folder of a server, which may be running. Exported
    files are not changed.
    """
    if journal.is_dir():
        if study is None:
            raise UsageError(f"{journal} is the folder of a server. Name the study with --study.")
        gone = _on_server(journal, study, database or database_url(), person)
        say(f"{study}: {gone:,} events deleted")
        return
    if not journal.is_file():
        raise AssayError(f"{journal}: no such file. Pass the journal of a study.")
    source = click.get_current_context().get_parameter_source("database")  # a variable may be set for servers
    if design is None or study or source is ParameterSource.COMMANDLINE:
        raise UsageError(f"{journal} is a file: pass --design, and neither --study nor --database")
    gone = forget(journal, read_design(design), person)
    say(f"{journal}: {gone:,} events deleted")


def _on_server(folder: Path, study: str, database: str | None, person: str) -> int:
    try:
        from assay.serving.database import open_database
        from assay.studies.server.annotation_queue import AnnotationQueue
        from assay.studies.server.sign_in import forget_annotator
    except ImportError as error:
        raise AssayError(f"{error.name} is not installed; pip install 'assay-eval[studio]'") from None
    if database is None and not (folder / "assay.sqlite").is_file():
        raise AssayError(f"{folder}: no server database. Pass the folder of a server, or --database URL.")
    queue = AnnotationQueue(open_database(database, folder))
    try:
        return queue.write(study, lambda tx: forget_annotator(tx, person)).result()
    finally:
        queue.close()
