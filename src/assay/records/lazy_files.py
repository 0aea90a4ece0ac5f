"""Large files in our own format: what lies in them is read when somebody asks, and forgotten again.

What is held is where each line begins, and of an example all but its texts, as columns: enough to join, to name and to
choose items. Scoring then loads one shard after the other, wherever it runs.
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
from assay.records.types import Example, Output

T = TypeVar("T")
LARGE = 128 << 20
"""Files of more bytes than this are not loaded whole."""
BLOCK = 1000
"""Records that are read together, where it is known how long they are."""
BYTES = 4 << 20
"""How much is read together where it is not."""


class LazyRecords(Sequence[T], Generic[T]):
    """Some records of a file, in any order; with `field`, that field of each."""

    def __init__(self, path: Path, kind: type[Any], places: NDArray[np.int64], field: str | None = None) -> None:
        self.path, self.kind, self.places, self.field = path, kind, places, field
        """`places` is where each record begins and ends, one row a record."""

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> LazyRecords[T]: ...
    def __getitem__(self, index: int | slice) -> T | LazyRecords[T]:
        if isinstance(index, slice):
            return self.take(index)
        return next(iter(self.take(np.array([range(len(self))[index]]))))

    def take(self, chosen: NDArray[np.int64] | slice) -> LazyRecords[T]:
        return LazyRecords(self.path, self.kind, self.places[chosen], self.field)

    def __iter__(self) -> Iterator[T]:
        try:
            with self.path.open("rb") as stream:
                for start in range(0, len(self), BLOCK):
                    for record in self._block(stream, self.places[start : start + BLOCK]):
                        yield record if self.field is None else getattr(record, self.field)
        except FileNotFoundError:
            lost = "no such file any more, or not on this node"
            raise AssayError(
                f"{self.path}: {lost} ({platform.node()}); every node must find it under this name, or give a URL"
            ) from None
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise AssayError(f"{self.path}: changed while it was read ({error}); start again") from None

    def _block(self, stream: IO[bytes], places: NDArray[np.int64]) -> list[Any]:
        decoder = msgspec.json.Decoder(self.kind)
        if (places[1:, 0] == places[:-1, 1]).all():  # one after the other
            stream.seek(places[0, 0])
            records = decoder.decode_lines(stream.read(int(places[-1, 1] - places[0, 0])))
            if len(records) != len(places):
                raise msgspec.DecodeError(f"{len(records)} records where {len(places)} were")
            return records
        records = []
        for begin, end in places.tolist():
            stream.seek(begin)
            records.append(decoder.decode(stream.read(end - begin)))
        return records


class LazyExamples(LazyRecords[Example]):
    """Examples of which everything but the texts is at hand."""

    def __init__(self, path: Path, places: NDArray[np.int64], bare: BareExamples, counts: NDArray[np.int32]) -> None:
        super().__init__(path, Example, places)
        self.bare = bare
        """The examples without references, source and input."""
        self.counts = counts
        """How many references each has; whether it has a source; whether it has an input."""

    def take(self, chosen: NDArray[np.int64] | slice) -> LazyExamples:
        return LazyExamples(self.path, self.places[chosen], self.bare.take(chosen), self.counts[chosen])

    def __reduce__(self) -> tuple[Any, ...]:
        # a worker loads the texts and needs nothing else
        return LazyRecords, (self.path, Example, self.places)


class Lines(Generic[T]):
    """A large file, one record a line: the records in turn, and afterwards where they stand."""

    def __init__(self, path: Path, kind: type[T]) -> None:
        self.path, self.kind = path, kind
        self._places: list[NDArray[np.int64]] = []

    @property
    def places(self) -> NDArray[np.int64]:
        return np.concatenate(self._places) if self._places else np.zeros((0, 2), dtype=np.int64)

    def __iter__(self) -> Iterator[T]:
        decoder = msgspec.json.Decoder(self.kind)
        at = 0
        with self.path.open("rb") as stream:
            while lines := stream.readlines(BYTES):
                records = decoder.decode_lines(b"".join(lines))
                ends = at + np.cumsum([len(line) for line in lines])
                places = np.column_stack([np.concatenate([[at], ends[:-1]]), ends])
                if len(records) != len(lines):
                    places = places[[not line.isspace() for line in lines]]
                if len(records) != len(places):
                    raise msgspec.DecodeError("more than one record in a line")
                self._places.append(places)
                at = int(ends[-1])
                yield from records


def is_large(path: Path) -> bool:
    """Whether a file is better left where it is; a pipe or a compressed file has to be loaded."""
    try:
        if not path.is_file() or path.stat().st_size <= LARGE:
            return False
        with path.open("rb") as stream:
            return not stream.read(2).startswith(GZIP_MAGIC)
    except OSError:
        return False


def find_outputs(path: Path) -> tuple[LazyRecords[str], Ids, set[str]] | None:
    """The texts of a large file of outputs, their ids and the systems named; None where it is not in our format."""
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
    return LazyRecords(path, Output, lines.places, "output"), ids.ids(), systems


def find_examples(path: Path) -> LazyExamples | None:
    """The examples of a large file; None where it is not in our format."""
    lines = Lines(path, Example)
    bare = BareColumns()
    counts = array("i")
    try:
        for example in lines:
            if not is_plain(example):
                return None
            bare.add(example)
            counts.extend((len(example.references), example.source is not None, example.input is not None))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return LazyExamples(path, lines.places, bare.examples(), np.frombuffer(counts, dtype=np.int32).reshape(-1, 3))


def read_plain(data: bytes, kind: type[T]) -> list[T] | None:
    """The records of a file that is in our own format to the letter; None where it is not, or means anything that
    the general reader would understand or refuse in its own way."""
    try:
        records: list[T] = msgspec.json.Decoder(kind).decode_lines(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    # two records in a line are a mistake, which the general reader reports
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    return records if 0 < len(records) <= lines and all(map(is_plain, records)) else None


def is_plain(record: Any) -> bool:
    """Whether every field says what it seems to say; an empty name is a missing one, for example."""
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
