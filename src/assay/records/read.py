"""Outputs, examples and judgements from any file or Python value, checked row by row."""

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
from assay.records.key_problems import key_problem
from assay.records.lazy_files import LazyExamples, find_examples, find_outputs, is_large, read_plain
from assay.records.misnamed import misnamed_columns
from assay.records.recognize import (
    CONTEXT_FIELDS,
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
from assay.text.integers import is_integer

T = TypeVar("T")
OTHER_FIELDS = (*CONTEXT_FIELDS, "messages", "expected")
MANY = 10_000
"""Largest number of ids that are cached for the next system."""


def _left_out(name: str, skipped: Sequence[Skipped]) -> list[str]:
    """Return a note about the lines of a file that were left out."""
    if not skipped:
        return []
    if len(skipped) == 1:
        return [f"{name}:{skipped[0].line}: 1 unreadable line was left out"]
    return [f"{name}:{skipped[0].line}: {len(skipped)} unreadable lines were left out, this one first"]


class OutputFile(NamedTuple):
    """The outputs of one system in a file, and the examples of the same rows, if there are any."""

    ids: Sequence[str]
    texts: Sequence[str]
    examples: list[Example] | None
    has_ids: bool
    name: str
    system: str
    skipped: tuple[Skipped, ...] = ()
    columns: Mapping[str, Sequence[str]] | None = None
    """Other columns with a value in every row, by name, to join by."""
    unused: tuple[str, ...] = ()
    """What the file has and is not used."""

    @property
    def notes(self) -> list[str]:
        return [*_left_out(self.name, self.skipped), *self.unused]

    @property
    def outputs(self) -> list[Output]:
        return [Output(id=id, output=text) for id, text in zip(self.ids, self.texts, strict=True)]


class ExampleFile(NamedTuple):
    """The examples of a file."""

    examples: list[Example]
    has_ids: bool
    name: str
    stored: LazyExamples | None = None
    """Replaces `examples` if they are read from their file on demand."""
    skipped: tuple[Skipped, ...] = ()
    unused: tuple[str, ...] = ()
    """What the file has and is not used."""

    @property
    def notes(self) -> list[str]:
        return [*_left_out(self.name, self.skipped), *self.unused]

    @property
    def records(self) -> Sequence[Example]:
        return self.examples if self.stored is None else self.stored

    @property
    def ids(self) -> Sequence[str]:
        return [example.id for example in self.examples] if self.stored is None else self.stored.bare.ids


def read_outputs(
    data: Data, *, dataset: str | None = None, skip_bad: bool = False, in_place: bool = False, system: str | None = None
) -> OutputFile:
    """Read the outputs of one system.

    Args:
        data: A path, list, mapping by id, or DataFrame.
        dataset: Task of a submission that has several.
        skip_bad: Leave out lines that are not JSON instead of raising an error.
        in_place: Read the texts of a large file on demand.
        system: Name of the system, for a file with several.

    Raises:
        AssayError: The data cannot be read, or has several systems and none of this name.
    """
    files = read_systems(data, dataset=dataset, skip_bad=skip_bad, in_place=in_place)
    if len(files) == 1:
        return files[0]
    names = [file.system for file in files]
    if system not in names:
        listed = ", ".join(names[:10]) + (" …" if len(names) > 10 else "")
        problem = f"no system {system} among" if system else "outputs of"
        raise AssayError(
            f"{files[0].name}: {problem} {len(names)} systems ({listed}). Choose one with --system NAME, or compare "
            "all: assay compare FILE."
        )
    return files[names.index(system)]


@lru_cache(maxsize=4)
def _numbers(count: int) -> tuple[str, ...]:
    """Return ids for texts without ids; cached because many systems have outputs for the same items."""
    return tuple(map(str, range(1, count + 1)))


def read_systems(
    data: Data, *, dataset: str | None = None, skip_bad: bool = False, in_place: bool = False
) -> list[OutputFile]:
    """Read the outputs of every system in a file, in the order of the file."""
    data = local(data)
    if in_place and isinstance(data, str | PathLike) and is_large(path_of(data)):
        in_file = find_outputs(path_of(data))
        if in_file:
            stored, named, names = in_file
            if len(names) < 2:
                return [OutputFile(named, stored, None, True, f"{data}", _system(names, f"{data}", None))]
    content_or_table: Data | Table = data
    if isinstance(data, str | PathLike):
        content = None if Path(data).is_dir() else read_bytes(path_of(data))
        plain = read_plain(content, Output) if content is not None else None
        if plain:
            return [_plain_file(mine, f"{data}") for mine in _by_system(plain, [output.system for output in plain])]
        content_or_table = read_table(path_of(data), content=content, dataset=dataset, skip_bad=skip_bad)
    elif isinstance(data, list) and all(issubclass(kind, str) for kind in set(map(type, data))):
        ids = list(_numbers(len(data)) if len(data) <= MANY else map(str, range(1, len(data) + 1)))
        return [OutputFile(ids, list(map(str, data)), None, False, "<outputs>", "outputs")]
    table = to_table(content_or_table, "outputs", dataset=dataset, skip_bad=skip_bad)
    table = table._replace(notes=(*table.notes, *misnamed_columns(table, ("id", "system", "reference"))))
    systems = [optional(row, table, "system") for row in table.rows]
    if len(set(systems)) < 2:
        return [_table_file(table)]
    return [_table_file(table._replace(rows=rows, skipped=())) for rows in _by_system(table.rows, systems)]


def _by_system(records: Sequence[T], names: Sequence[str | None]) -> list[list[T]]:
    """Group records by system; those without a system are one group."""
    groups: dict[str | None, list[T]] = {}
    for record, name in zip(records, names, strict=True):
        groups.setdefault(name, []).append(record)
    return list(groups.values())


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
    more = frozenset((*REFERENCE_FIELDS, *SOURCE_FIELDS, *OTHER_FIELDS))
    if any(not more.isdisjoint(row.fields) for row in table.rows):
        examples = [example_of(row, table, id, bare=None) for row, id in zip(table.rows, ids, strict=True)]
    system = _system(names, table.path, table.system)
    return OutputFile(ids, texts, examples, named, table.path, system, table.skipped, _columns(table), table.notes)


def _columns(table: Table) -> dict[str, list[str]]:
    """Return the columns with a string or an integer in every row, without the column of outputs."""
    if not table.rows:
        return {}
    output = next((name for name in (*OUTPUT_FIELDS, "") if name in table.rows[0].fields), "")
    columns = {}
    for name in table.rows[0].fields:
        values = [row.fields.get(name) for row in table.rows]
        if name != output and all(isinstance(value, str | int) and not isinstance(value, bool) for value in values):
            columns[name] = [str(value) for value in values]
    return columns


def _system(names: set[str], path: str, named: str | None) -> str:
    return next(iter(names), None) or named or stem_of(path)


def read_examples(
    data: Data | ExampleFile, *, dataset: str | None = None, skip_bad: bool = False, in_place: bool = False
) -> ExampleFile:
    """Read examples. Arguments are those of `read_outputs`."""
    return _read_examples(data, "examples", None, dataset, skip_bad, in_place)


def read_references(
    data: Data, *, dataset: str | None = None, skip_bad: bool = False, in_place: bool = False
) -> ExampleFile:
    """Read references: a bare string or list in a row is the reference or references of that item."""
    return _read_examples(data, "references", "references", dataset, skip_bad, in_place)


def read_sources(
    data: Data, *, dataset: str | None = None, skip_bad: bool = False, in_place: bool = False
) -> ExampleFile:
    """Read sources: a bare string in a row is the source of that item."""
    return _read_examples(data, "sources", "source", dataset, skip_bad, in_place)


def read_judgements(data: Data) -> list[Judgement]:
    """Read human judgements, one per row.

    Raises:
        AssayError: A required field is missing, or a value is neither a string nor a finite number.
    """
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
        if isinstance(fields.get("position"), str) and is_integer(fields["position"]):
            fields["position"] = int(fields["position"])
        for key in ("value", "seconds"):
            if isinstance(fields.get(key), str) and _is_number(fields[key]):
                fields[key] = float(fields[key])
            if isinstance(fields.get(key), float) and not math.isfinite(fields[key]):
                raise AssayError(
                    f"{location(table.path, row.where)} id {fields.get('id')}: {key} is {fields[key]}, not a finite "
                    f"number. {'Leave the judgement out.' if key == 'value' else 'Leave the field empty.'}"
                )
        try:
            judgements.append(msgspec.convert(fields, Judgement))
        except msgspec.ValidationError as error:
            problem = key_problem(error, Judgement)
            needs = "id, system, annotator, criterion and value"
            raise AssayError(
                f"{location(table.path, row.where)}: not a judgement ({problem}). It needs {needs}."
            ) from None
    return judgements


def to_table(data: Data | Table, role: str, *, dataset: str | None = None, skip_bad: bool = False) -> Table:
    """Convert input data to a table. `role` names it in errors, e.g. `<outputs>`."""
    if isinstance(data, Table):
        return data
    data = local(data)
    _check_order(data, role)
    if isinstance(data, str | PathLike):
        return read_table(path_of(data), dataset=dataset, skip_bad=skip_bad, texts=role not in ("scores", "human"))
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
        raise AssayError(f"{name}: {type(data).__name__} has no order of items. Use a list, or a dict by id.")
    if not isinstance(data, Iterable):
        raise AssayError(f"{name}: {type(data).__name__} has no items. Use a path, a list, a dict or a DataFrame.")
    rows = []
    for i, value in enumerate(data, 1):
        if isinstance(value, msgspec.Struct):
            value = msgspec.to_builtins(value)
        rows.append(Row(dict(value) if isinstance(value, Mapping) else {"": value}, f"item {i}"))
    return Table(rows, name, "python")


def _check_order(data: object, role: str) -> None:
    """Refuse rows of pandas without ids that were sorted or shuffled: they would be joined by position."""
    ordered = getattr(getattr(data, "index", None), "is_monotonic_increasing", True)
    if role in ("outputs", "references", "sources") and not ordered and "id" not in getattr(data, "columns", ()):
        raise AssayError(
            f"<{role}>: the rows are in another order than their index, and have no ids. Add a column `id`, or call "
            "reset_index(drop=True) if the order is right."
        )


def _read_examples(
    data: Data | ExampleFile, role: str, bare: str | None, dataset: str | None, skip_bad: bool, in_place: bool
) -> ExampleFile:
    if isinstance(data, ExampleFile):
        return data
    data = local(data)
    if in_place and isinstance(data, str | PathLike) and is_large(path_of(data)):
        stored = find_examples(path_of(data))
        if stored is not None:
            return ExampleFile([], True, f"{data}", stored)
    content_or_table: Data | Table = data
    if isinstance(data, str | PathLike):
        content = None if Path(data).is_dir() else read_bytes(path_of(data))
        plain = read_plain(content, Example) if content is not None else None
        if plain and _has_role(plain, bare):
            return ExampleFile(plain, True, f"{data}")
        content_or_table = read_table(path_of(data), content=content, dataset=dataset, skip_bad=skip_bad)
    elif bare == "references" and isinstance(data, list) and all(map(_are_references, data)):
        lists = [(str(each),) if isinstance(each, str) else tuple(map(str, each)) for each in data]
        return ExampleFile([Example(id=str(i), references=each) for i, each in enumerate(lists, 1)], False, f"<{role}>")
    table = to_table(content_or_table, role, dataset=dataset, skip_bad=skip_bad)
    named = has_ids(table)
    examples = [
        example_of(row, table, id_of(row, table) if named else str(i), bare=bare)
        for i, row in zip(table.positions, table.rows, strict=True)
    ]
    if not _has_role(examples, bare):
        listed = ", ".join(map(str, list(table.rows[0].fields)[:8]))
        what = "source" if bare == "source" else "reference"
        raise AssayError(f'{table.path}: no {what} among its fields ({listed}). Call the field with the text "{what}".')
    roles = ("id", "source") if bare == "source" else ("id", "reference", "source") if bare is None else ("id",)
    unused = (*table.notes, *misnamed_columns(table, roles))
    return ExampleFile(examples, named, table.path, skipped=table.skipped, unused=unused)


def _has_role(examples: Sequence[Example], bare: str | None) -> bool:
    """Return whether any example has what its file is for; files of examples need nothing, as do empty files."""
    if bare is None or not examples:
        return True
    return any(each.source is not None if bare == "source" else each.references for each in examples)


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
    """Return the name of a file without its suffixes, to be used as the name of a system."""
    name = os.fsencode(Path(path).name).decode("utf-8", "replace")  # it is stored, and file names may not be UTF-8
    for suffix in (".gz", ".jsonl", ".json", ".txt", ".csv", ".tsv", ".parquet"):
        name = name.removesuffix(suffix)
    return name.strip("<>-") or "system"
