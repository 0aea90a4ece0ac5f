"""Digests that detect damage: of a file by its bytes, of JSON by its content.

SHA-256 can be checked with `sha256sum`, and most processors compute it faster than disks read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from assay.records.size_limit import open_regular

BLOCK = 1 << 20
SEAL = "digest"
"""Key of sealed JSON with the digest of all other keys."""


class FileDigest(msgspec.Struct, frozen=True):
    """Expected size and SHA-256 of a file."""

    size: int
    sha256: str

    @staticmethod
    def of(path: Path) -> FileDigest:
        with open_regular(path, 0) as stream:
            return FileDigest.of_chunks(iter(lambda: stream.read(BLOCK), b""))

    @staticmethod
    def of_chunks(chunks: Iterable[bytes]) -> FileDigest:
        """Return the digest of the concatenation of some chunks."""
        digest = hashlib.sha256()
        size = 0
        for chunk in chunks:
            digest.update(chunk)
            size += len(chunk)
        return FileDigest(size, digest.hexdigest())

    def change(self, path: Path) -> str | None:
        """Return how a file differs from what was written, or None. The whole file is read."""
        if why := self.resized(path):
            return why
        return None if FileDigest.of(path) == self else "its content has changed"

    def resized(self, path: Path) -> str | None:
        """Return how the size of a file differs from what was written, or None."""
        size = path.stat().st_size
        return None if size == self.size else f"{size} bytes instead of {self.size}"


def seal(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping with a digest of its content as the last entry."""
    plain: dict[str, Any] = msgspec.to_builtins({key: entry for key, entry in value.items() if key != SEAL})
    return {**plain, SEAL: _digest(plain)}


def is_sealed(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get(SEAL), str)


def broken_seal(value: Mapping[str, Any]) -> bool:
    """Return whether the content has changed since it was sealed. Its layout does not matter."""
    return is_sealed(value) and value[SEAL] != _digest({key: entry for key, entry in value.items() if key != SEAL})


def short_digest(text: str) -> str:
    """Return eight characters of the SHA-256 of a text, enough to detect damage."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _digest(plain: Mapping[str, Any]) -> str:
    """Return the digest of JSON as it is written, where unpaired surrogates are replaced."""
    from assay.records.files import SURROGATE

    text = json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(SURROGATE.sub("\ufffd", text).encode()).hexdigest()
