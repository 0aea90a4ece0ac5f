"""`assay server backup`: write a backup archive."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.server.options import database_option, require_server
from assay.cli.shared.display import say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, NEW_FOLDER
from assay.server.manage import back_up_server, opened

EXAMPLE = """\b
Example:
  assay server backup server monday.tar
"""


@new_command(epilog=EXAMPLE)
@click.argument("folder", type=NEW_FOLDER)
@click.argument("archive", type=NEW_FILE)
@database_option
def command(folder: Path, archive: Path, database: str | None) -> None:
    """Write database, files and settings of the server in FOLDER to ARCHIVE (.tar, .tar.gz, .tar.bz2, .tar.xz)."""
    require_server(folder)
    with opened(folder, database) as server:
        counts = back_up_server(server, archive)
    say(f"{archive}: {counts} saved")
