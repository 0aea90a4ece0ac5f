"""Backup of a server: all tables and the blobs they refer to, in one archive; `restore.py` reads it.

A backup is consistent while the server is running: it reads one snapshot of the database, blobs never change, and a
blob is on disk before a row refers to it. The same content gives the same bytes. A damaged database is refused, since
its backups would replace sound ones.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from sqlalchemy import Connection, select

from assay.errors import AssayError
from assay.serving.blobs import Blobs
from assay.serving.database import Database
from assay.serving.integrity import blob_digests, require_sound
from assay.serving.migrate import revision_of
from assay.serving.secret import private
from assay.serving.tables import metadata

LIST = "SHA256SUMS"
CONTENT = "content.json"
"""Entry with the revision of the database and the number of rows and blobs."""
KEPT = ("secret", "assay.toml")
"""Further files of the server folder in a backup."""
SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


class BackupCounts(NamedTuple):
    """What a backup contains; a restore reports the same."""

    rows: dict[str, int]
    """Number of rows by table."""
    blobs: int
    size: int
    """Bytes of all blobs."""

    def __str__(self) -> str:
        rows = f"{sum(self.rows.values()):,} rows of {len(self.rows)} tables"
        return f"{rows}, {self.blobs:,} stored files ({self.size:,} bytes)"


def back_up(database: Database, folder: Path, target: Path) -> BackupCounts:
    """Write an archive, which contains the server's secret: keep it private."""
    if not target.name.endswith(SUFFIXES):
        raise AssayError(f"{target}: not a name of an archive. End it in {', '.join(SUFFIXES)}.")
    if target.exists():
        raise AssayError(f"{target}: file exists. Choose another name.")
    part = target.with_name(f".{target.name}.part")
    part.unlink(missing_ok=True)
    try:
        with open(part, "xb", opener=private) as stream:
            with _compressed(stream, target.name) as content, tarfile.open(fileobj=content, mode="w") as archive:
                counts = _write(archive, database, folder)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return counts


@contextmanager
def _compressed(stream: IO[bytes], name: str) -> Iterator[Any]:
    """Open a stream in the compression that the name of the archive states, with the same bytes each time."""
    if name.endswith((".gz", ".tgz")):
        with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as zipped:
            yield zipped
    elif name.endswith(".bz2"):
        with bz2.open(stream, "wb") as packed:
            yield packed
    elif name.endswith(".xz"):
        with lzma.open(stream, "wb") as squeezed:
            yield squeezed
    else:
        yield stream


def _write(archive: tarfile.TarFile, database: Database, folder: Path) -> BackupCounts:
    sums: list[str] = []
    rows: dict[str, int] = {}
    size = 0
    blobs = Blobs(folder / "blobs")
    with database.read() as connection:
        require_sound(connection)
        revision, digests = revision_of(connection), blob_digests(connection)
        for table in metadata.sorted_tables:
            content = dump_table(connection, table)
            rows[table.name] = content.count(b"\n")
            _add(archive, f"tables/{table.name}.jsonl", content, sums)
    for name in KEPT:
        if (folder / name).exists():
            _add(archive, f"files/{name}", (folder / name).read_bytes(), sums)
    for digest in digests:
        with blobs.open(digest) as stream:
            entry = _entry(f"blobs/{digest}", os.fstat(stream.fileno()).st_size)
            archive.addfile(entry, stream)
        size += entry.size
        sums.append(f"{digest}  {entry.name}\n")
    counts = BackupCounts(rows, len(digests), size)
    _add(archive, CONTENT, json.dumps({"revision": revision, **counts._asdict()}).encode(), sums)
    _add(archive, LIST, "".join(sums).encode(), [])
    return counts


def dump_table(connection: Connection, table: Any) -> bytes:
    """Return the rows of a table as sorted lines of JSON, the same in every kind of database."""
    rows = connection.execute(select(table)).mappings()
    lines = sorted(json.dumps(dict(row), ensure_ascii=False, sort_keys=True) for row in rows)
    return "".join(f"{line}\n" for line in lines).encode()


def _add(archive: tarfile.TarFile, name: str, content: bytes, sums: list[str]) -> None:
    archive.addfile(_entry(name, len(content)), io.BytesIO(content))
    sums.append(f"{hashlib.sha256(content).hexdigest()}  {name}\n")


def _entry(name: str, size: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o600
    return entry
