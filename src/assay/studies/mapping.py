"""Ratings of any table as judgements: a few lines of TOML say which column is what."""

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

PLACE = re.compile(r"\{([^{}]+)\}")
CONSTANT = "="


class Mapped(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which column is what: its name, `{a}-{b}` of several, or `=word` for what no column says."""

    id: str
    system: str
    annotator: str
    criterion: str | None = None
    value: str | None = None
    criteria: dict[str, str] = {}
    """Where a row has a column for each criterion: the criterion, and its column."""
    unit: str | None = None
    seconds: str | None = None
    position: str | None = None
    pilot: str | None = None
    method: str | None = None
    question: str | None = None


def read_mapping(path: Path) -> Mapped:
    try:
        found = msgspec.convert(read_toml(path), Mapped)
    except msgspec.ValidationError as error:
        raise AssayError(
            f"{path}: {error}; it needs id, system, annotator, and criterion with value or [criteria]"
        ) from None
    if bool(found.criteria) == (found.criterion is not None and found.value is not None):
        raise AssayError(f"{path}: say either criterion and value (one answer a row) or [criteria] (a column each)")
    return found


def map_ratings(table: Path, mapping: Mapped) -> list[Judgement]:
    """The judgements of a table; an answer that is empty is none, anything else that is wrong is named by its line."""
    return read_judgements(list(_rows(table, mapping)))


def _rows(path: Path, mapping: Mapped) -> Iterator[Mapping[str, Any]]:
    shared = {
        name: getattr(mapping, name)
        for name in ("id", "system", "annotator", "unit", "seconds", "position", "pilot", "method", "question")
        if getattr(mapping, name) is not None
    }
    answers = mapping.criteria or {str(mapping.criterion): str(mapping.value)}
    for where, given in _cells(path):
        fields = {name: _taken(given, spec, where) for name, spec in shared.items()}
        for criterion, column in answers.items():
            name = criterion if mapping.criteria else _taken(given, criterion, where)
            value = _taken(given, column, where)
            if value is not None and value != "":
                yield {**fields, "criterion": name, "value": value}


def _cells(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Rows with where they stand; columns of a CSV or TSV may have any name."""
    delimiter = {".csv": ",", ".tsv": "\t"}.get(path.suffix.lower())
    if delimiter is None:
        yield from ((f"{location(path, row.where)}", row.fields) for row in read_table(path).rows)
        return
    for record in table_rows(path, (), delimiter):
        if record.problem:
            raise AssayError(f"{record.label}: {record.problem}")
        yield record.label, record.value


def _taken(fields: Mapping[str, Any], spec: str, where: str) -> Any:
    if spec.startswith(CONSTANT):
        return spec.removeprefix(CONSTANT)
    places = PLACE.findall(spec) or [spec]
    missing = next((name for name in places if name not in fields), None)
    if missing is not None:
        raise AssayError(f"{where}: no column '{missing}'; there is {', '.join(map(str, fields))[:200]}")
    if "{" not in spec:
        return fields[spec]
    return PLACE.sub(lambda found: str(fields[found[1]]), spec)
