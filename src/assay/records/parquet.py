"""Untrusted Parquet files: their decompressed size is computed from footer and page headers before they are read.

A few kilobytes can decompress to terabytes, by compression or by repeating one value.
"""

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
"""The encoding DELTA_BYTE_ARRAY, in which a text can repeat the previous one: lengths are not in the page header."""
SMALLEST = 8
"""Smallest size of a page header in bytes."""
OVERHEAD = 16
"""Largest number of bytes that a value takes in memory in addition to its content."""


class NotParquetError(ValueError):
    """Bytes that are not valid Parquet."""


class Thrift:
    """Reader of Thrift's compact protocol, as far as Parquet uses it: structs as numbered fields."""

    def __init__(self, data: bytes | mmap.mmap, position: int) -> None:
        self.data, self.position = data, position

    def byte(self) -> int:
        if not 0 <= self.position < len(self.data):
            raise NotParquetError("cut off")
        self.position += 1
        return self.data[self.position - 1]

    def unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise NotParquetError("a number of more than 64 bits")

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
            self.position += 8
            return None
        if kind == BINARY:
            length = self.unsigned()  # in its own statement: reading it changes the position
            self.position += length
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
        if count > len(self.data) - self.position:
            raise NotParquetError("a list longer than the file")
        if kind in (1, 2):  # booleans take a byte in lists only
            return [self.byte() for _ in range(count)]
        return [self.value(kind, depth + 1) for _ in range(count)]

    def pairs(self, depth: int) -> None:
        count = self.unsigned()
        if count > len(self.data) - self.position:
            raise NotParquetError("a list longer than the file")
        kinds = self.byte() if count else 0
        for _ in range(count):
            self.value(kinds >> 4, depth + 1)
            self.value(kinds & 15, depth + 1)

    def fields(self, depth: int = 0) -> Fields:
        fields: Fields = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.signed()
            fields[number] = self.value(head & 15, depth + 1)
        return fields


def _row_groups(data: bytes | mmap.mmap) -> list[Fields]:
    """Return the metadata of the row groups in the footer."""
    if len(data) < 12 or data[-4:] != MAGIC:
        raise NotParquetError("no footer at its end")
    (size,) = struct.unpack("<I", data[-8:-4])
    return list(Thrift(data, len(data) - 8 - size).fields().get(4) or ())


def _pages(data: bytes | mmap.mmap, group: Fields) -> Iterator[Fields]:
    """Yield the page headers of a row group, column by column."""
    for chunk in group.get(1) or ():
        metadata = chunk.get(3)
        if not isinstance(metadata, dict):
            raise NotParquetError("a column without metadata")
        position: int = metadata[9] if metadata.get(11) is None else metadata[11]
        end = position + metadata[7]
        while position < end:
            reader = Thrift(data, position)
            head = reader.fields()
            yield head
            if head[3] < 0 or head[2] < 0:
                raise NotParquetError("a page of negative size")
            position = reader.position + head[3]


def _page_size(head: Fields) -> int:
    """Return the largest memory that the values of a page can take."""
    own: Fields = next((head[kind] for kind in (5, 8, 7) if kind in head), {})
    values = max(0, own.get(1, 0))
    encoding = own.get(4 if 8 in head else 2)
    return int(head[2] + values * (head[2] if encoding == ENCODED_BY_PREFIX else OVERHEAD))


def unpacked_sizes(data: bytes | mmap.mmap) -> list[int]:
    """Return the largest memory that each row group can take.

    Raises:
        NotParquetError: The data is not valid Parquet.
    """
    sizes, left = [], len(data) // SMALLEST + 1
    try:
        for group in _row_groups(data):
            size = 0
            for head in _pages(data, group):
                size += _page_size(head)
                left -= 1
                if left < 0:
                    raise NotParquetError("overlapping pages")
            sizes.append(size)
        return sizes
    except (KeyError, TypeError, AttributeError, struct.error) as error:
        raise NotParquetError(f"its footer is damaged ({type(error).__name__})") from None


def check_parquet_file(path: Path, *, whole: bool = True, natural: bool = False) -> None:
    """Refuse a file that would take more memory than the size limit.

    Args:
        path: The file.
        whole: Whether all of it is read at once, or one row group after the other.
        natural: Whether any size is accepted if the compression ratio is plausible, for files that assay has written.
    """
    with open_input(path) as stream:
        try:
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
                sizes = unpacked_sizes(data)
        except (OSError, ValueError) as error:
            raise AssayError(f"{path}: damaged Parquet ({error}). Write it again.") from None
        allowed = MAX_RATIO * os.fstat(stream.fileno()).st_size if natural else 0
    size = sum(sizes) if whole else max(sizes, default=0)
    if size > allowed:
        _refuse_large(size, path)


def _refuse_large(size: int, path: object) -> None:
    if size > size_limit():
        raise too_large(path, f"decompresses to {format_size(size)}")


def read_parquet(data: bytes, path: object) -> polars.DataFrame:
    """Read a Parquet file within the size limit, which also holds for its values as Python objects."""
    import polars

    try:
        sizes = unpacked_sizes(data)
    except ValueError as error:
        raise AssayError(f"{path}: damaged Parquet ({error}). Write it again.") from None
    _refuse_large(sum(sizes), path)
    try:
        frame = polars.read_parquet(io.BytesIO(data))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # polars has many error types, and its panics are not an Exception
        raise AssayError(f"{path}: damaged Parquet ({first_line(error)}). Write it again.") from None
    if not frame.width:
        raise AssayError(f"{path}: has no columns. Write it again.")
    size = frame_size(frame)
    if size > size_limit():
        raise too_large(path, f"has {format_size(size)} of text")
    return frame


def frame_size(frame: polars.DataFrame) -> int:
    """Return the bytes of all texts in a table, repeated texts included."""
    return sum(map(_size, frame.iter_columns()))


def _size(column: polars.Series) -> int:
    """Return the bytes of all texts in a column, repeated texts included."""
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
