"""JSON Schema, as far as answers of systems need it; a keyword that is not supported is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.records.documents import read_json

TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: (
        (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())
    ),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
CHECKED = frozenset(
    "type enum const required properties additionalProperties items minItems maxItems minLength maxLength minimum "
    "maximum anyOf".split()
)
IGNORED = frozenset("$schema $id title description default examples format".split())


@lru_cache(maxsize=8)
def read_schema(path: str) -> Mapping[str, Any]:
    """Read a schema and check that every keyword is supported."""
    schema = read_json(Path(path))
    _check(schema, path)
    assert isinstance(schema, dict)
    return schema


def _check(schema: Any, path: str) -> None:
    if not isinstance(schema, dict):
        raise AssayError(f"{path}: a schema is not an object. Give a JSON Schema.")
    unknown = schema.keys() - CHECKED - IGNORED
    if unknown:
        raise AssayError(f"{path}: the keyword {min(unknown)} is not supported. Use {', '.join(sorted(CHECKED))}.")
    kinds = schema.get("type", [])
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind not in TYPES:
            raise AssayError(f"{path}: {kind!r} is no type. Use {', '.join(TYPES)}.")
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    inner += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
    for each in inner:
        _check(each, path)


def is_valid(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether a value is valid under a schema."""
    kinds = schema.get("type")
    if kinds is not None and not any(TYPES[kind](value) for kind in (kinds if isinstance(kinds, list) else [kinds])):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if "const" in schema and value != schema["const"]:
        return False
    if "anyOf" in schema and not any(is_valid(value, each) for each in schema["anyOf"]):
        return False
    if isinstance(value, dict):
        return _valid_object(value, schema)
    if isinstance(value, list):
        inner = schema.get("items")
        return _within(len(value), schema, "Items") and (inner is None or all(is_valid(each, inner) for each in value))
    if isinstance(value, str):
        return _within(len(value), schema, "Length")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return True


def _within(size: int, schema: Mapping[str, Any], what: str) -> bool:
    return bool(schema.get(f"min{what}", size) <= size <= schema.get(f"max{what}", size))


def _valid_object(value: dict[str, Any], schema: Mapping[str, Any]) -> bool:
    known = schema.get("properties", {})
    if any(name not in value for name in schema.get("required", ())):
        return False
    others = schema.get("additionalProperties", True)
    for name, each in value.items():
        rule = known.get(name, others)
        if rule is False or (isinstance(rule, dict) and not is_valid(each, rule)):
            return False
    return True
