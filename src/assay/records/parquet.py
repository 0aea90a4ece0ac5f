"""Parquet of strangers: how much it unpacks to is known from its footer and the heads of its pages, before any of it is
unpacked. A few kilobytes can stand for terabytes, by compression or by saying one value a billion times."""

from __future__ import annotations

import io
import mmap
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, first_line
from assay.records.size_limit import MAX_RATIO, format_size, open_input, size_limit, too_large

if TYPE_CHECKING:
    import polars

MAGIC = b"PAR1"
Fields = dict[int, Any]
STRUCT, LIST, SET, MAP, BINARY, DOUBLE = 12, 9, 10, 11, 8, 7
DEEPEST = 24
ENCODED_BY_PREFIX = 7
"""An encoding (DELTA_BYTE_ARRAY) in which a text may be all of the one before: how long they are is not said."""
SMALLEST = 8
"""Bytes that the head of a page takes at least."""
HELD = 16
"""Bytes that a value takes in memory besides its own, at most."""


class NotParquetError(ValueError):
    """Bytes that do not mean what they should at this place."""


class Thrift:
    """The compact protocol of Thrift, as far as Parquet needs it: structs as numbered fields."""

    def __init__(self, data: bytes | mmap.mmap, place: int) -> None:
        self.data, self.place = data, place

    def byte(self) -> int:
        if not 0 <= self.place < len(self.data):
            raise NotParquetError("cut off")
        self.place += 1
        return self.data[self.place - 1]

    def unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise NotParquetError("a number without end")

    def signed(self) -> int:
        value = self.unsigned()
        return (value >> 1) ^ -(value & 1)

    def value(self, kind: int, depth: int) -> Any:
        if depth > DEEPEST:
            raise NotParquetError("nested too deeply")
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return self.signed()
        if kind == DOUBLE:
            self.place += 8
            return None
        if kind == BINARY:
            length = self.unsigned()  # first: reading it moves the place
            self.place += length
            return None
        if kind in (LIST, SET):
            return self.items(depth)
        if kind == MAP:
            return self.pairs(depth)
        if kind == STRUCT:
            return self.fields(depth)
        raise NotParquetError("no such type")

    def items(self, depth: int) -> list[Any]:
        head = self.byte()
        count, kind = head >> 4, head & 15
        if count == 15:
            count = self.unsigned()
        if count > len(self.data) - self.place:
            raise NotParquetError("a list longer than the file")
        if kind in (1, 2):  # a byte each, unlike alone
            return [self.byte() for _ in range(count)]
        return [self.value(kind, depth + 1) for _ in range(count)]

    def pairs(self, depth: int) -> None:
        count = self.unsigned()
        if count > len(self.data) - self.place:
            raise NotParquetError("a list longer than the file")
        kinds = self.byte() if count else 0
        for _ in range(count):
            self.value(kinds >> 4, depth + 1)
            self.value(kinds & 15, depth + 1)

    def fields(self, depth: int = 0) -> Fields:
        found: Fields = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.signed()
            found[number] = self.value(head & 15, depth + 1)
        return found


def _row_groups(data: bytes | mmap.mmap) -> list[Fields]:
    """What the footer says of them."""
    if len(data) < 12 or data[-4:] != MAGIC:
        raise NotParquetError("no footer at its end")
    (size,) = struct.unpack("<I", data[-8:-4])
    return list(Thrift(data, len(data) - 8 - size).fields().get(4) or ())


def _pages(data: bytes | mmap.mmap, group: Fields) -> Iterator[Fields]:
    """The heads of the pages of a row group, column by column."""
    for chunk in group.get(1) or ():
        about = chunk.get(3)
        if not isinstance(about, dict):
            raise NotParquetError("a column without its place")
        place: int = about[9] if about.get(11) is None else about[11]
        end = place + about[7]
        while place < end:
            reader = Thrift(data, place)
            head = reader.fields()
            yield head
            if head[3] < 0 or head[2] < 0:
                raise NotParquetError("a page of less than nothing")
            place = reader.place + head[3]


def _unpacked(head: Fields) -> int:
    """The most memory that the values of a page can take."""
    own: Fields = next((head[kind] for kind in (5, 8, 7) if kind in head), {})
    values = max(0, own.get(1, 0))
    encoding = own.get(4 if 8 in head else 2)
    return int(head[2] + values * (head[2] if encoding == ENCODED_BY_PREFIX else HELD))


def unpacked_sizes(data: bytes | mmap.mmap) -> list[int]:
    """The most memory that each row group of a file can take. Raises ValueError where it is no Parquet."""
    sizes, left = [], len(data) // SMALLEST + 1
    try:
        for group in _row_groups(data):
            size = 0
            for head in _pages(data, group):
                size += _unpacked(head)
                left -= 1
                if left < 0:
                    raise NotParquetError("pages that stand in one another")
            sizes.append(size)
        return sizes
    except (KeyError, TypeError, AttributeError, struct.error) as error:
        raise NotParquetError(f"its footer is damaged ({type(error).__name__})") from None


def check_parquet_file(path: Path, *, whole: bool = True, natural: bool = False) -> None:
    """Refuse a file that would take more memory than the budget allows: all of it, or each of its row groups where
    they are read one after the other. One of our own may be large, as long as it is not packed beyond all measure."""
    with open_input(path) as stream:
        try:
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as held:
                sizes = unpacked_sizes(held)
        except (OSError, ValueError) as error:
            raise AssayError(f"{path}: damaged Parquet ({error}); write it again") from None
        allowed = MAX_RATIO * os.fstat(stream.fileno()).st_size if natural else 0
    size = sum(sizes) if whole else max(sizes, default=0)
    if size > allowed:
        _refuse_large(size, path)


def _refuse_large(size: int, path: object) -> None:
    if size > size_limit():
        raise too_large(path, f"unpacks to {format_size(size)}")


def read_parquet(data: bytes, path: object) -> polars.DataFrame:
    """All of a Parquet file, within the budget also as Python's values, which share nothing."""
    import polars

    try:
        sizes = unpacked_sizes(data)
    except ValueError as error:
        raise AssayError(f"{path}: damaged Parquet ({error}); write it again") from None
    _refuse_large(sum(sizes), path)
    try:
        frame = polars.read_parquet(io.BytesIO(data))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # polars raises its own family for every kind of damage, and panics are no Exception
        raise AssayError(f"{path}: damaged Parquet ({first_line(error)}); write it again") from None
    if not frame.width:
        raise AssayError(f"{path}: has no columns; write it again")
    size = sum(map(_size, frame.iter_columns()))
    if size > size_limit():
        raise too_large(path, f"its texts have {format_size(size)}")
    return frame


def _size(column: polars.Series) -> int:
    """Bytes of all texts in a column, each counted as often as it stands there."""
    import polars

    kind = column.dtype
    if kind == polars.String:
        return int(column.str.len_bytes().sum())
    if kind == polars.Binary:
        return int(column.bin.size().sum())
    if isinstance(kind, polars.List | polars.Array):
        return _size(column.explode()) if len(column) else 0
    if isinstance(kind, polars.Struct):
        return sum(_size(column.struct.field(field.name)) for field in kind.fields)
    return 0
