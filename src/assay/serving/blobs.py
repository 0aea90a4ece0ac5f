"""Content-addressed files that never change: DIR/blobs/ab/cdef.... A file is on disk before a row refers to it."""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import IO, Any

from sqlalchemy import Connection

from assay.errors import AssayError
from assay.records.files import sync_folder
from assay.serving.database import insert_new, now
from assay.serving.tables import blobs

NAME = re.compile(r"[0-9a-f]{64}")


class Blobs:
    """The blobs of a server folder, by SHA-256 digest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, digest: str) -> Path:
        """Return the file of a digest."""
        if not NAME.fullmatch(digest):
            raise AssayError(f"{digest[:80]}: not a blob digest")
        return self.folder / digest[:2] / digest[2:]

    def put(self, content: bytes) -> str:
        """Store content and return its digest. The file is on disk on return; then `name` it in the transaction."""
        return self._put(io.BytesIO(content))

    def put_file(self, path: Path) -> str:
        """Store the content of a file without reading all of it into memory; otherwise like `put`."""
        with path.open("rb") as stream:
            return self._put(stream)

    def _put(self, stream: Any) -> str:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        size = stream.tell()
        path = self.path(digest)
        if path.exists() and path.stat().st_size == size:
            return digest
        stream.seek(0)
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=".part-", delete=False) as part:
            try:
                shutil.copyfileobj(stream, part)
                part.flush()
                os.fsync(part.fileno())
                Path(part.name).replace(path)
            except BaseException:
                Path(part.name).unlink(missing_ok=True)
                raise
        sync_folder(path.parent)
        return digest

    def name(self, connection: Connection, digest: str) -> None:
        """Add the row of a stored file, once."""
        size = self.path(digest).stat().st_size
        insert_new(connection, blobs, "digest", digest=digest, size=size, made=now())

    def put_stream(self, stream: IO[bytes]) -> str:
        """Store content that can be read only once, such as an entry of a compressed archive; otherwise like `put`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=self.folder) as copy:
            shutil.copyfileobj(stream, copy)
            copy.seek(0)
            return self._put(copy)

    def get(self, digest: str) -> bytes:
        """Return the content of a digest, verified."""
        with self.open(digest) as stream:
            return stream.read()

    def open(self, digest: str) -> IO[bytes]:
        """Open the file of a digest, verified without reading all of it into memory."""
        path = self.path(digest)
        try:
            stream = path.open("rb")
            checksum = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise AssayError(f"{path}: cannot be read ({error.strerror}). Restore it from a backup.") from None
        if checksum != digest:
            stream.close()
            raise AssayError(f"{path}: damaged (its checksum differs). Restore it from a backup.")
        stream.seek(0)
        return stream
