"""One cell of a published table beside what the released data give."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import AssayError


@dataclass(frozen=True)
class Cell:
    """A number as printed, as computed, and whether they agree at the printed precision (None: cannot be said)."""

    table: str
    row: str
    column: str
    published: float | str | None
    computed: float | str | None
    match: bool | None
    note: str = ""


def cell(table: str, row: str, column: str, printed: str | None, computed: float | None, note: str = "") -> Cell:
    """Compare at the number of decimals that was printed; without either number nothing is claimed."""
    if printed is None or computed is None:
        return Cell(table, row, column, None if printed is None else float(printed), computed, None, note)
    decimals = len(printed.partition(".")[2])
    close = abs(float(printed) - computed) <= 0.5 * 10.0**-decimals + 1e-9
    return Cell(table, row, column, float(printed), computed, close, note)


def elsewhere(table: str, row: str, column: str, printed: str, computed: float, note: str) -> Cell:
    """A number that was printed for rows which cannot be known: both are shown, nothing is claimed."""
    return Cell(table, row, column, float(printed), computed, None, note)


def statement(table: str, claim: str, computed: str, holds: bool | None, note: str = "") -> Cell:
    """A sentence of the paper that the data either bear out or do not."""
    return Cell(table, claim, "holds", "stated", computed, holds, note)


def read_rows(block: str) -> Iterator[tuple[str, list[str]]]:
    """Lines `name | number number ...` of a table written down as text; `-` is an empty cell."""
    for line in block.strip().splitlines():
        name, _, numbers = line.partition("|")
        yield name.strip(), numbers.split()


def need(folder: Path, *names: str) -> list[Path]:
    """The files of a dataset, or one line that says which is missing."""
    paths = [folder / name for name in names]
    for path in paths:
        if not path.exists():
            raise AssayError(f"{path}: not found; name the folder that holds the released data with --data")
    return paths


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def read_csv(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def matched(cells: Iterable[Cell]) -> tuple[int, int, int]:
    """How many cells agree, differ, and cannot be recomputed or compared."""
    verdicts = [each.match for each in cells]
    return verdicts.count(True), verdicts.count(False), verdicts.count(None)
