"""Large JSONL files in assay's own format, whose records are read on demand.

In memory are the position of each line and the metadata of examples as columns: enough to join and select items.
Scoring reads one shard after the other, on whichever machine it runs.
"""

from __future__ import annotations

import platform
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Generic, TypeVar, overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.records.files import GZIP_MAGIC
from assay.records.id_column import BareColumns, BareExamples, IdColumn, Ids
from assay.records.types import FIELDS_OF_NEEDS, Example, Output

T = TypeVar("T")
LARGE = 128 << 20
"""Bytes above which a file is read on demand."""
BLOCK = 1000
"""Records that are read at once if their positions are known."""
BYTES = 4 << 20
"""Bytes that are read at once if they are not."""


class LazyRecords(Sequence[T], Generic[T]):
    """Some records of a file, in any order, or one `field` of each record."""

    def __init__(self, path: Path, kind: type[Any], offsets: NDArray[np.int64], field: str | None = None) -> None:
        self.path, self.kind, self.offsets, self.field = path, kind, offsets, field
        """`offsets` are start and end of each record in bytes, one row per record."""

    def __len__(self) -> int:
        return len(self.offsets)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> LazyRecords[T]: ...
    def __getitem__(self, index: int | slice) -> T | LazyRecords[T]:
        if isinstance(index, slice):
            return self.take(index)
        return next(iter(self.take(np.array([range(len(self))[index]]))))

    def take(self, chosen: NDArray[np.int64] | slice) -> LazyRecords[T]:
        return LazyRecords(self.path, self.kind, self.offsets[chosen], self.field)

    def __iter__(self) -> Iterator[T]:
        try:
            with self.path.open("rb") as stream:
                for start in range(0, len(self), BLOCK):
                    for record in self._block(stream, self.offsets[start : start + BLOCK]):
                        yield record if self.field is None else getattr(record, self.field)
        except FileNotFoundError:
            raise AssayError(
                f"{self.path}: no such file any more, or not on this node ({platform.node()}). "
                "Put it on every node under this name, or give a URL."
            ) from None
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise AssayError(f"{self.path}: changed while it was read ({error}). Start again.") from None

    def _block(self, stream: IO[bytes], offsets: NDArray[np.int64]) -> list[Any]:
        decoder = msgspec.json.Decoder(self.kind)
        if (offsets[1:, 0] == offsets[:-1, 1]).all():  # consecutive records
            stream.seek(offsets[0, 0])
            records = decoder.decode_lines(stream.read(int(offsets[-1, 1] - offsets[0, 0])))
            if len(records) != len(offsets):
                raise msgspec.DecodeError(f"{len(records)} records instead of {len(offsets)}")
            return records
        records = []
        for begin, end in offsets.tolist():
            stream.seek(begin)
            records.append(decoder.decode(stream.read(end - begin)))
        return records


class LazyExamples(LazyRecords[Example]):
    """Examples with metadata in memory and texts in their file."""

    def __init__(self, path: Path, offsets: NDArray[np.int64], bare: BareExamples, counts: NDArray[np.int32]) -> None:
        super().__init__(path, Example, offsets)
        self.bare = bare
        """The examples without texts."""
        self.counts = counts
        """Per example and field of `FIELDS_OF_NEEDS`: number of entries, or whether it is present."""

    def take(self, chosen: NDArray[np.int64] | slice) -> LazyExamples:
        return LazyExamples(self.path, self.offsets[chosen], self.bare.take(chosen), self.counts[chosen])

    def __reduce__(self) -> tuple[Any, ...]:
        # workers load the texts and need no metadata
        return LazyRecords, (self.path, Example, self.offsets)


class Lines(Generic[T]):
    """A large file with one record per line. Iterating over it also collects the offsets of the records."""

    def __init__(self, path: Path, kind: type[T]) -> None:
        self.path, self.kind = path, kind
        self._offsets: list[NDArray[np.int64]] = []

    @property
    def offsets(self) -> NDArray[np.int64]:
        return np.concatenate(self._offsets) if self._offsets else np.zeros((0, 2), dtype=np.int64)

    def __iter__(self) -> Iterator[T]:
        decoder = msgspec.json.Decoder(self.kind)
        at = 0
        with self.path.open("rb") as stream:
            while lines := stream.readlines(BYTES):
                records = decoder.decode_lines(b"".join(lines))
                ends = at + np.cumsum([len(line) for line in lines])
                offsets = np.column_stack([np.concatenate([[at], ends[:-1]]), ends])
                if len(records) != len(lines):
                    offsets = offsets[[not line.isspace() for line in lines]]
                if len(records) != len(offsets):
                    raise msgspec.DecodeError("more than one record in a line")
                self._offsets.append(offsets)
                at = int(ends[-1])
                yield from records


def is_large(path: Path) -> bool:
    """Return whether a file is to be read on demand; pipes and compressed files cannot be."""
    try:
        if not path.is_file() or path.stat().st_size <= LARGE:
            return False
        with path.open("rb") as stream:
            return not stream.read(2).startswith(GZIP_MAGIC)
    except OSError:
        return False


def find_outputs(path: Path) -> tuple[LazyRecords[str], Ids, set[str]] | None:
    """Return texts, ids and systems of a large file of outputs; None if it is not in assay's own format."""
    lines = Lines(path, Output)
    ids = IdColumn()
    systems: set[str] = set()
    try:
        for output in lines:
            if not is_plain(output):
                return None
            ids.add(output.id)
            if output.system:
                systems.add(output.system)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return LazyRecords(path, Output, lines.offsets, "output"), ids.ids(), systems


def find_examples(path: Path) -> LazyExamples | None:
    """Return the examples of a large file; None if it is not in assay's own format."""
    lines = Lines(path, Example)
    bare = BareColumns()
    counts = array("i")
    try:
        for example in lines:
            if not is_plain(example):
                return None
            bare.add(example)
            counts.extend(map(_count, (getattr(example, field) for field in FIELDS_OF_NEEDS.values())))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    table = np.frombuffer(counts, dtype=np.int32).reshape(-1, len(FIELDS_OF_NEEDS))
    return LazyExamples(path, lines.offsets, bare.examples(), table)


def _count(value: object) -> int:
    return len(value) if isinstance(value, tuple) else value is not None


def read_plain(data: bytes, kind: type[T]) -> list[T] | None:
    """Return the records of a file in exactly assay's own format; None if the general reader has to read it."""
    try:
        records: list[T] = msgspec.json.Decoder(kind).decode_lines(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    # two records in one line are an error that the general reader reports
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    return records if 0 < len(records) <= lines and all(map(is_plain, records)) else None


def is_plain(record: Any) -> bool:
    """Return whether no field needs interpretation; an empty name, for example, means a missing one."""
    if isinstance(record, Output):
        return record.id != "" and record.system != ""
    return (
        record.id != ""
        and len(record.references) > 0
        and record.language != ""
        and record.split != ""
        and record.parent != ""
        and record.parent != record.id
    )
