"""Backup and restore of a server: all tables and the blobs they refer to, in one archive.

A backup is consistent while the server is running: it reads one snapshot of the database, blobs never change, and a
blob is on disk before a row refers to it. The same content gives the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from assay.errors import AssayError
from assay.serving.blobs import Blobs
from assay.serving.database import Database
from assay.serving.migrate import migrate_database
from assay.serving.tables import BLOB_COLUMNS, metadata

LIST = "SHA256SUMS"
KEPT = ("secret", "assay.toml")
"""Further files of the server folder in a backup."""
BATCH = 1000
"""Rows inserted at once."""


def back_up(database: Database, folder: Path, target: Path) -> dict[str, int]:
    """Write an archive, which contains the server's secret: keep it private. Return the number of rows by table."""
    if target.exists():
        raise AssayError(f"{target}: file exists. Choose another name.")
    part = target.with_name(f".{target.name}.part")
    part.unlink(missing_ok=True)
    sums: list[str] = []
    counts: dict[str, int] = {}
    blobs = Blobs(folder / "blobs")
    try:
        with open(part, "xb", opener=_private) as stream, tarfile.open(fileobj=stream, mode="w") as archive:
            with database.read() as connection:
                digests = _blob_digests(connection)
                for table in metadata.sorted_tables:
                    content = b"".join(_rows(connection, table.name))
                    counts[table.name] = content.count(b"\n")
                    _add(archive, f"tables/{table.name}.jsonl", content, sums)
            for name in KEPT:
                if (folder / name).exists():
                    _add(archive, f"files/{name}", (folder / name).read_bytes(), sums)
            for digest in digests:
                _add(archive, f"blobs/{digest}", blobs.get(digest), sums)
            _add(archive, LIST, "".join(sums).encode(), [])
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return counts


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _blob_digests(connection: Connection) -> list[str]:
    digests: set[str] = set()
    for column in BLOB_COLUMNS:
        digests |= {str(name) for (name,) in connection.execute(select(column).where(column.is_not(None)).distinct())}
    return sorted(digests)


def _rows(connection: Connection, name: str) -> Iterator[bytes]:
    table = metadata.tables[name]
    rows = connection.execute(select(table)).mappings()
    lines = [json.dumps(dict(row), ensure_ascii=False, sort_keys=True) for row in rows]
    yield from (f"{line}\n".encode() for line in sorted(lines))


def _add(archive: tarfile.TarFile, name: str, content: bytes, sums: list[str]) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o600
    archive.addfile(entry, io.BytesIO(content))
    sums.append(f"{hashlib.sha256(content).hexdigest()}  {name}\n")


def restore(database: Database, folder: Path, source: Path) -> dict[str, int]:
    """Restore an archive into an empty folder and an empty database; return the number of rows by table.

    Nothing is written if the archive is damaged.
    """
    if any((folder / name).exists() for name in (*KEPT, "blobs")):
        raise AssayError(f"{folder}: contains a server. Restore into an empty folder.")
    tables, files, blobs = _checked(source)
    unknown = [name for name in tables if name not in metadata.tables]
    if unknown:
        raise AssayError(f"{source}: unknown table {unknown[0]}. Use a newer version of assay.")
    migrate_database(database)
    store = Blobs(folder / "blobs")
    counts = {}
    with database.write() as connection:
        for table in metadata.sorted_tables:
            if connection.execute(select(table).limit(1)).first() is not None:
                raise AssayError(f"The database is not empty (table {table.name}). Restore into an empty database.")
        for content in blobs:
            store.put(content())
        for table in metadata.sorted_tables:
            rows = [json.loads(line) for line in tables.get(table.name, b"").split(b"\n") if line]
            counts[table.name] = len(rows)
            for start in range(0, len(rows), BATCH):
                connection.execute(table.insert(), rows[start : start + BATCH])
    for name, content in files.items():
        with open(folder / name, "xb", opener=_private) as stream:
            stream.write(content)
    return counts


def _checked(source: Path) -> tuple[dict[str, bytes], dict[str, bytes], list[Any]]:
    """Return tables, files and blobs of an archive after verifying every checksum."""
    tables: dict[str, bytes] = {}
    files: dict[str, bytes] = {}
    blobs: list[Any] = []
    sums: dict[str, str] = {}
    listed = None
    try:
        with tarfile.open(source) as archive:
            for entry in archive:
                stream = archive.extractfile(entry)
                if stream is None:
                    raise AssayError(f"{source}: {entry.name} is not a file, so this is not a backup.")
                content = stream.read()
                kind, _, name = entry.name.partition("/")
                if entry.name == LIST:
                    listed = dict(line.split("  ", 1)[::-1] for line in content.decode().splitlines())
                    continue
                sums[entry.name] = hashlib.sha256(content).hexdigest()
                if kind == "tables":
                    tables[name.removesuffix(".jsonl")] = content
                elif kind == "files" and name in KEPT:
                    files[name] = content
                elif kind == "blobs":
                    blobs.append(_later(source, entry.offset_data, entry.size))
    except (tarfile.TarError, OSError, ValueError) as error:
        raise AssayError(f"{source}: cannot be read ({error}). Use an archive of `assay server backup`.") from None
    if listed is None or listed != sums:
        bad = next((name for name, digest in sums.items() if (listed or {}).get(name) != digest), LIST)
        raise AssayError(f"{source}: damaged (checksum of {bad} differs). Use another backup.")
    return tables, files, blobs


def _later(source: Path, offset: int, size: int) -> Any:
    """Return a function that reads a blob: all of them at once may not fit into memory."""

    def read() -> bytes:
        with source.open("rb") as stream:
            stream.seek(offset)
            return stream.read(size)

    return read
