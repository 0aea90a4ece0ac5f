"""Options shared by the server commands."""

from __future__ import annotations

import click

from assay.serving.settings import DATABASE

database_option = click.option(
    "--database",
    metavar="URL",
    envvar=DATABASE,
    help=f"Database, e.g. postgresql://assay@db/assay (default: ${DATABASE}, else SQLite in FOLDER).",
)
