"""Bytes on disk to text and back: compression, encoding, and writing that survives being killed."""

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
"""What a disk says of a file without its name."""
HALF = re.compile("[\ud800-\udfff]")
"""What Python makes of bytes in a name that are no UTF-8."""


def read_bytes(path: Path) -> bytes:
    """The content of a file (`-` is standard input), decompressed when it is gzip (by content, not by name); as much
    of it as the budget allows."""
    data = read_limited(sys.stdin.buffer, "standard input") if str(path) == "-" else read_input(path)
    if data.startswith(GZIP_MAGIC):
        data = gunzip(data, path)
    if not data or data.isspace():
        raise AssayError(f"{path}: the file is empty; it needs at least one item")
    return data


def decode(data: bytes, path: object) -> str:
    """UTF-8 (a byte-order mark is tolerated); an invalid byte is reported with its line."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        written = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin1"
        raise AssayError(
            f"{path}:{line}: not valid UTF-8 (byte 0x{data[error.start]:02x}); "
            f"convert it, e.g. iconv -f {written} -t utf-8"
        ) from None


def read_text(path: Path) -> str:
    return decode(read_bytes(path), path)


def refuse_copy(path: Path) -> None:
    """What a URL names was copied to be read (`remote.FetchedPath`): nobody would see a change of the copy."""
    if url := getattr(path, "said", ""):
        raise AssayError(f"{url}: would be changed in a copy of it here only; copy it yourself, and give a path")


@contextmanager
def replacing(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Write beside the target and rename at the end, so that a reader or a crash never sees half a file. What is no
    regular file (a device, a pipe) is written to as it is: nothing could be put in its place."""
    refuse_copy(path)
    how: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    if path.exists() and not path.is_file() and not path.is_dir():
        with open_pipe(path, mode, **how) as stream:
            yield stream
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = _open_beside(path)
    try:
        with open(handle, mode, **how) as stream:  # noqa: PTH123
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            mask = os.umask(0)
            os.umask(mask)
            beside.chmod(0o666 & ~mask)  # made private; ours are ordinary files
            if os.name == "posix":
                beside.replace(path)  # while it is locked: nobody else may think it left behind
        if os.name != "posix":
            beside.replace(path)  # only then can it be
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in FULL and error.filename is None:
            error.filename = str(path)
        raise


def _open_beside(path: Path) -> tuple[int, Path]:
    """A file of ours in the same folder. Its name is always the same, so that what a killed process has left is used
    again by the next one instead of lying about; a lock tells the two, and who finds it taken takes another name."""
    beside = path.with_name(f".{path.name}.part")
    try:
        handle = os.open(beside, FLAGS, 0o600)
    except OSError:
        return _open_apart(path)
    try:
        about = os.fstat(handle)
        mine = stat.S_ISREG(about.st_mode) and about.st_nlink == 1 and about.st_uid == getattr(os, "geteuid", int)()
        if mine and flock(handle) and is_at(handle, beside):
            os.ftruncate(handle, 0)
            return handle, beside
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return _open_apart(path)


def _open_apart(path: Path) -> tuple[int, Path]:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    return handle, Path(name)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk, too, not only what the files hold; where a system cannot do that, they are
    there a little later."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def append_line(path: Path, line: str) -> None:
    """Add a line to a file that is only ever added to. A line before it that was cut off stays the only one."""
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


def json_bytes(value: Any) -> bytes:
    """Strict JSON of a struct in one line, quickly; names of files that are no UTF-8 show it here, too."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return to_json(value, indent=None).encode()


def write_jsonl(path: Path, records: Iterable[Any]) -> int:
    """One record a line; returns how many were written."""
    count = 0
    with replacing(path, "wb") as stream:
        for piece in jsonl_pieces(records):
            stream.write(piece)
            count += piece.count(b"\n")  # none stands inside a record
    return count


def jsonl_pieces(records: Iterable[Any]) -> Iterator[bytes]:
    """The bytes of such a file, some records at a time."""
    encoder = msgspec.json.Encoder()
    left = iter(records)
    while piece := list(islice(left, 128)):
        yield encoder.encode_lines(piece)
