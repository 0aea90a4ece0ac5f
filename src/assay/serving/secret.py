"""The secret of a server: signatures of cookies and invitations, secrets of links, tokens and sessions.

Secrets of links, tokens and sessions are stored only as SHA-256 digests. Signed values contain the time of signing, and
each use has its own salt.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from hmac import compare_digest
from pathlib import Path

from itsdangerous import BadData, URLSafeTimedSerializer
from itsdangerous.encoding import base64_decode, base64_encode
from itsdangerous.signer import Signer

from assay.errors import AssayError
from assay.records.files import sync_folder

FILE = "secret"


class Secret:
    """Signs and verifies values with the secret of a server."""

    def __init__(self, key: str) -> None:
        self._key = key

    @staticmethod
    def of(folder: Path) -> Secret:
        """Return the secret of a server folder, created on first use."""
        path = folder / FILE
        if not path.exists():
            part = folder / f".{FILE}.{secrets.token_hex(4)}"
            try:
                with open(part, "xb", opener=private) as stream:
                    stream.write(secrets.token_urlsafe(48).encode())
                    stream.flush()
                    os.fsync(stream.fileno())
                # Atomic: the first process wins, and may have removed the files of the others.
                with contextlib.suppress(FileExistsError, FileNotFoundError):
                    os.link(part, path)
            finally:
                part.unlink(missing_ok=True)
            sync_folder(folder)
        for left in folder.glob(f".{FILE}.*"):  # of a process that was killed
            left.unlink(missing_ok=True)
        key = path.read_text(encoding="ascii").strip()
        if len(key) < 32:
            raise AssayError(f"{path}: shorter than 32 characters. Delete it; all users must then sign in again.")
        return Secret(key)

    def sign(self, value: object, use: str) -> str:
        """Return a value as text with a timestamp and a signature for this use."""
        return str(URLSafeTimedSerializer(self._key, salt=f"assay-{use}").dumps(value))

    def signed(self, text: str, use: str, seconds: float) -> object | None:
        """Return the value that was signed for this use within the last `seconds`; else None."""
        signature = text.rpartition(".")[2]
        try:
            if base64_encode(base64_decode(signature)).decode() != signature:
                return None  # a non-canonical encoding of the signature
            value: object = URLSafeTimedSerializer(self._key, salt=f"assay-{use}").loads(text, max_age=int(seconds))
        except (BadData, ValueError, UnicodeError):
            return None
        return value

    def mark(self, value: str, use: str) -> str:
        """Return a signature of a value without the value itself, e.g. the CSRF token of a session."""
        return Signer(self._key, salt=f"assay-{use}").get_signature(value.encode()).decode()

    def is_mark(self, mark: str, value: str, use: str) -> bool:
        """Return whether this is the signature of the value, in constant time."""
        return compare_digest(mark.encode("utf-8", "replace"), self.mark(value, use).encode())


def private(path: str, flags: int) -> int:
    """Open a file that only its owner can read; an `opener` of `open`."""
    return os.open(path, flags, 0o600)


def new_word() -> str:
    """Return a random secret for a link, session or token."""
    return secrets.token_urlsafe(32)


def digest(word: str) -> str:
    """Return the SHA-256 digest under which a secret is stored."""
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()
