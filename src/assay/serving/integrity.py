"""Integrity of a server: the database, its rows, the audit log, and the stored files that rows refer to."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, select

from assay.errors import AssayError
from assay.serving.audit import chain_problems
from assay.serving.blobs import Blobs
from assay.serving.database import DAMAGED, Database
from assay.serving.seals import problems
from assay.serving.tables import BLOB_COLUMNS


def database_problems(connection: Connection, *, newest: bool = True) -> list[str]:
    """Return what is damaged in the database; see `seals.problems`."""
    return problems(connection, newest=newest) or chain_problems(connection)


def require_sound(connection: Connection) -> None:
    """Raise AssayError if the database is damaged."""
    if damage := database_problems(connection):
        raise AssayError(DAMAGED.format(why=damage[0]))


def blob_digests(connection: Connection) -> list[str]:
    """Return the digests of all stored files that rows refer to."""
    digests: set[str] = set()
    tables = inspect(connection)
    for column in BLOB_COLUMNS:
        if column.name not in {each["name"] for each in tables.get_columns(column.table.name)}:
            continue  # of a later revision
        digests |= {str(name) for (name,) in connection.execute(select(column).where(column.is_not(None)).distinct())}
    return sorted(digests)


def require_startable(database: Database, folder: Path) -> None:
    """Raise AssayError if the database is damaged, or a stored file is missing; contents are verified when read."""
    with database.read() as connection:
        require_sound(connection)
        for digest in blob_digests(connection):
            if not (path := Blobs(folder / "blobs").path(digest)).is_file():
                raise AssayError(f"{path}: missing. Restore a backup: assay server restore NEW_FOLDER ARCHIVE")


def blob_problems(connection: Connection, folder: Path) -> list[str]:
    """Return the stored files that are missing or damaged."""
    blobs = Blobs(folder / "blobs")
    damage = []
    for digest in blob_digests(connection):
        try:
            blobs.open(digest).close()
        except AssayError as error:
            damage.append(str(error))
    return damage
