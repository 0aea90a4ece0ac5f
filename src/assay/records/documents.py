"""JSON, TOML and YAML documents from untrusted sources: manifests, results, configs, prompts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import AssayError, first_line
from assay.records.files import decode, read_text
from assay.records.parse import UNPAIRED, UNPAIRED_SURROGATE, writable
from assay.records.size_limit import format_size, size_limit, too_large

JSONObject = dict[str, Any]
"""An object of JSON or TOML whose keys are not ours to state: of a file that others write, in the form of another tool,
or a report that callers of the Python interface index by the names that they requested."""
DEEP = "nested too deeply. Check how it was written."


INVALID = "Fix it, or write it again."
"""The remedy for a file that has to be JSON."""


def read_json(path: Path, unique: bool = False) -> Any:
    """Read a JSON file of any type. Bare NaN and Infinity are accepted.

    Args:
        path: The file.
        unique: Whether a repeated key in an object is an error; otherwise the last value counts.
    """
    return parse_json(read_text(path), path, unique)


def parse_json(text: str | bytes, where: object, unique: bool = False) -> Any:
    """Parse JSON; an error starts with `where`."""
    string = decode(text, where) if isinstance(text, bytes) else text
    try:
        value = json.loads(string, object_pairs_hook=_unique if unique else None)
        return writable(value) if UNPAIRED_SURROGATE.search(string) else value
    except RecursionError:
        raise AssayError(f"{where}: {DEEP}") from None
    except UnicodeEncodeError:
        raise AssayError(f"{where}: {UNPAIRED}. Write whole characters.") from None
    except AssayError as error:
        raise AssayError(f"{where}: {error}") from None
    except ValueError as error:  # not JSON, or a number with thousands of digits
        lines = isinstance(error, json.JSONDecodeError) and error.msg == "Extra data"
        remedy = "Write one JSON value, not one per line." if lines else INVALID
        raise AssayError(f"{where}: not JSON ({first_line(error)}). {remedy}") from None


def _unique(pairs: list[tuple[str, Any]]) -> JSONObject:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        repeated = next(name for i, (name, _) in enumerate(pairs) if name in dict(pairs[:i]))
        raise AssayError(f"{repeated[:80]!r} is repeated in one object. Keep one.")
    return fields


PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*"""
LONG_KEY = re.compile(rf"(?<![A-Za-z0-9_-]){PART}(?:\.[ \t]*{PART}){{32}}")
"""A dotted key of more than 32 parts: memory of the parser grows with the square of the number of parts."""
TOML_SHARE = 1024
"""The size limit of a config is that of data divided by this."""


def read_toml(path: Path) -> JSONObject:
    """Read a TOML file."""
    return parse_toml(read_text(path), path)


def parse_toml(text: str, path: object) -> JSONObject:
    """Parse TOML; an error starts with `path`."""
    import tomllib

    limit = size_limit() // TOML_SHARE
    if len(text) > limit:
        raise too_large(path, f"has {format_size(len(text))}, too much for TOML", limit)
    if match := LONG_KEY.search(text):
        line = text.count("\n", 0, match.start()) + 1
        raise AssayError(f"{path}:{line}: a key of more than 32 parts. Shorten it.")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise AssayError(f"{path}: {DEEP}") from None
    except ValueError as error:
        remedy = "Give a TOML file, not JSON." if text.lstrip().startswith("{") else _toml_remedy(text, str(error))
        raise AssayError(f"{path}: not TOML ({first_line(error)}). {remedy}") from None


def _toml_remedy(text: str, error: str) -> str:
    """Return how to repair a TOML error; bare keys have no letters outside a to z."""
    at = re.search(r"at line (\d+)", error)
    line = text.split("\n")[int(at[1]) - 1] if at else ""
    key = line.partition("=")[0].strip(" []\r")
    if key.isascii() or '"' in key:
        return "Fix that line."
    quoted = ".".join(part if part.isascii() else f'"{part}"' for part in key.split("."))
    return f"Quote keys that have letters outside a-z: {quoted}"


LARGEST_YAML = 200_000
"""Largest number of characters; parsing is slow, and hand-written files are short."""


def parse_yaml(text: str, where: object, largest: int = LARGEST_YAML) -> Any:
    """Parse YAML without aliases: a few lines of nested aliases can fill any memory."""
    import yaml

    if len(text) > largest:
        raise AssayError(f"{where}: {len(text):,} characters of YAML; the limit is {largest:,}. Shorten it.")
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # faster, if it is available
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, loader)):
            raise AssayError(f"{where}: aliases (*name) are not supported. Write the value out.")
        return yaml.load(text, loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise AssayError(f"{where}: not YAML ({first_line(error)}). Fix it.") from None


def to_toml(value: Mapping[str, Any]) -> str:
    """Return TOML: plain values first, then tables, then arrays of tables. Values that are None are left out."""
    return "\n".join(_toml_lines(value, "")).strip("\n") + "\n"


def _toml_lines(value: Mapping[str, Any], prefix: str) -> Iterator[str]:
    tables = {key: entry for key, entry in value.items() if isinstance(entry, dict)}
    arrays = {
        key: entry for key, entry in value.items() if isinstance(entry, list) and entry and isinstance(entry[0], dict)
    }
    for key, entry in value.items():
        if key not in tables and key not in arrays and entry is not None:
            yield f"{_toml_key(key)} = {_toml(entry)}"
    for key, table in tables.items():
        yield from ("", f"[{prefix}{_toml_key(key)}]", *_toml_lines(table, f"{prefix}{_toml_key(key)}."))
    for key, many in arrays.items():
        for table in many:
            yield from ("", f"[[{prefix}{_toml_key(key)}]]", *_toml_lines(table, f"{prefix}{_toml_key(key)}."))


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _toml(key)


def _toml(value: Any) -> str:
    """Return a plain value as TOML, which is JSON except for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
