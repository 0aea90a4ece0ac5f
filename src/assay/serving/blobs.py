"""Content-addressed files that never change: DIR/blobs/ab/cdef.... A file is on disk before a row refers to it."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from tempfile import NamedTemporaryFile

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
        digest = hashlib.sha256(content).hexdigest()
        path = self.path(digest)
        if path.exists() and path.stat().st_size == len(content):
            return digest
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=".part-", delete=False) as part:
            try:
                part.write(content)
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

    def get(self, digest: str) -> bytes:
        """Return the content of a digest, verified."""
        path = self.path(digest)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise AssayError(f"{path}: cannot be read ({error.strerror}). Restore it from a backup.") from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise AssayError(f"{path}: damaged (its checksum differs). Restore it from a backup.")
        return content
