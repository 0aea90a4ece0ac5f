"""Bytes on disk to text and back: compression, encoding, and writing that survives being killed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any

import msgspec

from assay.errors import AssayError
from assay.records.budget import read_input, read_within, unpacked

GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
HALF = re.compile("[\ud800-\udfff]")
"""What Python makes of bytes in a name that are no UTF-8."""


def read_bytes(path: Path) -> bytes:
    """The content of a file (`-` is standard input), decompressed when it is gzip (by content, not by name); as much
    of it as the budget allows."""
    data = read_within(sys.stdin.buffer, "standard input") if str(path) == "-" else read_input(path)
    if data.startswith(GZIP_MAGIC):
        data = unpacked(data, path)
    if not data or data.isspace():
        raise AssayError(f"{path}: the file is empty; it needs at least one item")
    return data


def decode(data: bytes, path: object) -> str:
    """UTF-8 (a byte-order mark is tolerated); an invalid byte is reported with its line."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise AssayError(
            f"{path} line {line}: not valid UTF-8 (byte 0x{data[error.start]:02x}); "
            "convert it, e.g. iconv -f latin1 -t utf-8"
        ) from None


def read_text(path: Path) -> str:
    return decode(read_bytes(path), path)


@contextmanager
def replacing(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Write beside the target and rename at the end, so that a reader or a crash never sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    beside = Path(name)
    try:
        text = "b" not in mode
        with open(handle, mode, encoding="utf-8" if text else None, newline="\n" if text else None) as stream:  # noqa: PTH123
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        mask = os.umask(0)
        os.umask(mask)
        beside.chmod(0o666 & ~mask)  # mkstemp makes private files; ours are ordinary ones
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    with replacing(path) as stream:
        stream.write(text)


def digest_of(*parts: Any) -> str:
    """A short name for a content. Long sequences are taken a piece at a time: they may lie in a file."""
    encode = msgspec.json.Encoder().encode
    made = hashlib.blake2b(b"[", digest_size=10)
    for number, part in enumerate(parts):
        if number:
            made.update(b",")
        if not isinstance(part, Sequence) or isinstance(part, str):
            made.update(encode(part))
            continue
        made.update(b"[")
        pieces = iter(part)
        first = True
        while piece := list(islice(pieces, 4096)):
            made.update((b"" if first else b",") + encode(piece)[1:-1])
            first = False
        made.update(b"]")
    made.update(b"]")
    return made.hexdigest()


def to_json(value: Any, indent: int | None = 2) -> str:
    """Strict JSON: UTF-8 (names of files may be none, and show it), never a bare NaN or Infinity (a ValueError instead,
    so that none can slip out)."""
    plain = msgspec.to_builtins(value)
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, indent=indent)
    return text if text.isascii() else HALF.sub("\ufffd", text)


def write_jsonl(path: Path, records: Iterable[Any]) -> int:
    """One record a line; returns how many were written."""
    encoder = msgspec.json.Encoder()
    count = 0
    left = iter(records)
    with replacing(path, "wb") as stream:
        while piece := list(islice(left, 128)):
            stream.write(encoder.encode_lines(piece))
            count += len(piece)
    return count
