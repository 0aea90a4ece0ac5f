"""Digests of stored files, so that damage is seen: of a file by its bytes, of JSON by what it says.

SHA-256: any `sha256sum` checks it by hand, and most processors compute it faster than disks read.
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
"""The key of sealed JSON that holds the digest of all the rest."""


class FileDigest(msgspec.Struct, frozen=True):
    """What a file must be."""

    size: int
    sha256: str

    @staticmethod
    def of(path: Path) -> FileDigest:
        with open_regular(path, 0) as stream:
            return FileDigest.of_pieces(iter(lambda: stream.read(BLOCK), b""))

    @staticmethod
    def of_pieces(pieces: Iterable[bytes]) -> FileDigest:
        """Of a file that would hold these one after the other."""
        made = hashlib.sha256()
        size = 0
        for piece in pieces:
            made.update(piece)
            size += len(piece)
        return FileDigest(size, made.hexdigest())

    def change(self, path: Path) -> str | None:
        """How a file differs from what it must be, in a few words; None if it does not. It is read whole."""
        if why := self.resized(path):
            return why
        return None if FileDigest.of(path) == self else "its bytes are not those that were written"

    def resized(self, path: Path) -> str | None:
        """The same from its size alone, which costs nothing."""
        size = path.stat().st_size
        return None if size == self.size else f"{size} bytes instead of {self.size}"


def seal(value: Mapping[str, Any]) -> dict[str, Any]:
    """The same with a digest of all it says as its last entry."""
    plain: dict[str, Any] = msgspec.to_builtins({key: said for key, said in value.items() if key != SEAL})
    return {**plain, SEAL: _digest(plain)}


def is_sealed(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get(SEAL), str)


def broken_seal(value: Mapping[str, Any]) -> bool:
    """Whether it says something else than when it was sealed. How it is laid out does not matter."""
    return is_sealed(value) and value[SEAL] != _digest({key: said for key, said in value.items() if key != SEAL})


def short_digest(text: str) -> str:
    """Eight characters that tell a text from the same text damaged."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _digest(plain: Mapping[str, Any]) -> str:
    """Of what stands in the file: it has no half letters."""
    from assay.records.files import HALF

    text = json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(HALF.sub("\ufffd", text).encode()).hexdigest()
