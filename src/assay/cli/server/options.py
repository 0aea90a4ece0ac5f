"""Options shared by the server commands."""

from __future__ import annotations

import re
from pathlib import Path

import click
from click.core import ParameterSource

from assay.cli.shared.display import warn
from assay.errors import AssayError
from assay.server.verify import DATABASE_FILE, is_server_folder
from assay.serving.settings import DATABASE, FILE

PASSWORD = re.compile(r"[a-z+]+://[^/?#@:]*:[^/?#@]+@|[?&]password=", re.IGNORECASE)


def _database(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    is_argument = context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
    if value and is_argument and PASSWORD.search(value[:4000]):
        remedy = f"Write the URL to a file, and set {DATABASE}_FILE to its name."
        warn([f"--database: other users of this machine can see the password. {remedy}"])
    return value


database_option = click.option(
    "--database",
    metavar="URL",
    envvar=DATABASE,
    callback=_database,
    help=f"Database, e.g. postgresql://assay@db/assay (default: ${DATABASE}, else SQLite in the server folder).",
)


def require_server(folder: Path) -> None:
    """Refuse a folder that is not a server's: a mistyped name would become a new, empty server."""
    if not folder.is_dir():
        raise AssayError(f"{folder}: no such server folder. Check the path, or create it with `assay server start`.")
    if not is_server_folder(folder) and not (folder / FILE).is_file():  # settings may be written before the first start
        remedy = f"Check the path, or make it a server with `assay server start {folder}`."
        raise AssayError(f"{folder}: not a server folder ({DATABASE_FILE}, secret and {FILE} are missing). {remedy}")
