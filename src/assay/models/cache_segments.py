"""Segments: files of the cache that hold many values. One is written once, under its place, and never changed.

what it is and how many      a magic line, the number of values, a digest of the tables
three tables                 the keys' numbers in order, where each value begins, a check of each value
the values                   one after the other
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
"""Seconds after which it is noted again that a segment was used; oftener would only write more."""


class Key(NamedTuple):
    """A key in short: its number is looked up, its proof goes into the check of the value, so that neither a key with
    the same number nor a damaged table can pass off another value as this one's."""

    number: int
    proof: bytes

    @staticmethod
    def of(text: str) -> Key:
        made = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=24).digest()
        return Key(int.from_bytes(made[:8], "little"), made[8:])

    def check(self, value: bytes) -> int:
        return int.from_bytes(hashlib.blake2b(value, digest_size=8, key=self.proof).digest(), "little")


class Entry(NamedTuple):
    """One value, as it stands in a segment."""

    number: int
    check: int
    value: bytes


class OtherFormatError(ValueError):
    """A file of values that another version of assay wrote: not for us to read or to take away."""


class Segment:
    """One file of values. The tables are in memory, the values on disk."""

    def __init__(self, path: Path) -> None:
        """Raises ValueError where the file is damaged."""
        self.path = path
        with path.open("rb") as stream:
            head = stream.read(HEAD.size)
            magic, count, digest = HEAD.unpack(head) if len(head) == HEAD.size else (b"", 0, b"")
            size = os.fstat(stream.fileno()).st_size
            if magic != MAGIC and magic.startswith(MAGIC[: MAGIC.rindex(b" ") + 1]):
                raise OtherFormatError("of another version")
            if magic != MAGIC or HEAD.size + (3 * count + 1) * 8 > size:
                raise ValueError("not a whole segment")
            tables = stream.read((3 * count + 1) * 8)
            self.noted = os.fstat(stream.fileno()).st_mtime
        if hashlib.blake2b(tables, digest_size=16).digest() != digest:
            raise ValueError("its tables are damaged")
        table: NDArray[np.uint64] = np.frombuffer(tables, dtype="<u8")
        self.numbers, self.starts, self.checks = table[:count], table[count : 2 * count + 1], table[2 * count + 1 :]
        self.begin = HEAD.size + len(tables)
        if self.begin + int(self.starts[-1]) != size:
            raise ValueError("its length is wrong")

    def read(self, places: NDArray[np.integer[Any]]) -> Iterator[Entry]:
        """What stands at these places. Raises OSError when the file has gone meanwhile."""
        # Read, not mapped into memory: where a file in a map is taken away by another machine, the process dies.
        with self.path.open("rb", buffering=0) as stream:
            begins, ends = (self.starts[places + shift] + np.uint64(self.begin) for shift in (0, 1))
            columns = (self.numbers[places], self.checks[places], begins, ends)
            for number, check, low, high in zip(*(column.tolist() for column in columns), strict=True):
                stream.seek(low)
                yield Entry(number, check, stream.read(high - low))

    def note_use(self) -> None:
        """The least recently used segments go first when there is too much."""
        now = time.time()
        if now - self.noted > NOTED:
            self.noted = now
            with contextlib.suppress(OSError):  # gone, or not ours to touch
                os.utime(self.path)


def write_segment(folder: Path, entries: Iterable[Entry]) -> Path:
    """Entries in a new segment; its name comes from its content, so that writing the same twice makes one file."""
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
    """Which segment of a folder holds which key, as the folder was when this was made."""

    def __init__(self, folder: Path, before: Index | None = None) -> None:
        known = {segment.path.name: segment for segment in before.segments} if before else {}
        self.segments: list[Segment] = []
        self.names: set[str] = set()
        """The files that this index knows all about."""
        for path in segment_files(folder):
            try:
                self.segments.append(known.get(path.name) or Segment(path))
                self.names.add(path.name)
            except OtherFormatError:
                self.names.add(path.name)
            except OSError:  # gone meanwhile, or not ours to read
                continue
            except ValueError:  # nothing in it can be trusted, and all of it can be had again
                with contextlib.suppress(OSError):  # not ours to take away
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
        """The values of those keys that are there and whole, by the key's position. A damaged value counts as none,
        unless another segment has it too."""
        wanted = np.array([key.number for key in keys], dtype="<u8")
        rows = np.searchsorted(self.numbers, wanted, side="left")
        found: dict[int, bytes] = {}
        open_keys = np.arange(len(keys))
        while len(open_keys):
            inside = rows[open_keys] < len(self.numbers)
            open_keys = open_keys[inside]
            open_keys = open_keys[self.numbers[rows[open_keys]] == wanted[open_keys]]
            found.update(self._read(keys, open_keys, rows))
            open_keys = np.array([i for i in open_keys.tolist() if i not in found], dtype=np.intp)
            rows[open_keys] += 1
        return found

    def _read(self, keys: list[Key], some: NDArray[np.intp], rows: NDArray[np.intp]) -> Iterator[tuple[int, bytes]]:
        owners = self.owners[rows[some]]
        for owner in np.unique(owners).tolist():
            segment, mine = self.segments[owner], some[owners == owner]
            with contextlib.suppress(OSError):  # gone meanwhile, with all its values
                entries = segment.read(self.places[rows[mine]])
                for i, entry in zip(mine.tolist(), entries, strict=True):
                    if keys[i].check(entry.value) == entry.check:
                        yield i, entry.value
                segment.note_use()


def segment_files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{SUFFIX}"))
