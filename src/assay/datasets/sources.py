"""Published files to records: JSON lines, JSON documents, tables, text lines and XML, streamed where the format allows.

A piece that cannot be decoded becomes a record with a `problem`, so that one place decides whether to stop or to count.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any, Literal, cast

import msgspec

from assay.datasets.record import Record
from assay.errors import AssayError
from assay.records.files import GZIP_MAGIC, PARQUET_MAGIC

NOT_UTF8 = "not valid UTF-8; convert the file, e.g. iconv -f latin1 -t utf-8"
HALF_CHARACTER = "holds half of a character (a lone \\ud800 escape); the file is damaged"
SURROGATE = re.compile(r"\\ud[89a-f]", re.IGNORECASE)
UNDECODED = re.compile("[\udc80-\udcff\0]")
"""What the error handler `surrogateescape` makes of bytes that are not UTF-8; and NUL, a sign of UTF-16."""
GEM_LINE = re.compile(rb'\s*\{[^\n]*"gem_id"\s*:')
LINE_LIMIT = 64 << 20
"""A line longer than this is not a record but a file without line ends."""


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file as a stream, decompressed when it is gzip by content."""
    try:
        stream: IO[bytes] = path.open("rb")
    except FileNotFoundError:
        raise AssayError(f"{path}: no such file; check the path") from None
    except OSError as error:
        raise AssayError(f"{path}: cannot be read ({error.strerror}); check the path and its permissions") from None
    with stream:
        packed = stream.read(2) == GZIP_MAGIC
        stream.seek(0)
        try:
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=stream)) if packed else stream
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise AssayError(f"{path}: damaged gzip ({error}); download it again") from None


def uniform_rows(path: Path) -> Iterator[Record] | None:
    """The rows of a file in the one schema of GEM and the hub, known by content: Parquet, or lines with `gem_id`."""
    with opened(path) as stream:
        start = stream.read(1 << 16)
    if start.startswith(PARQUET_MAGIC):
        return parquet_rows(path, "gem_id")
    return json_lines(path, "gem_id") if GEM_LINE.match(start) else None


def text_lines(path: Path, *, blank: bool = True) -> Iterator[Record]:
    """One record a line, its value the text; blank lines are kept only when they count (parallel files)."""
    with opened(path) as stream:
        for number, line in enumerate(iter(lambda: stream.readline(LINE_LIMIT + 1), b""), 1):
            where = f"line {number}"
            if len(line) > LINE_LIMIT:
                raise AssayError(f"{path} {where}: longer than {LINE_LIMIT >> 20} MB; is this a file of lines?")
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\n").removesuffix("\r")
            except UnicodeDecodeError:
                yield Record(path, where, problem=NOT_UTF8, index=number - 1)
                continue
            if "\0" in text:
                problem = "holds NUL characters (UTF-16?); convert the file to UTF-8"
                yield Record(path, where, problem=problem, index=number - 1)
            elif blank or text.strip():
                yield Record(path, where, text, index=number - 1)


def json_lines(path: Path, id_field: str | None = None) -> Iterator[Record]:
    """One JSON value a line; memory stays that of the longest line."""
    for line in text_lines(path, blank=False):
        if line.problem:
            yield line
            continue
        value, problem = _json(line.value)
        yield Record(path, line.where, value, id_field, problem, line.index)


def _json(text: str) -> tuple[Any, str | None]:
    try:
        return msgspec.json.decode(text), None
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        pass
    try:
        value = json.loads(text)  # tolerates the bare NaN of published files
        return (None, HALF_CHARACTER) if _half_character(text, value) else (value, None)
    except (json.JSONDecodeError, RecursionError) as error:
        return None, f"not JSON ({getattr(error, 'msg', 'nested too deeply')}); is the file cut off?"


def _half_character(text: str, value: Any) -> bool:
    """Whether JSON escapes hide half of a character, which no UTF-8 file could hold."""
    if not SURROGATE.search(text):
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def json_items(path: Path, id_field: str | None = None) -> Iterator[Record]:
    """The items of a JSON list, or the values of a JSON object (named by key), decoded one at a time.

    A file that is cut off still gives every item before the cut; the last one then has a `problem`.
    """
    text = _whole_text(path)
    decoder = json.JSONDecoder()
    position = _skip(text, 0)
    opening = text[position : position + 1]
    if opening not in ("[", "{"):
        reason = NOT_UTF8 if UNDECODED.search(text) else "not a JSON list or object; is this the published file?"
        yield Record(path, "line 1", problem=reason)
        return
    number, closing = 0, "]" if opening == "[" else "}"
    position = _skip(text, position + 1)
    if text[position : position + 1] == closing:
        return
    while True:
        number += 1
        where, start = f"item {number}", position
        try:
            if opening == "{":
                key, position = decoder.raw_decode(text, position)
                position = _skip(text, position)
                if not isinstance(key, str) or text[position : position + 1] != ":":
                    raise json.JSONDecodeError("Expecting a key and a colon", text, position)
                where, position = f"key {key}", _skip(text, position + 1)
            value, position = decoder.raw_decode(text, position)
        except (json.JSONDecodeError, RecursionError) as error:
            reason = f"not JSON ({getattr(error, 'msg', 'nested too deeply')}); the file is damaged or cut off here"
            yield Record(path, where, problem=reason)
            return
        undecoded = UNDECODED.search(text, start, position)
        if undecoded:
            line = text.count("\n", 0, undecoded.start()) + 1
            yield Record(path, f"line {line} item {number}", problem=NOT_UTF8, index=number - 1)
        else:
            damaged = _half_character(text[start:position], (where, value))
            yield Record(path, where, value, id_field, HALF_CHARACTER if damaged else None, number - 1)
        position = _skip(text, position)
        following = text[position : position + 1]
        if following == closing:
            return
        if following != ",":
            yield Record(path, f"after {where}", problem="not JSON; the file is damaged or cut off here")
            return
        position = _skip(text, position + 1)


def _whole_text(path: Path) -> str:
    """The text of a file; bytes that are not UTF-8 are kept apart, so that only the records that hold them are bad."""
    with opened(path) as stream:
        data = stream.read()
    if not data.strip():
        raise AssayError(f"{path}: the file is empty; download it again")
    return data.decode("utf-8-sig", "surrogateescape")


WHITE = re.compile(r"[ \t\r\n]*")


def _skip(text: str, position: int) -> int:
    match = WHITE.match(text, position)
    return match.end() if match else position


def table_rows(path: Path, columns: Iterable[str], delimiter: str = ",", *, header: bool = True) -> Iterator[Record]:
    """Rows of a CSV or TSV that must have these columns; streamed."""
    needed = list(columns)
    csv.field_size_limit(LINE_LIMIT)
    with opened(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE
        reader = csv.reader(text, delimiter=delimiter, quoting=quoting, strict=True)
        names = needed
        number, index = 0, -1
        while True:
            number += 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield Record(path, f"line {reader.line_num}", problem=f"not a table row ({error}); check the quotes")
                continue
            if header and number == 1:
                names = [name.strip() for name in cells]
                missing = [name for name in needed if name not in names]
                if missing:
                    found = ", ".join(_shown(name) for name in names[:8])
                    raise AssayError(f"{path} line 1: column '{missing[0]}' is missing; found {found}")
                continue
            where = f"line {reader.line_num}"
            if not cells:
                continue
            index += 1
            if any(UNDECODED.search(cell) for cell in cells):
                yield Record(path, where, problem=NOT_UTF8)
            elif len(cells) != len(names):
                yield Record(path, where, problem=f"has {len(cells)} cells under {len(names)} columns")
            else:
                yield Record(path, where, dict(zip(names, cells, strict=True)), index=index)


def _shown(name: str) -> str:
    return name[:40].encode("ascii", "replace").decode()


def parallel_lines(paths: dict[str, Path]) -> Iterator[Record]:
    """Files whose n-th lines belong together, as one record of named texts; unequal lengths are a problem."""
    first = next(iter(paths.values()))
    streams = [text_lines(path) for path in paths.values()]
    for number, lines in enumerate(zip_longest(*streams), 1):
        where = f"line {number}"
        short = [path for path, line in zip(paths.values(), lines, strict=True) if line is None]
        if short:
            yield Record(first, where, problem=f"{short[0].name} has only {number - 1} lines; the files do not match")
            return
        broken = next((line for line in lines if line is not None and line.problem), None)
        if broken:
            yield broken
            continue
        texts = {name: line.value for name, line in zip(paths, lines, strict=True) if line}
        yield Record(first, where, texts, index=number - 1)


def xml_elements(path: Path, tag: str, id_attribute: str) -> Iterator[Record]:
    """Each element of that tag as a record, streamed; a document type or an entity declaration is refused."""
    from xml.etree.ElementTree import Element, TreeBuilder
    from xml.parsers import expat

    finished: list[Element] = []
    builder: TreeBuilder | None = None
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal builder, depth
        if builder is None and name == tag:
            builder, depth = TreeBuilder(), 0
        if builder is not None:
            depth += 1
            builder.start(name, attributes)

    def end(name: str) -> None:
        nonlocal builder, depth
        if builder is not None:
            builder.end(name)
            depth -= 1
            if depth == 0:
                finished.append(builder.close())
                builder = None

    def characters(data: str) -> None:
        if builder is not None:
            builder.data(data)

    def refuse(*_: object) -> None:
        # External entities read other files and nested ones explode; no published file here needs either.
        raise AssayError(f"{path}: declares a document type or entities; refused, as these can read other files")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, characters
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    count = 0
    with opened(path) as stream:
        last = False
        while not last:
            chunk = stream.read(1 << 16)
            last = not chunk
            problem = None
            try:
                parser.Parse(chunk, last)
            except (expat.ExpatError, LookupError, ValueError) as error:  # also unknown encodings
                problem = f"not well-formed XML ({error}); the file is damaged or cut off here"
            for element in finished:
                count += 1
                yield Record(path, f"{tag} {count} id {element.get(id_attribute)}", element, index=count - 1)
            finished.clear()
            if problem:
                yield Record(path, f"after {tag} {count}", problem=problem)
                return


def parquet_rows(path: Path, id_field: str | None = None, batch: int = 2048) -> Iterator[Record]:
    """Rows of a Parquet file, a batch at a time."""
    import polars

    try:
        lazy = polars.scan_parquet(path)
        total = int(lazy.select(polars.len()).collect().item())
        for start in range(0, total, batch):
            rows = lazy.slice(start, batch).collect().iter_rows(named=True)
            for number, row in enumerate(rows, start + 1):
                yield Record(path, f"row {number}", row, id_field, index=number - 1)
    except polars.exceptions.PolarsError as error:
        raise AssayError(f"{path}: damaged Parquet ({str(error).splitlines()[0]}); download it again") from None
