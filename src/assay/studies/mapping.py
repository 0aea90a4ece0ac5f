"""Judgements from a table of ratings, by a TOML file that maps columns to fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from assay.datasets.tables import table_rows
from assay.errors import AssayError, location
from assay.records import Judgement, read_judgements, read_table
from assay.records.documents import read_toml
from assay.records.key_problems import key_problem

PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
CONSTANT = "="


class ColumnMapping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Column of each field of a judgement: a name, `{a}-{b}` to join columns, or `=word` for a constant."""

    id: str
    system: str
    annotator: str
    criterion: str | None = None
    value: str | None = None
    criteria: dict[str, str] = {}
    """Criterion to column, where a row has a column for each criterion."""
    unit: str | None = None
    seconds: str | None = None
    position: str | None = None
    pilot: str | None = None
    method: str | None = None
    question: str | None = None


def read_mapping(path: Path) -> ColumnMapping:
    """Read a column mapping from a TOML file."""
    try:
        mapping = msgspec.convert(read_toml(path), ColumnMapping)
    except msgspec.ValidationError as error:
        raise AssayError(
            f"{path}: {key_problem(error, ColumnMapping)}. "
            "Required: id, system, annotator, and either criterion and value, or [criteria]."
        ) from None
    if bool(mapping.criteria) == (mapping.criterion is not None and mapping.value is not None):
        raise AssayError(f"{path}: set either criterion and value (one answer per row) or [criteria] (one column each)")
    return mapping


def map_ratings(table: Path, mapping: ColumnMapping) -> list[Judgement]:
    """Return the judgements of a table. Empty cells are skipped; other errors name the line."""
    return read_judgements(list(_rows(table, mapping)))


def _rows(path: Path, mapping: ColumnMapping) -> Iterator[Mapping[str, Any]]:
    shared = {
        name: getattr(mapping, name)
        for name in ("id", "system", "annotator", "unit", "seconds", "position", "pilot", "method", "question")
        if getattr(mapping, name) is not None
    }
    answers = mapping.criteria or {str(mapping.criterion): str(mapping.value)}
    for where, cells in _cells(path):
        fields = {name: _value(cells, spec, where) for name, spec in shared.items()}
        for criterion, column in answers.items():
            name = criterion if mapping.criteria else _value(cells, criterion, where)
            value = _value(cells, column, where)
            if value is not None and value != "":
                yield {**fields, "criterion": name, "value": value}


def _cells(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each row with its location. Columns of a CSV or TSV file may have any name."""
    delimiter = {".csv": ",", ".tsv": "\t"}.get(path.suffix.lower())
    if delimiter is None:
        yield from ((f"{location(path, row.where)}", row.fields) for row in read_table(path).rows)
        return
    for record in table_rows(path, (), delimiter):
        if record.problem:
            raise AssayError(f"{record.label}: {record.problem}")
        yield record.label, record.value


def _value(fields: Mapping[str, Any], spec: str, where: str) -> Any:
    if spec.startswith(CONSTANT):
        return spec.removeprefix(CONSTANT)
    names = PLACEHOLDER.findall(spec) or [spec]
    missing = next((name for name in names if name not in fields), None)
    if missing is not None:
        raise AssayError(f"{where}: no column '{missing}'; columns are {', '.join(map(str, fields))[:200]}")
    if "{" not in spec:
        return fields[spec]
    return PLACEHOLDER.sub(lambda match: str(fields[match[1]]), spec)
