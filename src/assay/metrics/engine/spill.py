"""Arrays on disk: unnamed temporary files, which are deleted with their owner, and arrays mapped onto files.

The files are in the directory of temporary files (`TMPDIR`), which should be on a disk and not in memory (tmpfs).
"""

from __future__ import annotations

import errno
import mmap
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from threading import Lock
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError

LARGE = 16_000_000
"""Number of tokens above which types are counted on disk; below it, memory is faster and sufficient. No value depends
on it, except the last digits of the confidence intervals of entropies."""
BLOCK = 4_000_000
"""Number of tokens in memory at once for larger sets."""


@contextmanager
def _naming_folder() -> Iterator[None]:
    """Name the directory in errors, since the files have no name, and how to choose another."""
    try:
        yield
    except OSError as error:
        where = tempfile.tempdir or "temporary files"
        raise AssayError(
            f"{where}: {error.strerror or error}; statistics of large sets are stored there: free some space, or set "
            "TMPDIR to a directory on a larger disk"
        ) from None


class Spill:
    """A temporary file of numbers of one type, which take no memory until they are read. Safe for use by threads."""

    def __init__(self, kind: Any) -> None:
        self.kind: np.dtype[Any] = np.dtype(kind)
        self._size = 0
        self._lock = Lock()

    @cached_property
    def _file(self) -> IO[bytes]:
        return tempfile.TemporaryFile(prefix="assay-")

    def append(self, numbers: NDArray[Any]) -> int:
        """Append the numbers; return where they begin."""
        begin = self._size
        self.put(begin, numbers)
        self._size += len(numbers)
        return begin

    def put(self, begin: int, numbers: NDArray[Any]) -> None:
        """Write the numbers from this position on."""
        with self._lock, _naming_folder():
            self._file.seek(begin * self.kind.itemsize)
            self._file.write(np.ascontiguousarray(numbers, dtype=self.kind).data)

    def get(self, begin: int, count: int) -> NDArray[Any]:
        """Read `count` numbers from this position on."""
        numbers = np.empty(count, dtype=self.kind)
        if not count:
            return numbers
        with self._lock, _naming_folder():  # reading may flush pending writes, and fail on a full disk
            self._file.seek(begin * self.kind.itemsize)
            self._file.readinto(numbers.data.cast("B"))  # type: ignore[attr-defined]
        return numbers

    def mapped(self) -> NDArray[Any]:
        """Return everything that was appended as a memory-mapped array."""
        with _naming_folder():
            self._file.flush()
        if not self._size:
            return np.empty(0, dtype=self.kind)
        return np.memmap(
            self._file, dtype=self.kind, mode="c", shape=(self._size,)
        )  # copy on write: kernels need writable arrays


def mapped_zeros(rows: int, columns: int) -> NDArray[np.float64]:
    """Return a memory-mapped table of zeros, to be filled in."""
    if not rows * columns:
        return np.zeros((rows, columns))
    with _naming_folder(), tempfile.TemporaryFile(prefix="assay-") as file:  # the mapping keeps the file open
        _reserve(file.fileno(), rows * columns * np.dtype(np.float64).itemsize)
        return np.memmap(file, dtype=np.float64, mode="w+", shape=(rows, columns))


def _reserve(file: int, size: int) -> None:
    """Reserve disk space: writing to a mapping without space would kill the process with SIGBUS."""
    if not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(file, 0, size)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):  # file system without reservation
            raise


def release_pages(array: NDArray[Any]) -> None:
    """Free the memory of pages of a mapped file; they are read again on access. Does nothing to other arrays."""
    owner: Any = array
    while owner is not None and not isinstance(owner, mmap.mmap):
        owner = getattr(owner, "base", None)
    if owner is not None and hasattr(owner, "madvise"):
        owner.madvise(mmap.MADV_DONTNEED)
