"""What the server's commands share: the database option, and opening the server's folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.errors import AssayError
from assay.records.files import read_text

if TYPE_CHECKING:
    from assay.serving.served import Served

DATABASE = "ASSAY_DATABASE"
ADDRESS = "address"

database_option = click.option(
    "--database",
    metavar="URL",
    envvar=DATABASE,
    help=f"Database, e.g. postgresql://assay@db/assay (default: ${DATABASE}, else SQLite in FOLDER).",
)


@contextmanager
def opened(folder: Path, database: str | None, address: str = "") -> Iterator[Served]:
    """Open the server in a folder; links that are printed begin with the address it last listened on."""
    require_packages()
    from assay.serving.served import open_served

    served = open_served(folder, database or database_from_file(), last_address(folder) or address)
    try:
        yield served
    finally:
        served.database.close()


def last_address(folder: Path) -> str:
    """Return the address that the server last listened on."""
    file = folder / ADDRESS
    return read_text(file).strip() if file.is_file() else ""


def database_from_file() -> str | None:
    """Return the database URL from the file that ASSAY_DATABASE_FILE names, as containers pass secrets."""
    file = os.environ.get(f"{DATABASE}_FILE")
    if not file:
        return None
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise AssayError(f"{DATABASE}_FILE: {file} cannot be read ({error}); write the URL into it") from None


def require_packages() -> None:
    try:
        import alembic  # noqa: F401
        import fastapi  # noqa: F401
        import itsdangerous  # noqa: F401
        import python_multipart  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise AssayError(f"{error.name} is not installed; pip install 'assay-eval[studio]'") from None
