"""Numbers that wait on disk: files without a name that end with whoever holds them, and arrays mapped onto files.

They lie where temporary files do (`TMPDIR`); that should be a disk, not memory that looks like one.
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
"""Tokens from which on types are counted on disk; below, memory is faster, and enough. No value depends on it; ends of
intervals of entropies do in their last digits."""
BLOCK = 4_000_000
"""Tokens that are held at once where there are more."""


@contextmanager
def _telling_where() -> Iterator[None]:
    """These files have no name: of a full disk the folder is told, and what chooses another."""
    try:
        yield
    except OSError as error:
        where = tempfile.tempdir or "temporary files"
        raise AssayError(
            f"{where}: {error.strerror or error}; numbers of large sets wait there: make room, or name a folder on a "
            "larger disk with TMPDIR"
        ) from None


class Spill:
    """A file of numbers of one kind: what is put there takes no memory until it is read again. Several threads may read
    at the same time."""

    def __init__(self, kind: Any) -> None:
        self.kind: np.dtype[Any] = np.dtype(kind)
        self._size = 0
        self._at_place = Lock()

    @cached_property
    def _file(self) -> IO[bytes]:
        return tempfile.TemporaryFile(prefix="assay-")

    def append(self, numbers: NDArray[Any]) -> int:
        """Put them at the end; where they begin."""
        begin = self._size
        self.put(begin, numbers)
        self._size += len(numbers)
        return begin

    def put(self, begin: int, numbers: NDArray[Any]) -> None:
        with self._at_place, _telling_where():
            self._file.seek(begin * self.kind.itemsize)
            self._file.write(np.ascontiguousarray(numbers, dtype=self.kind).data)

    def get(self, begin: int, count: int) -> NDArray[Any]:
        numbers = np.empty(count, dtype=self.kind)
        if not count:
            return numbers
        with self._at_place, _telling_where():  # what was written last may still have to go to the disk
            self._file.seek(begin * self.kind.itemsize)
            self._file.readinto(numbers.data.cast("B"))  # type: ignore[attr-defined]
        return numbers

    def mapped(self) -> NDArray[Any]:
        """All that was appended, as an array that is read from the file where it is looked at."""
        with _telling_where():
            self._file.flush()
        if not self._size:
            return np.empty(0, dtype=self.kind)
        return np.memmap(
            self._file, dtype=self.kind, mode="c", shape=(self._size,)
        )  # kernels ask for arrays that may be written


def mapped_zeros(rows: int, columns: int) -> NDArray[np.float64]:
    """A table on disk, to be filled in."""
    if not rows * columns:
        return np.zeros((rows, columns))
    with _telling_where(), tempfile.TemporaryFile(prefix="assay-") as file:  # the mapping holds it from here on
        _have_room(file.fileno(), rows * columns * np.dtype(np.float64).itemsize)
        return np.memmap(file, dtype=np.float64, mode="w+", shape=(rows, columns))


def _have_room(file: int, size: int) -> None:
    """A mapping for which there is no room would end the process without a word."""
    if not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(file, 0, size)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):  # of a disk that cannot say
            raise


def forget(array: NDArray[Any]) -> None:
    """Have the memory back in which parts of a mapped file were kept; they are read again where they are asked for."""
    held: Any = array
    while held is not None and not isinstance(held, mmap.mmap):
        held = getattr(held, "base", None)
    if held is not None and hasattr(held, "madvise"):
        held.madvise(mmap.MADV_DONTNEED)
