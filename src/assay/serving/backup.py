"""Backup and restore: all tables and every blob they name, in one archive; the same content gives the same bytes.

A backup reads one state of the database, whatever is being written meanwhile; blobs never change, and a blob is on disk
before a row names it, so the copy is whole."""

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
"""Files of the folder that a restored server needs, too."""
AT_ONCE = 1000


def back_up(database: Database, folder: Path, target: Path) -> dict[str, int]:
    """Write an archive; how many rows of each table it has. It holds what opens the server: it is for its owner."""
    if target.exists():
        raise AssayError(f"{target}: is there already; name a file that is not")
    beside = target.with_name(f".{target.name}.part")
    beside.unlink(missing_ok=True)
    sums: list[str] = []
    counts: dict[str, int] = {}
    blobs = Blobs(folder / "blobs")
    try:
        with open(beside, "xb", opener=_private) as stream, tarfile.open(fileobj=stream, mode="w") as archive:
            with database.read() as connection:
                named = _named(connection)
                for table in metadata.sorted_tables:
                    content = b"".join(_rows(connection, table.name))
                    counts[table.name] = content.count(b"\n")
                    _add(archive, f"tables/{table.name}.jsonl", content, sums)
            for name in KEPT:
                if (folder / name).exists():
                    _add(archive, f"files/{name}", (folder / name).read_bytes(), sums)
            for digest in named:
                _add(archive, f"blobs/{digest}", blobs.get(digest), sums)
            _add(archive, LIST, "".join(sums).encode(), [])
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return counts


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _named(connection: Connection) -> list[str]:
    found: set[str] = set()
    for column in BLOB_COLUMNS:
        found |= {str(name) for (name,) in connection.execute(select(column).where(column.is_not(None)).distinct())}
    return sorted(found)


def _rows(connection: Connection, name: str) -> Iterator[bytes]:
    table = metadata.tables[name]
    found = connection.execute(select(table)).mappings()
    lines = [json.dumps(dict(row), ensure_ascii=False, sort_keys=True) for row in found]
    yield from (f"{line}\n".encode() for line in sorted(lines))


def _add(archive: tarfile.TarFile, name: str, content: bytes, sums: list[str]) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o600
    archive.addfile(entry, io.BytesIO(content))
    sums.append(f"{hashlib.sha256(content).hexdigest()}  {name}\n")


def restore(database: Database, folder: Path, source: Path) -> dict[str, int]:
    """Fill an empty folder and an empty database from an archive; nothing is changed if anything is wrong with it."""
    if any((folder / name).exists() for name in (*KEPT, "blobs")):
        raise AssayError(f"{folder}: holds a server already; restore into an empty folder")
    tables, files, blobs = _checked(source)
    unknown = [name for name in tables if name not in metadata.tables]
    if unknown:
        raise AssayError(
            f"{source}: has a table {unknown[0]} that this version of assay does not know; use a later one"
        )
    migrate_database(database)
    store = Blobs(folder / "blobs")
    counts = {}
    with database.write() as connection:
        for table in metadata.sorted_tables:
            if connection.execute(select(table).limit(1)).first() is not None:
                raise AssayError(f"the database has rows already ({table.name}); restore into an empty one")
        for content in blobs:
            store.put(content())
        for table in metadata.sorted_tables:
            rows = [json.loads(line) for line in tables.get(table.name, b"").split(b"\n") if line]
            counts[table.name] = len(rows)
            for start in range(0, len(rows), AT_ONCE):
                connection.execute(table.insert(), rows[start : start + AT_ONCE])
    for name, content in files.items():
        with open(folder / name, "xb", opener=_private) as stream:
            stream.write(content)
    return counts


def _checked(source: Path) -> tuple[dict[str, bytes], dict[str, bytes], list[Any]]:
    """What an archive holds, after every file was held against the list."""
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
                    raise AssayError(f"{source}: {entry.name} is no file; it is no backup of ours")
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
        raise AssayError(
            f"{source}: cannot be read ({error}); is it a backup that `assay server backup` made?"
        ) from None
    if listed is None or listed != sums:
        bad = next((name for name, digest in sums.items() if (listed or {}).get(name) != digest), LIST)
        raise AssayError(f"{source}: damaged ({bad} is not what it was); use another backup")
    return tables, files, blobs


def _later(source: Path, offset: int, size: int) -> Any:
    """The content of a blob when it is its turn: all of them at once might not fit."""

    def read() -> bytes:
        with source.open("rb") as stream:
            stream.seek(offset)
            return stream.read(size)

    return read
