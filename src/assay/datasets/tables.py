"""Read records of tables: CSV and TSV by line, Parquet by batch."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from assay.datasets.record import Record
from assay.datasets.sources import LINE_LIMIT, NOT_UTF8, UNDECODED, json_lines, opened
from assay.errors import AssayError, first_line
from assay.records.files import PARQUET_MAGIC
from assay.records.parquet import check_parquet_file

GEM_LINE = re.compile(rb'\s*\{[^\n]*"gem_id"\s*:')


def table_rows(path: Path, columns: Iterable[str], delimiter: str = ",", *, header: bool = True) -> Iterator[Record]:
    """Yield the rows of a CSV or TSV file, which must have these columns."""
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
                    columns_present = ", ".join(_shown(name) for name in names[:8])
                    raise AssayError(f"{path}:1: column '{missing[0]}' is missing; columns: {columns_present}")
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
    """Return a name of a file on one line; a quoted name may contain line breaks."""
    return "".join(letter if letter.isascii() and letter.isprintable() else "?" for letter in name[:40])


def parquet_rows(path: Path, id_field: str | None = None, batch: int = 2048) -> Iterator[Record]:
    """Yield the rows of a Parquet file, read by batch."""
    import polars

    check_parquet_file(path, whole=False)
    try:
        lazy = polars.scan_parquet(path)
        total = int(lazy.select(polars.len()).collect().item())
        for start in range(0, total, batch):
            rows = lazy.slice(start, batch).collect().iter_rows(named=True)
            for number, row in enumerate(rows, start + 1):
                yield Record(path, f"row {number}", row, id_field, index=number - 1)
    except polars.exceptions.PolarsError as error:
        raise AssayError(f"{path}: damaged Parquet ({first_line(error)}); download it again") from None


def uniform_rows(path: Path) -> Iterator[Record] | None:
    """Return the rows of a file in GEM's schema, recognised by content: Parquet, or lines with `gem_id`."""
    with opened(path) as stream:
        start = stream.read(1 << 16)
    if start.startswith(PARQUET_MAGIC):
        return parquet_rows(path, "gem_id")
    return json_lines(path, "gem_id") if GEM_LINE.match(start) else None
