"""Rows of any file (or Python value) to outputs, examples and judgements, each checked where it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

from assay.errors import AssayError
from assay.records.files import read_bytes
from assay.records.recognise import (
    ID_FIELDS,
    OUTPUT_FIELDS,
    REFERENCE_FIELDS,
    SOURCE_FIELDS,
    Row,
    Table,
    read_table,
)
from assay.records.stored import StoredExamples, find_examples, find_outputs, is_large, read_plain
from assay.records.types import Example, Judgement, Output

Data: TypeAlias = Any
"""A path, a list (of strings, lists or mappings), a mapping by id, or a polars/pandas DataFrame."""

NUMBERED_REFERENCE = re.compile(r"ref(erence)?[_ -]?\d+")


class OutputFile(NamedTuple):
    """What one outputs file holds: the outputs, and the examples that stand in the same rows (if any)."""

    ids: list[str]
    texts: Sequence[str]
    examples: list[Example] | None
    has_ids: bool
    name: str
    system: str
    skipped: int

    @property
    def outputs(self) -> list[Output]:
        return [Output(id=id, output=text) for id, text in zip(self.ids, self.texts, strict=True)]


class ExampleFile(NamedTuple):
    examples: list[Example]
    has_ids: bool
    name: str
    stored: StoredExamples | None = None
    """Instead of `examples`, where they were left in their file."""

    @property
    def records(self) -> Sequence[Example]:
        return self.examples if self.stored is None else self.stored

    @property
    def ids(self) -> list[str]:
        return [example.id for example in (self.examples if self.stored is None else self.stored.bare)]


def read_outputs(
    data: Data, *, dataset: str | None = None, skip_bad: bool = False, in_place: bool = False
) -> OutputFile:
    """The outputs of one system. With `in_place` the texts of a large file may stay where they are."""
    if in_place and isinstance(data, str | PathLike) and is_large(Path(data)):
        found = find_outputs(Path(data))
        if found:
            stored, ids, names = found
            return OutputFile(ids, stored, None, True, str(data), _system(names, str(data), None), 0)
    if isinstance(data, str | PathLike):
        content = read_bytes(Path(data))
        plain = read_plain(content, Output)
        if plain:
            names = {output.system for output in plain if output.system}
            texts = [output.output for output in plain]
            ids = [output.id for output in plain]
            return OutputFile(ids, texts, None, True, str(data), _system(names, str(data), None), 0)
        data = read_table(Path(data), content=content, dataset=dataset, skip_bad=skip_bad)
    elif isinstance(data, list) and all(isinstance(text, str) for text in data):
        ids = [str(i) for i in range(1, len(data) + 1)]
        return OutputFile(ids, data, None, False, "<outputs>", "outputs", 0)
    table = to_table(data, "outputs", dataset=dataset, skip_bad=skip_bad)
    has_ids = _has_ids(table)
    ids = [_id(row, table) if has_ids else str(i) for i, row in enumerate(table.rows, 1)]
    texts = [_text(row, table, OUTPUT_FIELDS, "output") for row in table.rows]
    names = {name for name in (_optional(row, table, "system") for row in table.rows) if name}
    examples = None
    if table.rows and table.rows[0].fields.keys() & {*REFERENCE_FIELDS, *SOURCE_FIELDS}:
        examples = [_example(row, table, id, bare=None) for row, id in zip(table.rows, ids, strict=True)]
    system = _system(names, table.path, table.system)
    return OutputFile(ids, texts, examples, has_ids, table.path, system, table.skipped)


def _system(names: set[str], path: str, named: str | None) -> str:
    if len(names) > 1:
        listed = ", ".join(sorted(names)[:10])
        raise AssayError(f"{path}: outputs of {len(names)} systems in one file ({listed}); give one file a system")
    return next(iter(names), None) or named or _stem(path)


def read_examples(
    data: Data, *, dataset: str | None = None, skip_bad: bool = False, in_place: bool = False
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
    table = to_table(data, "judgements")
    judgements = []
    for row in table.rows:
        fields = {key: value for key, value in row.fields.items() if value is not None and value != ""}
        for key in ("value", "seconds"):
            if isinstance(fields.get(key), str) and _is_number(fields[key]):
                fields[key] = float(fields[key])
        try:
            judgements.append(msgspec.convert(fields, Judgement))
        except msgspec.ValidationError as error:
            needs = "id, system, annotator, criterion, value"
            raise AssayError(f"{table.path} {row.where}: not a judgement ({error}); it needs {needs}") from None
    return judgements


def to_table(data: Data, role: str, *, dataset: str | None = None, skip_bad: bool = False) -> Table:
    """A table from whatever a caller has at hand."""
    if isinstance(data, Table):
        return data
    if isinstance(data, str | PathLike):
        return read_table(Path(data), dataset=dataset, skip_bad=skip_bad)
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
    if not isinstance(data, Iterable):
        raise AssayError(f"{name}: a {type(data).__name__} holds no items; give a path, a list, a dict or a DataFrame")
    rows = []
    for i, value in enumerate(data, 1):
        if isinstance(value, msgspec.Struct):
            value = msgspec.to_builtins(value)
        rows.append(Row(dict(value) if isinstance(value, Mapping) else {"": value}, f"item {i}"))
    return Table(rows, name, "python")


def _read_examples(
    data: Data, role: str, bare: str | None, dataset: str | None, skip_bad: bool, in_place: bool
) -> ExampleFile:
    if in_place and isinstance(data, str | PathLike) and is_large(Path(data)):
        found = find_examples(Path(data))
        if found is not None:
            return ExampleFile([], True, str(data), found)
    if isinstance(data, str | PathLike):
        content = read_bytes(Path(data))
        plain = read_plain(content, Example)
        if plain:
            return ExampleFile(plain, True, str(data))
        data = read_table(Path(data), content=content, dataset=dataset, skip_bad=skip_bad)
    elif bare == "references" and isinstance(data, list) and all(map(_are_references, data)):
        given = [(each,) if isinstance(each, str) else tuple(each) for each in data]
        return ExampleFile([Example(id=str(i), references=each) for i, each in enumerate(given, 1)], False, f"<{role}>")
    table = to_table(data, role, dataset=dataset, skip_bad=skip_bad)
    has_ids = _has_ids(table)
    examples = [
        _example(row, table, _id(row, table) if has_ids else str(i), bare=bare) for i, row in enumerate(table.rows, 1)
    ]
    return ExampleFile(examples, has_ids, table.path)


def _are_references(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(isinstance(text, str) for text in value)
    return isinstance(value, str)


def _example(row: Row, table: Table, id: str, *, bare: str | None) -> Example:
    fields = row.fields
    references = _references(row, table, id, bare == "references")
    source = next((fields[name] for name in SOURCE_FIELDS if name in fields), None)
    if source is None and bare == "source":
        source = fields.get("", fields.get("text"))
    if source is not None and not isinstance(source, str):
        raise _bad(table, row, id, f"the source is {_kind(source)}, not text")
    tags = fields.get("tags")
    if isinstance(tags, str) and tags:
        tags = json.loads(tags) if tags.startswith("{") else None
    structured = fields.get("input")
    parent = _optional(row, table, "parent") or _optional(row, table, "gem_parent_id")
    return Example(
        id=id,
        references=references,
        source=source,
        input=structured if isinstance(structured, dict) else None,
        language=_optional(row, table, "language") or table.language,
        split=_optional(row, table, "split"),
        parent=parent if parent != id else None,
        tags={str(key): str(value) for key, value in tags.items()} if isinstance(tags, dict) else {},
    )


def _references(row: Row, table: Table, id: str, bare: bool) -> tuple[str, ...]:
    fields = row.fields
    value = next((fields[name] for name in REFERENCE_FIELDS if name in fields), None)
    if value is None and bare:
        value = fields.get("")
    if value is None:
        value = [text for name, text in fields.items() if NUMBERED_REFERENCE.fullmatch(name) and text not in ("", None)]
        if not value:
            return ()
    if isinstance(value, str):
        if value.startswith('["') and table.kind in ("csv", "tsv"):
            value = json.loads(value)
        else:
            return (value,)
    if not isinstance(value, Sequence):
        raise _bad(table, row, id, f"the references are {_kind(value)}, not text or a list of texts")
    if not value:
        raise _bad(table, row, id, "the list of references is empty; give at least one, or leave the item out")
    for text in value:
        if not isinstance(text, str):
            raise _bad(table, row, id, f"a reference is {_kind(text)}, not text")
    return tuple(value)


def _has_ids(table: Table) -> bool:
    having = [row for row in table.rows if any(name in row.fields for name in ID_FIELDS)]
    if having and len(having) < len(table.rows):
        bare = next(row for row in table.rows if not any(name in row.fields for name in ID_FIELDS))
        raise AssayError(f"{table.path} {bare.where}: has no id although others have; give every item an id, or none")
    return bool(having)


def _id(row: Row, table: Table) -> str:
    value = next(row.fields[name] for name in ID_FIELDS if name in row.fields)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise AssayError(f"{table.path} {row.where}: the id is {_kind(value)}; give a text or a whole number")
    return value


def _text(row: Row, table: Table, names: Sequence[str], what: str) -> str:
    for name in (*names, ""):
        if name in row.fields:
            value = row.fields[name]
            if isinstance(value, str):
                return value
            id = _id(row, table) if any(key in row.fields for key in ID_FIELDS) else None
            raise _bad(table, row, id, f"the {what} is {_kind(value)}, not text")
    listed = ", ".join(list(row.fields)[:8])
    raise AssayError(f"{table.path} {row.where}: no {what} among its fields ({listed}); name it '{names[0]}'")


def _optional(row: Row, table: Table, name: str) -> str | None:
    value = row.fields.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise AssayError(f"{table.path} {row.where}: '{name}' is {_kind(value)}, not text")
    return value


def _bad(table: Table, row: Row, id: str | None, problem: str) -> AssayError:
    named = f" id {id}" if id and f"id {id}" != row.where else ""
    return AssayError(f"{table.path} {row.where}{named}: {problem}")


KINDS: dict[type, Callable[[Any], str]] = {
    type(None): lambda value: "missing (null)",
    bool: lambda value: f"a true/false value ({str(value).lower()})",
    int: lambda value: f"a number ({value})",
    float: lambda value: f"a number ({value})",
    list: lambda value: f"a list of {len(value)}",
    dict: lambda value: "an object",
}


def _kind(value: Any) -> str:
    describe = KINDS.get(type(value))
    return describe(value) if describe else f"a {type(value).__name__}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _stem(path: str) -> str:
    name = Path(path).name
    for suffix in (".gz", ".jsonl", ".json", ".txt", ".csv", ".tsv", ".parquet"):
        name = name.removesuffix(suffix)
    return name.strip("<>-") or "system"
