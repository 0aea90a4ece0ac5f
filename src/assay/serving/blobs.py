"""Files that never change, by what they hold: DIR/blobs/ab/cdef.... A file is on disk before a row names it."""

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
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, digest: str) -> Path:
        if not NAME.fullmatch(digest):
            raise AssayError(f"{digest[:80]}: not the name of a blob")
        return self.folder / digest[:2] / digest[2:]

    def put(self, content: bytes) -> str:
        """Its name. The file is on disk when this returns; `name` it in the transaction that refers to it."""
        digest = hashlib.sha256(content).hexdigest()
        path = self.path(digest)
        if path.exists() and path.stat().st_size == len(content):
            return digest
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=".part-", delete=False) as made:
            try:
                made.write(content)
                made.flush()
                os.fsync(made.fileno())
                Path(made.name).replace(path)
            except BaseException:
                Path(made.name).unlink(missing_ok=True)
                raise
        sync_folder(path.parent)
        return digest

    def name(self, connection: Connection, digest: str) -> None:
        """Have a row for a file that is there; once is enough."""
        size = self.path(digest).stat().st_size
        insert_new(connection, blobs, "digest", digest=digest, size=size, made=now())

    def get(self, digest: str) -> bytes:
        path = self.path(digest)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise AssayError(f"{path}: cannot be read ({error.strerror}); restore it from a backup") from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise AssayError(f"{path}: damaged (its content is another); restore it from a backup")
        return content
