"""Rows of any file (or Python value) to outputs, examples and judgements, each checked where it stands."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from assay.errors import AssayError, location
from assay.records.fields import example_of, has_ids, id_of, optional, text_of
from assay.records.files import read_bytes
from assay.records.lazy_files import LazyExamples, find_examples, find_outputs, is_large, read_plain
from assay.records.recognize import (
    OUTPUT_FIELDS,
    REFERENCE_FIELDS,
    SOURCE_FIELDS,
    Row,
    Skipped,
    Table,
    read_table,
)
from assay.records.remote import local, path_of
from assay.records.types import Data, Example, Judgement, Output

T = TypeVar("T")
MANY = 10_000
"""Up to so many ids are kept for the next system."""


def _left_out(name: str, skipped: Sequence[Skipped]) -> list[str]:
    """What a person is told about the lines of a file that could not be read."""
    if not skipped:
        return []
    first = f"line {skipped[0].line}"
    if len(skipped) == 1:
        return [f"1 unreadable line of {name} was left out: {first}"]
    return [f"{len(skipped)} unreadable lines of {name} were left out, the first is {first}"]


class OutputFile(NamedTuple):
    """What one outputs file holds: the outputs, and the examples that stand in the same rows (if any)."""

    ids: Sequence[str]
    texts: Sequence[str]
    examples: list[Example] | None
    has_ids: bool
    name: str
    system: str
    skipped: tuple[Skipped, ...] = ()
    columns: Mapping[str, Sequence[str]] | None = None
    """What else stands in every row, by the name of its column: something to join by."""

    @property
    def notes(self) -> list[str]:
        return _left_out(self.name, self.skipped)

    @property
    def outputs(self) -> list[Output]:
        return [Output(id=id, output=text) for id, text in zip(self.ids, self.texts, strict=True)]


class ExampleFile(NamedTuple):
    examples: list[Example]
    has_ids: bool
    name: str
    stored: LazyExamples | None = None
    """Instead of `examples`, where they were left in their file."""
    skipped: tuple[Skipped, ...] = ()

    @property
    def notes(self) -> list[str]:
        return _left_out(self.name, self.skipped)

    @property
    def records(self) -> Sequence[Example]:
        return self.examples if self.stored is None else self.stored

    @property
    def ids(self) -> Sequence[str]:
        return [example.id for example in self.examples] if self.stored is None else self.stored.bare.ids


def read_outputs(
    data: Data, *, dataset: str | None = None, skip_bad: bool = False, in_place: bool = False, system: str | None = None
) -> OutputFile:
    """The outputs of one system; of a file with several the one that is named. With `in_place` the texts of a large
    file may stay where they are."""
    found = read_systems(data, dataset=dataset, skip_bad=skip_bad, in_place=in_place)
    if len(found) == 1:
        return found[0]
    names = [each.system for each in found]
    if system not in names:
        listed = ", ".join(names[:10]) + (" …" if len(names) > 10 else "")
        asked = f"no system {system} among" if system else "outputs of"
        raise AssayError(
            f"{found[0].name}: {asked} {len(names)} systems in one file ({listed}); choose one with --system NAME, or "
            "compare them all: assay compare FILE"
        )
    return found[names.index(system)]


@lru_cache(maxsize=4)
def _numbers(count: int) -> tuple[str, ...]:
    """The ids of texts that have none; many systems of one set have the same."""
    return tuple(map(str, range(1, count + 1)))


def read_systems(
    data: Data, *, dataset: str | None = None, skip_bad: bool = False, in_place: bool = False
) -> list[OutputFile]:
    """The outputs of every system in a file, in the order in which they come."""
    data = local(data)
    if in_place and isinstance(data, str | PathLike) and is_large(path_of(data)):
        found = find_outputs(path_of(data))
        if found:
            stored, named, names = found
            if len(names) < 2:
                return [OutputFile(named, stored, None, True, f"{data}", _system(names, f"{data}", None))]
    given: Data | Table = data
    if isinstance(data, str | PathLike):
        content = None if Path(data).is_dir() else read_bytes(path_of(data))
        plain = read_plain(content, Output) if content is not None else None
        if plain:
            return [_plain_file(mine, f"{data}") for mine in _by_system(plain, [output.system for output in plain])]
        given = read_table(path_of(data), content=content, dataset=dataset, skip_bad=skip_bad)
    elif isinstance(data, list) and all(issubclass(kind, str) for kind in set(map(type, data))):
        ids = list(_numbers(len(data)) if len(data) <= MANY else map(str, range(1, len(data) + 1)))
        return [OutputFile(ids, list(map(str, data)), None, False, "<outputs>", "outputs")]
    table = to_table(given, "outputs", dataset=dataset, skip_bad=skip_bad)
    systems = [optional(row, table, "system") for row in table.rows]
    if len(set(systems)) < 2:
        return [_table_file(table)]
    return [_table_file(table._replace(rows=rows, skipped=())) for rows in _by_system(table.rows, systems)]


def _by_system(records: Sequence[T], names: Sequence[str | None]) -> list[list[T]]:
    """The records of each system; those without a name are of one without."""
    found: dict[str | None, list[T]] = {}
    for record, name in zip(records, names, strict=True):
        found.setdefault(name, []).append(record)
    return list(found.values())


def _plain_file(outputs: Sequence[Output], path: str) -> OutputFile:
    names = {output.system for output in outputs if output.system}
    ids, texts = [output.id for output in outputs], [output.output for output in outputs]
    return OutputFile(ids, texts, None, True, path, _system(names, path, None))


def _table_file(table: Table) -> OutputFile:
    named = has_ids(table)
    ids = [id_of(row, table) if named else str(i) for i, row in zip(table.positions, table.rows, strict=True)]
    texts = [text_of(row, table, OUTPUT_FIELDS, "output") for row in table.rows]
    names = {name for name in (optional(row, table, "system") for row in table.rows) if name}
    examples = None
    if table.rows and table.rows[0].fields.keys() & {*REFERENCE_FIELDS, *SOURCE_FIELDS}:
        examples = [example_of(row, table, id, bare=None) for row, id in zip(table.rows, ids, strict=True)]
    system = _system(names, table.path, table.system)
    return OutputFile(ids, texts, examples, named, table.path, system, table.skipped, _columns(table))


def _columns(table: Table) -> dict[str, list[str]]:
    """The columns of which every row has a text or a whole number, the output left out."""
    if not table.rows:
        return {}
    output = next((name for name in (*OUTPUT_FIELDS, "") if name in table.rows[0].fields), "")
    found = {}
    for name in table.rows[0].fields:
        values = [row.fields.get(name) for row in table.rows]
        if name != output and all(isinstance(value, str | int) and not isinstance(value, bool) for value in values):
            found[name] = [str(value) for value in values]
    return found


def _system(names: set[str], path: str, named: str | None) -> str:
    return next(iter(names), None) or named or stem_of(path)


def read_examples(
    data: Data | ExampleFile, *, dataset: str | None = None, skip_bad: bool = False, in_place: bool = False
) -> ExampleFile:
    return _read_examples(data, "examples", None, dataset, skip_bad, in_place)


def read_references(
    data: Data, *, dataset: str | None = None, skip_bad: bool = False, in_place: bool = False
) -> ExampleFile:
    """References alone: a bare string or list in a row is the references of that item."""
    return _read_examples(data, "references", "references", dataset, skip_bad, in_place)


def read_sources(
    data: Data, *, dataset: str | None = None, skip_bad: bool = False, in_place: bool = False
) -> ExampleFile:
    return _read_examples(data, "sources", "source", dataset, skip_bad, in_place)


def read_judgements(data: Data) -> list[Judgement]:
    """Judgements of people, one a row; a value that is neither a word nor a finite number is refused."""
    table = to_table(data, "judgements")
    judgements = []
    for row in table.rows:
        fields = {key: value for key, value in row.fields.items() if value is not None and value != ""}
        for key in ("id", "system", "annotator", "criterion"):
            if isinstance(fields.get(key), int) and not isinstance(fields[key], bool):
                fields[key] = str(fields[key])
        if isinstance(fields.get("question"), int | float):
            fields["question"] = f"{fields['question']:g}"
        if isinstance(fields.get("pilot"), str):
            fields["pilot"] = {"true": True, "false": False}.get(fields["pilot"].lower(), fields["pilot"])
        if isinstance(fields.get("position"), str) and fields["position"].isdecimal():
            fields["position"] = int(fields["position"])
        for key in ("value", "seconds"):
            if isinstance(fields.get(key), str) and _is_number(fields[key]):
                fields[key] = float(fields[key])
            if isinstance(fields.get(key), float) and not math.isfinite(fields[key]):
                raise AssayError(
                    f"{location(table.path, row.where)} id {fields.get('id')}: {key} is {fields[key]}, not a finite "
                    f"number; {'leave the judgement out' if key == 'value' else 'leave it empty'}"
                )
        try:
            judgements.append(msgspec.convert(fields, Judgement))
        except msgspec.ValidationError as error:
            needs = "id, system, annotator, criterion, value"
            raise AssayError(
                f"{location(table.path, row.where)}: not a judgement ({error}); it needs {needs}"
            ) from None
    return judgements


def to_table(data: Data | Table, role: str, *, dataset: str | None = None, skip_bad: bool = False) -> Table:
    """A table from whatever a caller has at hand."""
    if isinstance(data, Table):
        return data
    data = local(data)
    if isinstance(data, str | PathLike):
        return read_table(path_of(data), dataset=dataset, skip_bad=skip_bad, texts=role != "scores")
    if hasattr(data, "to_dicts"):  # polars
        data = data.to_dicts()
    elif hasattr(data, "to_dict") and hasattr(data, "columns"):  # pandas
        data = data.to_dict("records")
    name = f"<{role}>"
    if isinstance(data, Mapping):
        rows = [
            Row({"id": key, **value} if isinstance(value, Mapping) else {"id": key, "": value}, f"id {key}")
            for key, value in data.items()
        ]
        return Table(rows, name, "python")
    if isinstance(data, Set | bytes):
        raise AssayError(f"{name}: a {type(data).__name__} has no items in an order; give a list, or a dict by id")
    if not isinstance(data, Iterable):
        raise AssayError(f"{name}: a {type(data).__name__} holds no items; give a path, a list, a dict or a DataFrame")
    rows = []
    for i, value in enumerate(data, 1):
        if isinstance(value, msgspec.Struct):
            value = msgspec.to_builtins(value)
        rows.append(Row(dict(value) if isinstance(value, Mapping) else {"": value}, f"item {i}"))
    return Table(rows, name, "python")


def _read_examples(
    data: Data | ExampleFile, role: str, bare: str | None, dataset: str | None, skip_bad: bool, in_place: bool
) -> ExampleFile:
    if isinstance(data, ExampleFile):  # read before, and called by its file
        return data
    data = local(data)
    if in_place and isinstance(data, str | PathLike) and is_large(path_of(data)):
        found = find_examples(path_of(data))
        if found is not None:
            return ExampleFile([], True, f"{data}", found)
    given: Data | Table = data
    if isinstance(data, str | PathLike):
        content = None if Path(data).is_dir() else read_bytes(path_of(data))
        plain = read_plain(content, Example) if content is not None else None
        if plain:
            return ExampleFile(plain, True, f"{data}")
        given = read_table(path_of(data), content=content, dataset=dataset, skip_bad=skip_bad)
    elif bare == "references" and isinstance(data, list) and all(map(_are_references, data)):
        lists = [(str(each),) if isinstance(each, str) else tuple(map(str, each)) for each in data]
        return ExampleFile([Example(id=str(i), references=each) for i, each in enumerate(lists, 1)], False, f"<{role}>")
    table = to_table(given, role, dataset=dataset, skip_bad=skip_bad)
    named = has_ids(table)
    examples = [
        example_of(row, table, id_of(row, table) if named else str(i), bare=bare)
        for i, row in zip(table.positions, table.rows, strict=True)
    ]
    return ExampleFile(examples, named, table.path, skipped=table.skipped)


def _are_references(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(isinstance(text, str) for text in value)
    return isinstance(value, str)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def stem_of(path: str) -> str:
    name = os.fsencode(Path(path).name).decode("utf-8", "replace")  # it is kept, and a name of a file may be no text
    for suffix in (".gz", ".jsonl", ".json", ".txt", ".csv", ".tsv", ".parquet"):
        name = name.removesuffix(suffix)
    return name.strip("<>-") or "system"
