"""`assay server restore`: restore a backup archive."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.server.opening import database_from_file, database_option, require_packages
from assay.cli.shared.display import say
from assay.cli.shared.options import NEW_FOLDER, PATH

EXAMPLE = """\b
Example:
  assay server restore restored monday.tar
"""


@click.command(epilog=EXAMPLE)
@click.argument("folder", type=NEW_FOLDER)
@click.argument("archive", type=PATH)
@database_option
def command(folder: Path, archive: Path, database: str | None) -> None:
    """Restore ARCHIVE, written by `assay server backup`, into the empty FOLDER."""
    require_packages()
    from assay.serving.backup import restore
    from assay.serving.database import open_database

    folder.mkdir(0o700, parents=True, exist_ok=True)
    store = open_database(database or database_from_file(), folder)
    try:
        counts = restore(store, folder, archive)
    finally:
        store.close()
    say(f"{folder}: {sum(counts.values()):,} rows of {len(counts)} tables restored")
    say(f"Next: assay server start {folder}")
