"""Segments: cache files with many values each, written once and never changed.

header     a magic line, the number of values, a digest of the tables
tables     hashes of the keys in ascending order, the offset of each value, a checksum of each value
values     one after the other
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.records.files import replacing

SUFFIX = ".values"
MAGIC = b"assay values 01\n"
HEAD = struct.Struct(f"<{len(MAGIC)}sQ16s")
NOTED = 60.0
"""Minimum number of seconds between two updates of the time of last use of a segment."""


class Key(NamedTuple):
    """Hash of a key: the number is looked up, the proof is part of the checksum of the value.

    So neither a key with the same number nor a damaged table can return the value of another key.
    """

    number: int
    proof: bytes

    @staticmethod
    def of(text: str) -> Key:
        made = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=24).digest()
        return Key(int.from_bytes(made[:8], "little"), made[8:])

    def check(self, value: bytes) -> int:
        return int.from_bytes(hashlib.blake2b(value, digest_size=8, key=self.proof).digest(), "little")


class Entry(NamedTuple):
    """One value of a segment."""

    number: int
    check: int
    value: bytes


class OtherFormatError(ValueError):
    """A segment of another version of assay, which is neither read nor deleted."""


class Segment:
    """One segment. Its tables are in memory, its values on disk."""

    def __init__(self, path: Path) -> None:
        """Read the tables.

        Raises:
            ValueError: If the file is damaged.
        """
        self.path = path
        with path.open("rb") as stream:
            head = stream.read(HEAD.size)
            magic, count, digest = HEAD.unpack(head) if len(head) == HEAD.size else (b"", 0, b"")
            size = os.fstat(stream.fileno()).st_size
            if magic != MAGIC and magic.startswith(MAGIC[: MAGIC.rindex(b" ") + 1]):
                raise OtherFormatError("written by another version")
            if magic != MAGIC or HEAD.size + (3 * count + 1) * 8 > size:
                raise ValueError("the segment is truncated")
            tables = stream.read((3 * count + 1) * 8)
            self.noted = os.fstat(stream.fileno()).st_mtime
        if hashlib.blake2b(tables, digest_size=16).digest() != digest:
            raise ValueError("the tables are damaged")
        table: NDArray[np.uint64] = np.frombuffer(tables, dtype="<u8")
        self.numbers, self.starts, self.checks = table[:count], table[count : 2 * count + 1], table[2 * count + 1 :]
        self.begin = HEAD.size + len(tables)
        if self.begin + int(self.starts[-1]) != size:
            raise ValueError("the length does not match the tables")

    def read(self, places: NDArray[np.integer[Any]]) -> Iterator[Entry]:
        """Yield the entries at these positions.

        Raises:
            OSError: If the file has been deleted meanwhile.
        """
        # Read, not memory-mapped: if another machine deletes a mapped file, the process is killed.
        with self.path.open("rb", buffering=0) as stream:
            begins, ends = (self.starts[places + shift] + np.uint64(self.begin) for shift in (0, 1))
            columns = (self.numbers[places], self.checks[places], begins, ends)
            for number, check, low, high in zip(*(column.tolist() for column in columns), strict=True):
                stream.seek(low)
                yield Entry(number, check, stream.read(high - low))

    def note_use(self) -> None:
        """Update the time of last use: the least recently used segments are deleted first."""
        now = time.time()
        if now - self.noted > NOTED:
            self.noted = now
            with contextlib.suppress(OSError):  # deleted meanwhile, or no permission
                os.utime(self.path)


def write_segment(folder: Path, entries: Iterable[Entry]) -> Path:
    """Write entries to a segment and return its path, which is derived from the content."""
    ordered = sorted(entries)
    numbers, checks = (np.array([entry[i] for entry in ordered], dtype="<u8") for i in (0, 1))
    starts = np.cumsum([0, *(len(entry.value) for entry in ordered)]).astype("<u8")
    tables = b"".join(table.tobytes() for table in (numbers, starts, checks))
    digest = hashlib.blake2b(tables, digest_size=16).digest()
    path = folder / f"{digest.hex()}{SUFFIX}"
    with replacing(path, "wb") as stream:
        stream.write(HEAD.pack(MAGIC, len(ordered), digest) + tables)
        stream.writelines(entry.value for entry in ordered)
    return path


class Index:
    """The segment and position of each key in a folder, as of the creation of the index."""

    def __init__(self, folder: Path, before: Index | None = None) -> None:
        known = {segment.path.name: segment for segment in before.segments} if before else {}
        self.segments: list[Segment] = []
        self.names: set[str] = set()
        """Names of the files that the index covers."""
        for path in segment_files(folder):
            try:
                self.segments.append(known.get(path.name) or Segment(path))
                self.names.add(path.name)
            except OtherFormatError:
                self.names.add(path.name)
            except OSError:  # deleted meanwhile, or no permission
                continue
            except ValueError:  # damaged: its values can be computed again
                with contextlib.suppress(OSError):  # no permission
                    path.unlink(missing_ok=True)
        sizes = [len(segment.numbers) for segment in self.segments]
        numbers = np.concatenate([np.zeros(0, dtype="<u8"), *(segment.numbers for segment in self.segments)])
        order = np.argsort(numbers, kind="stable")
        self.numbers = numbers[order]
        self.owners = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)[order]
        places = np.concatenate([np.zeros(0, dtype=np.int64), *map(np.arange, sizes)])
        self.places = places[order].astype(np.int32)

    def is_current(self, folder: Path) -> bool:
        return {path.name for path in segment_files(folder)} == self.names

    def find(self, keys: list[Key]) -> dict[int, bytes]:
        """Return the valid values of the keys, by position of the key; a damaged one is taken elsewhere."""
        wanted = np.array([key.number for key in keys], dtype="<u8")
        rows = np.searchsorted(self.numbers, wanted, side="left")
        values: dict[int, bytes] = {}
        open_keys = np.arange(len(keys))
        while len(open_keys):
            inside = rows[open_keys] < len(self.numbers)
            open_keys = open_keys[inside]
            open_keys = open_keys[self.numbers[rows[open_keys]] == wanted[open_keys]]
            values.update(self._read(keys, open_keys, rows))
            open_keys = np.array([i for i in open_keys.tolist() if i not in values], dtype=np.intp)
            rows[open_keys] += 1
        return values

    def _read(self, keys: list[Key], some: NDArray[np.intp], rows: NDArray[np.intp]) -> Iterator[tuple[int, bytes]]:
        owners = self.owners[rows[some]]
        for owner in np.unique(owners).tolist():
            segment, mine = self.segments[owner], some[owners == owner]
            with contextlib.suppress(OSError):  # deleted meanwhile
                entries = segment.read(self.places[rows[mine]])
                for i, entry in zip(mine.tolist(), entries, strict=True):
                    if keys[i].check(entry.value) == entry.check:
                        yield i, entry.value
                segment.note_use()


def segment_files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{SUFFIX}"))
