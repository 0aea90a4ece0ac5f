"""Read records of published files: text lines, JSON Lines, JSON documents; as a stream where possible.

A part that cannot be decoded becomes a record with a `problem`; the caller decides whether to stop or to count it.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any

import msgspec

from assay.datasets.record import Record
from assay.errors import AssayError, location
from assay.records.files import GZIP_MAGIC
from assay.records.size_limit import GzipStream, open_input, read_limited

NOT_UTF8 = "not valid UTF-8; convert the file from its encoding, e.g. iconv -f latin1 -t utf-8"
HALF_CHARACTER = "contains half of a character (a lone \\ud800 escape); the file is damaged"
SURROGATE = re.compile(r"\\ud[89a-f]", re.IGNORECASE)
UNDECODED = re.compile("[\udc80-\udcff\0]")
"""Characters of the error handler `surrogateescape` for bytes that are not UTF-8; and NUL, a sign of UTF-16."""
LINE_LIMIT = 64 << 20
"""Maximum length of a line; a longer one indicates a file without line breaks."""


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file as a byte stream, decompressed if its content is gzip."""
    with open_input(path) as stream:
        if not stream.seekable():
            raise AssayError(f"{path}: is a pipe; published files are read more than once, so pass a file")
        packed = stream.read(2) == GZIP_MAGIC
        stream.seek(0)
        try:
            yield BufferedReader(GzipStream(stream, path), 1 << 16) if packed else stream
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise AssayError(f"{path}: damaged gzip ({error}); download it again") from None


def text_lines(path: Path, *, blank: bool = True) -> Iterator[Record]:
    """Yield one record per line with its text; blank lines are kept only in parallel files."""
    with opened(path) as stream:
        for number, line in enumerate(iter(lambda: stream.readline(LINE_LIMIT + 1), b""), 1):
            where = f"line {number}"
            if len(line) > LINE_LIMIT:
                raise AssayError(
                    f"{location(path, where)}: longer than {LINE_LIMIT >> 20} MB; is this a file of lines?"
                )
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\n").removesuffix("\r")
            except UnicodeDecodeError:
                yield Record(path, where, problem=NOT_UTF8, index=number - 1)
                continue
            if "\0" in text:
                problem = "contains NUL characters (UTF-16?); convert the file to UTF-8"
                yield Record(path, where, problem=problem, index=number - 1)
            elif blank or text.strip():
                yield Record(path, where, text, index=number - 1)


def json_lines(path: Path, id_field: str | None = None) -> Iterator[Record]:
    """Yield one JSON value per line; memory is that of the longest line."""
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
    """Return whether JSON escapes contain half of a character, which is not valid UTF-8."""
    if not SURROGATE.search(text):
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def json_items(path: Path, id_field: str | None = None) -> Iterator[Record]:
    """Yield the items of a JSON list, or the values of a JSON object (named by key), one at a time.

    A truncated file yields every item before the cut; the last one then has a `problem`.
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
    """Return the text of a file; invalid UTF-8 is escaped, so that only the records that contain it are bad."""
    with opened(path) as stream:
        data = read_limited(stream, path)
    if not data or data.isspace():
        raise AssayError(f"{path}: the file is empty; download it again")
    return data.decode("utf-8-sig", "surrogateescape")


WHITE = re.compile(r"[ \t\r\n]*")


def _skip(text: str, position: int) -> int:
    match = WHITE.match(text, position)
    return match.end() if match else position


def parallel_lines(paths: dict[str, Path]) -> Iterator[Record]:
    """Yield the n-th lines of parallel files as one record of named texts; unequal lengths are a problem."""
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
