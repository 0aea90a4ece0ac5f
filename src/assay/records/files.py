"""Reading and writing files: compression, encoding, atomic replacement, JSON and JSONL."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any

import msgspec

from assay.errors import AssayError
from assay.records.locks import FLAGS, flock, is_at
from assay.records.size_limit import gunzip, open_pipe, read_input, read_limited

GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Errors of a full or failing disk, which the system reports without a file name."""
SURROGATE = re.compile("[\ud800-\udfff]")
"""How Python represents bytes of a file name that are not UTF-8."""


def read_bytes(path: Path) -> bytes:
    """Return the content of a file (`-` is standard input), decompressed if its content is gzip.

    Raises:
        AssayError: The file cannot be read, is empty, or is larger than the size limit.
    """
    data = read_limited(sys.stdin.buffer, "standard input") if str(path) == "-" else read_input(path)
    if data.startswith(GZIP_MAGIC):
        data = gunzip(data, path)
    if not data or data.isspace():
        raise AssayError(f"{path}: the file is empty. It needs at least one item.")
    return data


def decode(data: bytes, path: object) -> str:
    """Decode UTF-8 with or without a byte-order mark; an error names the line of the invalid byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        written = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin1"
        raise AssayError(
            f"{path}:{line}: not valid UTF-8 (byte 0x{data[error.start]:02x}). "
            f"Convert the file from its encoding, e.g. iconv -f {written} -t utf-8."
        ) from None


def read_text(path: Path) -> str:
    return decode(read_bytes(path), path)


def refuse_copy(path: Path) -> None:
    """Refuse to write to the local copy of a URL (`remote.FetchedPath`): the change would be lost."""
    if url := getattr(path, "label", ""):
        raise AssayError(f"{url}: cannot be changed in place. Copy it, and give the path of the copy.")


@contextmanager
def replacing(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Write to a temporary file next to the target and rename it at the end: no reader ever sees half a file.
    If writing fails, nothing is left: neither the file nor the folders that were made for it.

    A device or pipe is written to directly, because it cannot be replaced.
    """
    refuse_copy(path)
    how: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    if path.exists() and not path.is_file() and not path.is_dir():
        with open_pipe(path, mode, **how) as stream:
            yield stream
        return
    new_folders = [folder for folder in path.parents if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = _open_temporary(path)
    try:
        with open(handle, mode, **how) as stream:  # noqa: PTH123
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            mask = os.umask(0)
            os.umask(mask)
            temporary.chmod(0o666 & ~mask)  # temporary files are created private
            if os.name == "posix":
                temporary.replace(path)  # while it is locked, so that no other process takes it for an abandoned file
        if os.name != "posix":
            temporary.replace(path)  # an open file cannot be renamed there
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        with suppress(OSError):  # others have written there
            for folder in new_folders:
                folder.rmdir()
        if isinstance(error, OSError) and error.errno in FULL and error.filename is None:
            error.filename = str(path)
        raise


def _open_temporary(path: Path) -> tuple[int, Path]:
    """Open a temporary file in the same folder.

    Its name is fixed, so that the file of a killed process is reused by the next one. If another process has locked
    it, a unique name is used instead.
    """
    temporary = path.with_name(f".{path.name}.part")
    try:
        handle = os.open(temporary, FLAGS, 0o600)
    except OSError:
        return _open_unique(path)
    try:
        about = os.fstat(handle)
        mine = stat.S_ISREG(about.st_mode) and about.st_nlink == 1 and about.st_uid == getattr(os, "geteuid", int)()
        if mine and flock(handle) and is_at(handle, temporary):
            os.ftruncate(handle, 0)
            return handle, temporary
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return _open_unique(path)


def _open_unique(path: Path) -> tuple[int, Path]:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    return handle, Path(name)


def sync_folder(folder: Path) -> None:
    """Flush the directory entries of a folder to disk, on systems that support it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def append_line(path: Path, line: str) -> None:
    """Append a line to a file. If the last line was cut off, it is ended first, so that only that one is lost."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    handle = os.open(path, flags, 0o666)
    with open(handle, "r+b", buffering=0) as stream:  # noqa: PTH123
        size = stream.seek(0, os.SEEK_END)
        if size:
            stream.seek(size - 1)
        cut = size > 0 and stream.read(1) != b"\n"
        stream.write(b"\n" * cut + line.encode() + b"\n")


def write_text(path: Path, text: str) -> None:
    with replacing(path) as stream:
        stream.write(text)


def digest_of(*parts: Any) -> str:
    """Return a short hash of the content of some values. Sequences, which may be in files, are read in chunks."""
    encode = msgspec.json.Encoder().encode
    digest = hashlib.blake2b(b"[", digest_size=10)
    for number, part in enumerate(parts):
        if number:
            digest.update(b",")
        if not isinstance(part, Sequence) or isinstance(part, str):
            digest.update(encode(part))
            continue
        digest.update(b"[")
        values = iter(part)
        first = True
        while chunk := list(islice(values, 4096)):
            digest.update((b"" if first else b",") + encode(chunk)[1:-1])
            first = False
        digest.update(b"]")
    digest.update(b"]")
    return digest.hexdigest()


def to_json(value: Any, indent: int | None = 2) -> str:
    """Return strict JSON. Bytes of file names that are not UTF-8 become U+FFFD.

    Raises:
        ValueError: The value contains NaN or Infinity.
    """
    plain = msgspec.to_builtins(value)
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, indent=indent)
    return text if text.isascii() else SURROGATE.sub("\ufffd", text)


def json_bytes(value: Any) -> bytes:
    """Return strict JSON of a struct in one line; faster than `to_json`."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return to_json(value, indent=None).encode()


def write_jsonl(path: Path, records: Iterable[Any]) -> int:
    """Write one record per line and return the number of records."""
    count = 0
    with replacing(path, "wb") as stream:
        for chunk in jsonl_chunks(records):
            stream.write(chunk)
            count += chunk.count(b"\n")  # JSON has no newline inside a record
    return count


def jsonl_chunks(records: Iterable[Any]) -> Iterator[bytes]:
    """Yield the bytes of a JSONL file, some records at a time."""
    encoder = msgspec.json.Encoder()
    left = iter(records)
    while chunk := list(islice(left, 128)):
        yield encoder.encode_lines(chunk)
