"""Fields of a row by their known names, each checked with the location of the row.

Strings are converted to plain `str`: compiled code does not accept those of NumPy, which are a subclass.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from assay.errors import AssayError, location
from assay.records.parse import writable
from assay.records.recognize import (
    CONTEXT_FIELDS,
    ID_FIELDS,
    REFERENCE_FIELDS,
    SOURCE_FIELDS,
    TEXT_FIELDS,
    Row,
    Table,
)
from assay.records.tools.common import chat, contexts, is_chat
from assay.records.types import IDENTIFIERS, Example, Message, Passage, has_answer

LONGEST_IDENTIFIER = 200
"""A longer value is a text, not the name of one."""
NUMBER = re.compile(r"[-+]?\d*\.?\d+(e[-+]?\d+)?", re.IGNORECASE)
NUMBERED_REFERENCE = re.compile(r"ref(erence)?[_ -]?\d+")


def example_of(row: Row, table: Table, id: str, *, bare: str | None) -> Example:
    fields = row.fields
    references = _references(row, table, id, bare == "references")
    source = next((fields[name] for name in SOURCE_FIELDS if name in fields), None)
    if source is None and bare == "source":
        source = fields.get("", fields.get("text"))
    if source is not None and not isinstance(source, str):
        raise _bad(table, row, id, f"source is {_kind(source)}. Use a string.")
    tags = fields.get("tags")
    if isinstance(tags, str) and tags:
        tags = _structure(tags, table, row, "tags") if tags.startswith("{") else None
    if not isinstance(tags, dict):
        tags = None
    structured = fields.get("input")
    parent = optional(row, table, "parent") or optional(row, table, "gem_parent_id")
    return Example(
        id=id,
        references=references,
        source=None if source is None else str(source),
        input=structured if isinstance(structured, dict) else None,
        language=optional(row, table, "language") or table.language,
        split=optional(row, table, "split"),
        parent=parent if parent != id else None,
        tags={**_identifiers(row), **({str(key): str(value) for key, value in tags.items()} if tags else {})},
        contexts=_contexts(row, table, id),
        messages=_messages(row, table, id),
        expected=fields.get("expected"),
    )


def _contexts(row: Row, table: Table, id: str) -> tuple[Passage, ...]:
    name = next((name for name in CONTEXT_FIELDS if row.fields.get(name) not in (None, "", [], ())), None)
    if name is None:
        return ()
    value = row.fields[name]
    if isinstance(value, str) and value.startswith("["):
        value = _structure(value, table, row, name)
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple):
        raise _bad(table, row, id, f'{name} is {_kind(value)}. Use a list of texts, or of {{"id", "text"}}.')
    matches = contexts(value)
    if len(matches) < len(value):
        raise _bad(table, row, id, f'an entry of {name} has no text. Use a text, or {{"id": …, "text": …}}.')
    ids = [one["id"] for one in matches]
    if len(set(ids)) < len(ids):
        raise _bad(table, row, id, f"two entries of {name} have the same id. Give each its own.")
    return tuple(Passage(one["id"], one["text"]) for one in matches)


def _messages(row: Row, table: Table, id: str) -> tuple[Message, ...]:
    value = row.fields.get("messages")
    if isinstance(value, str) and value.startswith("["):
        value = _structure(value, table, row, "messages")
    if value in (None, "", [], ()):
        return ()
    if not is_chat(value):
        raise _bad(table, row, id, f'messages is {_kind(value)}. Use a list of {{"role", "content"}}.')
    return tuple(msgspec.convert(one, Message) for one in chat(value))


def _identifiers(row: Row) -> dict[str, str]:
    """Return the fields that name the document or dialogue of an item, as tags: its items are not independent."""
    return {
        str(name): str(value)
        for name, value in row.fields.items()
        if name not in TEXT_FIELDS
        and IDENTIFIERS.fullmatch(name)
        and (isinstance(value, int) or (isinstance(value, str) and 0 < len(value) <= LONGEST_IDENTIFIER))
    }


def _references(row: Row, table: Table, id: str, bare: bool) -> tuple[str, ...]:
    fields = row.fields
    column = next((name for name in REFERENCE_FIELDS if name in fields), "")
    value = fields[column] if column else None
    if value is None and bare:
        value = fields.get("")
    if value is None:
        value = [text for name, text in fields.items() if NUMBERED_REFERENCE.fullmatch(name) and text not in ("", None)]
        if not value:
            return _as_references(fields.get("expected"))
    if isinstance(value, str):
        if value.startswith(('["', "['")) and table.kind in ("csv", "tsv"):
            value = _structure(value, table, row, column)
        else:
            return (str(value),)
    if not isinstance(value, Sequence):
        raise _bad(table, row, id, f"references is {_kind(value)}. Use a string or a list of strings.")
    if not value:
        raise _bad(table, row, id, "references is an empty list. Give at least one reference, or leave the item out.")
    for text in value:
        if not isinstance(text, str):
            raise _bad(table, row, id, f"a reference is {_kind(text)}. Use a string.")
    return tuple(map(str, value))


def _as_references(expected: Any) -> tuple[str, ...]:
    """Return an expected answer as references: a value, each value of a list, or JSON."""
    if not has_answer(expected) or expected == []:
        return ()
    values = expected if isinstance(expected, list) else [expected]
    if not any(isinstance(each, dict | list) for each in values):
        return tuple(each if isinstance(each, str) else json.dumps(each) for each in values)
    return (json.dumps(expected, ensure_ascii=False),)


def _structure(cell: str, table: Table, row: Row, column: str) -> Any:
    """Parse a cell that holds a list or object as JSON, or as printed by Python (saved data frames have these)."""
    try:
        try:
            return writable(json.loads(cell))
        except json.JSONDecodeError:
            return writable(_literal(cell))
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError, tokenize.TokenError):
        what = "an object" if cell.startswith("{") else "a list of strings"
        shown = cell if len(cell) <= 24 else cell[:24] + "…"
        raise AssayError(
            f"{location(table.path, row.where)}: {column} is not valid JSON ({shown}). Write {what} as JSON."
        ) from None


def _literal(cell: str) -> Any:
    """Parse a Python list or dict. NumPy prints strings without commas, which Python would join into one."""
    kinds = [token.type for token in tokenize.generate_tokens(io.StringIO(cell).readline)]
    kinds = [kind for kind in kinds if kind not in (tokenize.NL, tokenize.NEWLINE)]
    if (tokenize.STRING, tokenize.STRING) in pairwise(kinds):
        raise ValueError("strings without a comma between them")
    return ast.literal_eval(cell)


def has_ids(table: Table) -> bool:
    """Return whether the rows have ids.

    Raises:
        AssayError: Some rows have an id and others do not.
    """
    with_id = [row for row in table.rows if any(name in row.fields for name in ID_FIELDS)]
    if with_id and len(with_id) < len(table.rows):
        bare = next(row for row in table.rows if not any(name in row.fields for name in ID_FIELDS))
        raise AssayError(
            f'{location(table.path, bare.where)}: "id" is missing, but other items have one. Add an "id" to every item.'
        )
    return bool(with_id)


def id_of(row: Row, table: Table) -> str:
    value = next(row.fields[name] for name in ID_FIELDS if name in row.fields)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise AssayError(f"{location(table.path, row.where)}: id is {_kind(value)}. Use a string or an integer.")
    return str(value)


def text_of(row: Row, table: Table, names: Sequence[str], what: str) -> str:
    for name in (*names, ""):
        if name in row.fields:
            value = row.fields[name]
            if isinstance(value, str):
                return str(value)
            id = id_of(row, table) if any(key in row.fields for key in ID_FIELDS) else None
            raise _bad(table, row, id, f"{what} is {_kind(value)}. Use a string.")
    listed = ", ".join(list(row.fields)[:8])
    remedy = f'Call the field with the text "{names[0]}".'
    if _only_scores(row.fields):
        remedy = f"It has scores, not texts: give a file of {what}s, and this one to an option --scores."
    raise AssayError(f"{location(table.path, row.where)}: no {what} among its fields ({listed}). {remedy}")


def _only_scores(fields: Mapping[str, Any]) -> bool:
    """Return whether a row has numbers besides the names of its item and system: it is of a file of scores."""
    values = [value for name, value in fields.items() if name not in (*ID_FIELDS, "system", "model_name", "language")]
    return any(map(_is_number, values)) and all(value is None or _is_number(value) for value in values)


def _is_number(value: Any) -> bool:
    """Return whether a value is a number, or the text of one as a table has it."""
    if isinstance(value, str):
        return bool(NUMBER.fullmatch(value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def optional(row: Row, table: Table, name: str) -> str | None:
    value = row.fields.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise AssayError(f"{location(table.path, row.where)}: {name} is {_kind(value)}. Use a string.")
    return str(value)


def _bad(table: Table, row: Row, id: str | None, problem: str) -> AssayError:
    named = f" id {id}" if id and f"id {id}" != row.where else ""
    return AssayError(f"{location(table.path, row.where)}{named}: {problem}")


KINDS: dict[type, Callable[[Any], str]] = {
    type(None): lambda value: "null",
    bool: lambda value: f"a boolean ({str(value).lower()})",
    int: lambda value: f"a number ({value})",
    float: lambda value: f"a number ({value})",
    list: lambda value: f"a list of {len(value)}",
    dict: lambda value: "an object",
}


def _kind(value: Any) -> str:
    describe = KINDS.get(type(value))
    return describe(value) if describe else f"a {type(value).__name__}"
