"""`assay server restore`: restore a backup archive."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.server.options import database_option
from assay.cli.shared.display import say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FOLDER, PATH
from assay.server.manage import restore_server

EXAMPLE = """\b
Example:
  assay server restore restored monday.tar
"""


@new_command(epilog=EXAMPLE)
@click.argument("folder", type=NEW_FOLDER)
@click.argument("archive", type=PATH)
@database_option
def command(folder: Path, archive: Path, database: str | None) -> None:
    """Restore ARCHIVE, written by `assay server backup`, into the empty FOLDER."""
    counts = restore_server(folder, archive, database)
    say(f"{folder}: {counts} restored")
    say(f"Next: assay server start {folder}")
