"""Restore of a backup: into a staging folder first, verified there, then moved into place.

While the staging folder exists, the server does not start, and a second restore removes what the first one left. The
database is filled in one transaction. Every row and file is read again and compared with the archive.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from sqlalchemy import Column, Connection, MetaData, Table, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from assay.errors import AssayError, first_line
from assay.records.files import sync_folder
from assay.records.size_limit import MAX_RATIO, format_size, read_limited, size_limit, too_large
from assay.serving import database as databases
from assay.serving import seals
from assay.serving.backup import CONTENT, KEPT, LIST, BackupCounts, dump_table
from assay.serving.blobs import Blobs
from assay.serving.database import Database, open_database
from assay.serving.integrity import require_sound
from assay.serving.migrate import migrate_database, revision_of
from assay.serving.secret import private
from assay.serving.tables import metadata

STAGING = ".restoring"
BATCH = 1000
"""Rows inserted at once."""
NOT_A_BACKUP = "cannot be read ({why}). Use an archive of `assay server backup`."


class Staged(NamedTuple):
    """An archive whose files are in the staging folder, verified."""

    revision: str
    counts: BackupCounts
    tables: dict[str, bytes]


def restore(url: str | None, folder: Path, source: Path) -> BackupCounts:
    """Restore an archive into an empty folder and an empty database; return what was restored.

    Args:
        url: URL of the database (default: SQLite in the folder).
        folder: The server folder, empty or to be created, or left by a restore that was interrupted.
        source: The archive, in any compression that `back_up` writes.
    """
    staging = folder / STAGING
    _clear(folder)
    staging.mkdir(0o700, parents=True)
    try:
        staged = _stage(source, staging)
        database = open_database(url, staging, migrate=False)
        try:
            _fill(database, staged, source)
        finally:
            database.close()
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise
    for entry in sorted(staging.iterdir()):
        entry.replace(folder / entry.name)
    sync_folder(folder)
    staging.rmdir()
    sync_folder(folder)
    return staged.counts


def require_no_restore(folder: Path) -> None:
    """Raise AssayError for a folder whose restore was interrupted."""
    if (folder / STAGING).exists():
        raise AssayError(f"{folder}: a restore was interrupted. Run the same `assay server restore` again.")


def _clear(folder: Path) -> None:
    """Remove what an interrupted restore left; refuse a folder with anything else in it."""
    if (folder / STAGING).exists():
        shutil.rmtree(folder / "blobs", ignore_errors=True)
        for path in (*(folder / name for name in KEPT), *folder.glob(f"{databases.FILE}*")):
            path.unlink(missing_ok=True)
        shutil.rmtree(folder / STAGING)
    if folder.exists() and (others := sorted(folder.iterdir())):
        raise AssayError(f"{folder}: contains {others[0].name}. Restore into an empty folder.")


def _stage(source: Path, staging: Path) -> Staged:
    """Copy files and blobs of an archive into the staging folder, and verify every checksum."""
    blobs = Blobs(staging / "blobs")
    tables: dict[str, bytes] = {}
    sums: dict[str, str] = {}
    listed: dict[str, str] | None = None
    content: dict[str, Any] = {}
    stored = size = 0
    try:
        for path, stream in _entries(source):
            kind, _, name = path.partition("/")
            if path in sums:
                raise AssayError(f"{source}: damaged ({path} occurs twice). Use another backup.")
            if kind == "blobs":
                sums[path] = blobs.put_stream(stream)
                if name != sums[path]:
                    raise AssayError(f"{source}: damaged (checksum of {path[:80]} differs). Use another backup.")
                stored, size = stored + 1, size + blobs.path(name).stat().st_size
                continue
            data = read_limited(stream, f"{source}: {path[:80]}")
            if path == LIST:
                listed = dict(line.split("  ", 1)[::-1] for line in data.decode().splitlines())
                continue
            sums[path] = hashlib.sha256(data).hexdigest()
            if path == CONTENT:
                content = json.loads(data)
            elif kind == "tables":
                tables[name.removesuffix(".jsonl")] = data
            elif kind == "files" and name in KEPT:
                with open(staging / name, "xb", opener=private) as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
            else:
                raise AssayError(f"{source}: damaged ({path[:80]} is not part of a backup). Use another backup.")
        if listed is None or listed != sums:
            bad = next((name for name in (*sums, *(listed or {})) if (listed or {}).get(name) != sums.get(name)), LIST)
            raise AssayError(f"{source}: damaged (checksum of {bad} differs). Use another backup.")
        expected = BackupCounts(**{name: content[name] for name in BackupCounts._fields})
        counts = BackupCounts({name: data.count(b"\n") for name, data in tables.items()}, stored, size)
        if counts != expected:
            raise AssayError(f"{source}: damaged (contains {counts}; {expected} were saved). Use another backup.")
        return Staged(str(content["revision"]), counts, tables)
    except (KeyError, TypeError, ValueError, EOFError, tarfile.TarError) as error:
        raise AssayError(f"{source}: {NOT_A_BACKUP.format(why=first_line(error))}") from None


def _entries(source: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield name and content of each file, in the order of the archive: compressed archives cannot seek.

    A small archive that decompresses to a huge one is refused before its content is read.
    """
    size = 0
    try:
        most = max(size_limit(), MAX_RATIO * source.stat().st_size)
        with tarfile.open(source, mode="r|*", errorlevel=2) as archive:
            for entry in archive:
                plain = entry.isfile() and not entry.issparse()
                stream: IO[bytes] | None = archive.extractfile(entry) if plain else None
                if stream is None:
                    raise AssayError(f"{source}: {entry.name[:80]} is not a file, so this is not a backup.")
                size += entry.size
                if size > most:
                    raise too_large(source, f"contains more than {format_size(size)}", most)
                yield entry.name, stream
    except (tarfile.TarError, OSError, EOFError) as error:
        raise AssayError(f"{source}: {NOT_A_BACKUP.format(why=first_line(error))}") from None


def _fill(database: Database, staged: Staged, source: Path) -> None:
    """Insert all rows at the revision of the archive, compare them with the archive, then migrate."""
    try:
        with database.read() as connection:
            at = revision_of(connection)
        if at not in (None, staged.revision):
            raise AssayError(f"The database has revision {at}, the backup {staged.revision}. Use an empty database.")
        migrate_database(database, staged.revision)
        with database.write() as connection:
            tables = [_table(connection, name) for name in _in_order(staged.tables, source)]
            if not _is_filled(connection, tables, staged):
                for table in tables:
                    rows = [json.loads(line) for line in staged.tables[table.name].split(b"\n") if line]
                    for start in range(0, len(rows), BATCH):
                        connection.execute(table.insert(), rows[start : start + BATCH])
            for table in tables:
                if dump_table(connection, table) != staged.tables[table.name]:
                    raise AssayError(f"{source}: table {table.name} was not restored as it was saved.")
        migrate_database(database)
        with database.read() as connection:
            require_sound(connection)
    except SQLAlchemyError as error:
        raise AssayError(f"{source}: cannot be restored ({first_line(error)}). Use another backup.") from None


def _in_order(names: dict[str, bytes], source: Path) -> list[str]:
    known = [table.name for table in metadata.sorted_tables]
    if unknown := sorted(set(names) - set(known)):
        raise AssayError(f"{source}: unknown table {unknown[0]}. Use a newer version of assay.")
    return [name for name in known if name in names]


def _table(connection: Connection, name: str) -> Table:
    """Return a table as it is at the revision of the archive, without the seals."""
    columns = inspect(connection).get_columns(name)
    own = [Column(column["name"], column["type"]) for column in columns if column["name"] != seals.COLUMN]
    return Table(name, MetaData(), *own)


def _is_filled(connection: Connection, tables: list[Table], staged: Staged) -> bool:
    """Return whether an interrupted restore has already filled the database; refuse one with other rows."""
    rows = [table.name for table in tables if connection.execute(select(table).limit(1)).first() is not None]
    if not rows:
        return False
    if all(dump_table(connection, table) == staged.tables[table.name] for table in tables):
        return True
    raise AssayError(f"The database is not empty (table {rows[0]}). Restore into an empty database.")
