"""Reading within a size limit, from files, pipes and gzip.

The limit protects from small files that decompress to huge ones, from devices without an end and from idle pipes.
"""

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
"""Environment variable that sets the limit."""
DEFAULT = 1 << 30
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
SIZE = re.compile(r"(\d{1,18})\s*([KMGT]?)I?B?", re.IGNORECASE | re.ASCII)
CHUNK = 1 << 20
MAX_RATIO = 200
"""Largest plausible compression ratio of natural text."""
PIPE_TIMEOUT = 10.0
"""Seconds to wait for the other end of a pipe."""


class Readable(Protocol):
    def read(self, size: int, /) -> bytes | None: ...


def size_limit() -> int:
    """Return the largest decompressed size of a file in bytes (default: 1 GB; see `ASSAY_MAX_BYTES`)."""
    text = os.environ.get(MAX_BYTES, "").strip()
    if not text:
        return DEFAULT
    match = SIZE.fullmatch(text)
    if not match:
        raise UsageError(f"{MAX_BYTES}={text}: give a number of bytes, e.g. 4GB")
    return int(match[1]) * UNITS[match[2].upper()]


def too_large(path: object, what: str, limit: int | None = None) -> AssayError:
    """Return the error for a file above the limit, with the setting that allows it."""
    most = format_size(size_limit() if limit is None else limit)
    return AssayError(f"{path}: {what}; the limit is {most}. To read it, set {MAX_BYTES}=8GB.")


def format_size(size: int) -> str:
    """Return a size for people: `1 GB`, `640 KB`."""
    for unit in ("T", "G", "M", "K"):
        if size >= UNITS[unit]:
            return f"{size / UNITS[unit]:.3g} {unit}B"
    return f"{size} bytes"


def open_input(path: Path) -> IO[bytes]:
    """Open an input file. It never waits for a pipe (see `read_input`) or a device.

    Raises:
        AssayError: The file does not exist, is a folder or a device, or cannot be read.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError):
        raise AssayError(f"{path}: no such file. Check the path.") from None
    except IsADirectoryError:
        raise AssayError(f"{path}: is a folder. Give a file inside it.") from None
    except (OSError, ValueError) as error:  # a NUL in a name is a ValueError
        why = getattr(error, "strerror", None) or error
        raise AssayError(f"{path}: cannot be read ({why}). Check the path and its permissions.") from None
    kind = os.fstat(handle).st_mode
    refused = ""
    if stat.S_ISDIR(kind):
        refused = "is a folder. Give a file inside it."
    elif stat.S_ISBLK(kind) or (stat.S_ISCHR(kind) and not os.isatty(handle) and not _is_null(handle)):
        refused = "is a device. Give a file."
    if refused:
        os.close(handle)
        raise AssayError(f"{path}: {refused}")
    if hasattr(os, "O_NONBLOCK") and not stat.S_ISFIFO(kind):
        os.set_blocking(handle, True)
    return os.fdopen(handle, "rb")


def _is_null(handle: int) -> bool:
    return os.fstat(handle).st_rdev == Path(os.devnull).stat().st_rdev


def read_input(path: Path) -> bytes:
    """Return the content of a file, terminal or pipe.

    Raises:
        AssayError: It cannot be read, or is larger than the limit.
    """
    with open_input(path) as stream:
        about = os.fstat(stream.fileno())
        try:
            if stat.S_ISFIFO(about.st_mode):
                return read_limited(_Pipe(stream.fileno(), path), path)
            if about.st_size > size_limit():
                raise too_large(path, f"has {format_size(about.st_size)}")
            return stream.read() if about.st_size else read_limited(stream, path)
        except OSError as error:
            raise AssayError(f"{path}: cannot be read ({error.strerror}). Check the disk.") from None


def open_regular(path: Path, buffering: int = -1) -> IO[bytes]:
    """Open a regular file, such as one of a run folder. Anything else is an OSError and never waited for."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    return os.fdopen(handle, "rb", buffering)


def read_regular(path: Path) -> bytes:
    """Return the content of a regular file within the limit."""
    with open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > size_limit():
            raise too_large(path, f"has {format_size(size)}")
        return stream.read()


def open_pipe(path: Path, mode: str, **how: Any) -> IO[Any]:
    """Open a device or pipe for writing; wait some seconds for the reader of a pipe."""
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
                    f"{path}: no process has read this pipe for {PIPE_TIMEOUT:g} s. Give a file."
                ) from None
            time.sleep(0.02)
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(handle, True)
    return os.fdopen(handle, mode, **how)


def read_limited(stream: Readable, path: object, limit: int | None = None) -> bytes:
    """Return the content of a stream within the limit."""
    most = size_limit() if limit is None else limit
    content = io.BytesIO()
    while chunk := stream.read(CHUNK):
        content.write(chunk)
        if content.tell() > most:
            raise too_large(path, "is too large", most)
    return content.getvalue()


class _Pipe:
    """A pipe that must have a writer within some seconds; from then on it is read however long it takes."""

    def __init__(self, handle: int, path: Path) -> None:
        self.handle, self.path = handle, path
        self.has_writer = False
        self.deadline = time.monotonic() + PIPE_TIMEOUT

    def read(self, size: int, /) -> bytes:
        while True:
            try:
                data = os.read(self.handle, size)
            except BlockingIOError:  # there is a writer, but no data yet
                self.has_writer = True
                os.set_blocking(self.handle, True)
                continue
            if data or self.has_writer:
                self.has_writer = True
                return data
            if time.monotonic() > self.deadline:
                raise AssayError(
                    f"{self.path}: no process has written to this pipe for {PIPE_TIMEOUT:g} s. Give a file."
                )
            time.sleep(0.02)


def gunzip(data: bytes, path: object) -> bytes:
    """Decompress gzip within the limit."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return read_limited(stream, f"{path} (decompressed)")
    except (OSError, EOFError, zlib.error) as error:
        raise AssayError(f"{path}: damaged gzip ({error}). Compress or download it again.") from None


class GzipStream(io.RawIOBase):
    """A gzip file as a stream, of any length unless its compression ratio is implausible for text."""

    def __init__(self, packed: IO[bytes], path: Path) -> None:
        self.stream = gzip.GzipFile(fileobj=packed)
        self.path, self.done, self.limit = path, 0, size_limit()
        self.size = os.fstat(packed.fileno()).st_size

    def readable(self) -> bool:
        return True

    def readinto(self, room: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self.stream.read(len(room))
        room[: len(data)] = data
        self.done += len(data)
        if self.done > max(self.limit, MAX_RATIO * self.size):
            raise too_large(self.path, f"decompresses to more than {MAX_RATIO} times its size", self.limit)
        return len(data)
