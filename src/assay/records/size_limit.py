"""How much is read into memory, and from what: a small file may unpack to a huge one, a device never ends, and a pipe
that nobody writes to never begins."""

from __future__ import annotations

import errno
import gzip
import io
import os
import re
import stat
import time
import zlib
from pathlib import Path
from typing import IO, Any, Protocol

from assay.errors import AssayError, UsageError

MAX_BYTES = "ASSAY_MAX_BYTES"
"""The environment variable that raises the limit."""
DEFAULT = 1 << 30
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
SIZE = re.compile(r"(\d{1,18})\s*([KMGT]?)I?B?", re.IGNORECASE | re.ASCII)
CHUNK = 1 << 20
MAX_RATIO = 200
"""No text of people packs to a smaller part of itself."""
PIPE_TIMEOUT = 10.0
"""Seconds in which somebody must begin to write into a pipe, or to read from one."""


class Readable(Protocol):
    def read(self, size: int, /) -> bytes | None: ...


def size_limit() -> int:
    """Bytes that one file may have in memory, unpacked."""
    given = os.environ.get(MAX_BYTES, "").strip()
    if not given:
        return DEFAULT
    found = SIZE.fullmatch(given)
    if not found:
        raise UsageError(f"{MAX_BYTES}={given}: give a number of bytes, e.g. 4GB")
    return int(found[1]) * UNITS[found[2].upper()]


def too_large(path: object, what: str, limit: int | None = None) -> AssayError:
    """What to say of a file that is, and how to read it all the same."""
    most = format_size(size_limit() if limit is None else limit)
    return AssayError(f"{path}: {what}, and no more than {most} is read at once; if it is meant, set {MAX_BYTES}=8GB")


def format_size(size: int) -> str:
    """`1 GB`, `640 KB`."""
    for unit in ("T", "G", "M", "K"):
        if size >= UNITS[unit]:
            return f"{size / UNITS[unit]:.3g} {unit}B"
    return f"{size} bytes"


def open_input(path: Path) -> IO[bytes]:
    """A file that was named, ready to be read; every reason against it in one line. It never waits: neither for a
    pipe, which is read by `read_input`, nor for a device."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError):
        raise AssayError(f"{path}: no such file; check the path") from None
    except IsADirectoryError:
        raise AssayError(f"{path}: is a folder; give a file inside it") from None
    except (OSError, ValueError) as error:  # a NUL in a name is a ValueError
        why = getattr(error, "strerror", None) or error
        raise AssayError(f"{path}: cannot be read ({why}); check the path and its permissions") from None
    kind = os.fstat(handle).st_mode
    refused = ""
    if stat.S_ISDIR(kind):
        refused = "is a folder; give a file inside it"
    elif stat.S_ISBLK(kind) or (stat.S_ISCHR(kind) and not os.isatty(handle) and not _is_null(handle)):
        refused = "is a device, which has no end; give a file"
    if refused:
        os.close(handle)
        raise AssayError(f"{path}: {refused}")
    if hasattr(os, "O_NONBLOCK") and not stat.S_ISFIFO(kind):
        os.set_blocking(handle, True)
    return os.fdopen(handle, "rb")


def _is_null(handle: int) -> bool:
    return os.fstat(handle).st_rdev == Path(os.devnull).stat().st_rdev


def read_input(path: Path) -> bytes:
    """All of a file, a terminal or a pipe, as it is; one that is larger than the budget is refused."""
    with open_input(path) as stream:
        about = os.fstat(stream.fileno())
        try:
            if stat.S_ISFIFO(about.st_mode):
                return read_limited(_Pipe(stream.fileno(), path), path)
            if about.st_size > size_limit():
                raise too_large(path, f"has {format_size(about.st_size)}")
            return stream.read() if about.st_size else read_limited(stream, path)
        except OSError as error:
            raise AssayError(f"{path}: cannot be read ({error.strerror}); check the disk it is on") from None


def open_regular(path: Path, buffering: int = -1) -> IO[bytes]:
    """A file that we have written, ready to be read. Whoever gives us a folder may have put anything in its place: what
    is no regular file is an OSError, as a missing one is, and never waited for."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "is no regular file", str(path))
    return os.fdopen(handle, "rb", buffering)


def read_regular(path: Path) -> bytes:
    """All of such a file, within the budget."""
    with open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > size_limit():
            raise too_large(path, f"has {format_size(size)}")
        return stream.read()


def open_pipe(path: Path, mode: str, **how: Any) -> IO[Any]:
    """What is no regular file, to be written to as it is. A pipe is waited for, some seconds."""
    until = time.monotonic() + PIPE_TIMEOUT
    while True:
        try:
            handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
            break
        except OSError as error:
            if error.errno != errno.ENXIO or not path.is_fifo():
                raise
            if time.monotonic() > until:
                raise AssayError(
                    f"{path}: a pipe from which nobody has read for {PIPE_TIMEOUT:g} s; give a file"
                ) from None
            time.sleep(0.02)
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(handle, True)
    return os.fdopen(handle, mode, **how)


def read_limited(stream: Readable, path: object, limit: int | None = None) -> bytes:
    """All that a stream has, as long as it is within the budget."""
    most = size_limit() if limit is None else limit
    held = io.BytesIO()
    while chunk := stream.read(CHUNK):
        held.write(chunk)
        if held.tell() > most:
            raise too_large(path, "does not end before that" if limit is None else "is larger", most)
    return held.getvalue()


class _Pipe:
    """A pipe without waiting for ever: whoever is to write into it must have begun after some seconds. From then on it
    is waited for, however long it takes."""

    def __init__(self, handle: int, path: Path) -> None:
        self.handle, self.path = handle, path
        self.begun = False
        self.patience = time.monotonic() + PIPE_TIMEOUT

    def read(self, size: int, /) -> bytes:
        while True:
            try:
                found = os.read(self.handle, size)
            except BlockingIOError:  # a writer is there, and thinks
                self.begun = True
                os.set_blocking(self.handle, True)
                continue
            if found or self.begun:
                self.begun = True
                return found
            if time.monotonic() > self.patience:
                raise AssayError(
                    f"{self.path}: a pipe into which nobody has written for {PIPE_TIMEOUT:g} s; give a file"
                )
            time.sleep(0.02)


def gunzip(data: bytes, path: object) -> bytes:
    """What gzip holds, within the budget."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return read_limited(stream, f"{path} (unpacked)")
    except (OSError, EOFError, zlib.error) as error:
        raise AssayError(f"{path}: damaged gzip ({error}); compress or download it again") from None


class GzipStream(io.RawIOBase):
    """gzip as a stream. It may be as long as it likes while it is read piece by piece, unless it unpacks to so many
    times its size that nobody can have written it."""

    def __init__(self, packed: IO[bytes], path: Path) -> None:
        self.stream = gzip.GzipFile(fileobj=packed)
        self.path, self.done, self.limit = path, 0, size_limit()
        self.size = os.fstat(packed.fileno()).st_size

    def readable(self) -> bool:
        return True

    def readinto(self, room: bytearray | memoryview) -> int:  # type: ignore[override]
        found = self.stream.read(len(room))
        room[: len(found)] = found
        self.done += len(found)
        if self.done > max(self.limit, MAX_RATIO * self.size):
            raise too_large(self.path, f"unpacks to more than {MAX_RATIO} times its size", self.limit)
        return len(found)
