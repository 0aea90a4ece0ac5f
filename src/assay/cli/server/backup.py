"""`assay server backup`: write a backup archive."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.server.opening import database_option, opened
from assay.cli.shared.display import say
from assay.cli.shared.options import NEW_FILE, NEW_FOLDER

EXAMPLE = """\b
Example:
  assay server backup server monday.tar
"""


@click.command(epilog=EXAMPLE)
@click.argument("folder", type=NEW_FOLDER)
@click.argument("archive", type=NEW_FILE)
@database_option
def command(folder: Path, archive: Path, database: str | None) -> None:
    """Write database, files and settings of the server in FOLDER to ARCHIVE (.tar)."""
    with opened(folder, database) as served:
        from assay.serving.backup import back_up

        counts = back_up(served.database, served.folder, archive)
        say(f"{archive}: {sum(counts.values()):,} rows of {len(counts)} tables, with all files they refer to")
