"""Cells of published tables with their recomputed values, and readers of released files."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from assay.errors import AssayError
from assay.records.documents import JSONObject, parse_json
from assay.records.files import read_text


@dataclass(frozen=True)
class Cell:
    """A value as printed and as computed, and whether they agree at the printed precision (None: not comparable)."""

    table: str
    row: str
    column: str
    published: float | str | None
    computed: float | str | None
    match: bool | None
    note: str = ""
    basis: Literal["data", "print"] = "data"
    """Recomputed from released data or texts, or arithmetic on printed figures, which no count includes."""


def arithmetic(cells: Iterable[Cell]) -> Iterator[Cell]:
    """Yield cells that follow from other printed figures."""
    return (replace(each, basis="print") for each in cells)


def cell(table: str, row: str, column: str, printed: str | None, computed: float | None, note: str = "") -> Cell:
    """Return a cell compared at the printed number of decimals; not comparable if a value is missing."""
    if computed is not None and not math.isfinite(computed):
        computed, note = None, f"{note}; undefined on these rows" if note else "undefined on these rows"
    if printed is None or computed is None:
        return Cell(table, row, column, None if printed is None else float(printed), computed, None, note)
    decimals = len(printed.partition(".")[2])
    close = abs(float(printed) - computed) <= 0.5 * 10.0**-decimals + 1e-9
    return Cell(table, row, column, float(printed), computed, close, note)


def not_comparable(table: str, row: str, column: str, printed: str, computed: float, note: str) -> Cell:
    """Return a cell that was printed for other rows: both values are shown without a comparison."""
    return Cell(table, row, column, float(printed), computed, None, note)


def statement(table: str, claim: str, computed: str, holds: bool | None, note: str = "") -> Cell:
    """Return a claim of the paper and whether the data support it."""
    return Cell(table, claim, "holds", "stated", computed, holds, note)


def read_rows(block: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows of a table written as lines `name | value value ...`; `-` is an empty cell."""
    for line in block.strip().splitlines():
        name, _, numbers = line.partition("|")
        yield name.strip(), numbers.split()


def require_files(folder: Path, *names: str) -> list[Path]:
    """Return the paths of released files; raise AssayError if one is missing."""
    paths = [folder / name for name in names]
    for path in paths:
        if not path.exists():
            raise AssayError(f"{path}: not found. Give the folder of released data with --data.")
    return paths


def read_jsonl(path: Path) -> list[JSONObject]:
    """Read a file with one JSON object per line."""
    lines = enumerate(read_text(path).split("\n"), 1)
    rows = [parse_json(line, f"{path}:{number}") for number, line in lines if line.strip()]
    if not all(isinstance(row, dict) for row in rows):
        raise AssayError(f"{path}: not one JSON object per line. Use the released file.")
    return rows


def read_csv(path: Path, columns: Sequence[str], delimiter: str = ",", quoted: bool = True) -> list[dict[str, str]]:
    """Read a table that must have these columns; without `quoted`, quotation marks are text."""
    quoting: Literal[0, 3] = 0 if quoted else 3  # csv.QUOTE_MINIMAL or csv.QUOTE_NONE
    text = io.StringIO(read_text(path), newline="")
    reader = csv.DictReader(text, delimiter=delimiter, strict=True, quoting=quoting)
    try:
        missing = [name for name in columns if name not in (reader.fieldnames or ())]
        rows = list(reader)
    except csv.Error as error:
        raise AssayError(f"{path}:{reader.line_num}: not a table ({error}). Use the released file.") from None
    if missing:
        raise AssayError(f"{path}: no column '{missing[0]}'. Use the released file.")
    for number, row in enumerate(rows, 2):
        if any(row[name] is None for name in columns):
            raise AssayError(f"{path}:{number}: row is truncated. Use the released file.")
    return rows


def matched(cells: Iterable[Cell]) -> tuple[int, int, int]:
    """Return the number of cells that agree, differ, and are not comparable."""
    verdicts = [each.match for each in cells]
    return verdicts.count(True), verdicts.count(False), verdicts.count(None)
