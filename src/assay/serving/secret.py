"""What a server signs with, and how what it hands out is made and checked.

Random words that open something (links, tokens, sessions) are stored as their SHA-256 alone; what is signed
(sessions' cookies, invitations) says when it was signed, and each use has its own salt."""

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

FILE = "secret"


class Secret:
    def __init__(self, key: str) -> None:
        self._key = key

    @staticmethod
    def of(folder: Path) -> Secret:
        """The secret of a server's folder, made once."""
        path = folder / FILE
        with contextlib.suppress(FileExistsError):
            beside = folder / f".{FILE}.{secrets.token_hex(4)}"
            beside.touch(0o600, exist_ok=False)
            beside.write_text(secrets.token_urlsafe(48), encoding="ascii")
            try:
                os.link(beside, path)  # who comes first makes it
            finally:
                beside.unlink()
        key = path.read_text(encoding="ascii").strip()
        if len(key) < 32:
            raise AssayError(f"{path}: too short to be a secret; delete it, and everybody signs in again")
        return Secret(key)

    def sign(self, value: object, use: str) -> str:
        return str(URLSafeTimedSerializer(self._key, salt=f"assay-{use}").dumps(value))

    def signed(self, text: str, use: str, seconds: float) -> object | None:
        """What was signed for this use, not longer ago than that; else None."""
        signature = text.rpartition(".")[2]
        try:
            if base64_encode(base64_decode(signature)).decode() != signature:
                return None  # the same bytes in another spelling
            found: object = URLSafeTimedSerializer(self._key, salt=f"assay-{use}").loads(text, max_age=int(seconds))
        except (BadData, ValueError, UnicodeError):
            return None
        return found

    def mark(self, value: str, use: str) -> str:
        """A mark of a value that only this server can make: CSRF tokens are marks of sessions."""
        return Signer(self._key, salt=f"assay-{use}").get_signature(value.encode()).decode()

    def is_mark(self, mark: str, value: str, use: str) -> bool:
        return compare_digest(mark.encode("utf-8", "replace"), self.mark(value, use).encode())


def new_word() -> str:
    """What opens something."""
    return secrets.token_urlsafe(32)


def digest(word: str) -> str:
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()
