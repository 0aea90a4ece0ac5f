"""Files that hold one document, JSON or TOML, which anybody may have written: manifests, results, configs, prompts."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import AssayError, first_line
from assay.records.files import decode, read_text
from assay.records.parse import HALF_PAIR, HALF_PAIR_FOUND, writable
from assay.records.size_limit import format_size, size_limit, too_large

DEEP = "too many brackets inside each other; check how it was written"


def read_json(path: Path, unique: bool = False) -> Any:
    """What a JSON file holds, whatever it is; bare NaN and Infinity are read as what others mean by them.

    `unique`: a name that stands twice in an object is refused; else, as everywhere, the last one counts.
    """
    return parse_json(read_text(path), path, unique)


def parse_json(text: str | bytes, where: object, unique: bool = False) -> Any:
    """The same of a text that was read already; `where` is what an error begins with."""
    given = decode(text, where) if isinstance(text, bytes) else text
    try:
        value = json.loads(given, object_pairs_hook=_once if unique else None)
        return writable(value) if HALF_PAIR.search(given) else value
    except RecursionError:
        raise AssayError(f"{where}: {DEEP}") from None
    except UnicodeEncodeError:
        raise AssayError(f"{where}: {HALF_PAIR_FOUND}") from None
    except AssayError as error:
        raise AssayError(f"{where}: {error}") from None
    except ValueError as error:  # not JSON, or a number of thousands of digits
        raise AssayError(f"{where}: not JSON ({first_line(error)}); fix it, or write it again") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for place, (name, _) in enumerate(pairs) if name in dict(pairs[:place]))
        raise AssayError(f"{twice[:80]!r} stands twice in one object, and only the last would count; keep one")
    return found


PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*"""
LONG_KEY = re.compile(rf"(?<![A-Za-z0-9_-]){PART}(?:\.[ \t]*{PART}){{32}}")
"""A name of so many names: each would be remembered with all before it, and take memory by the square."""
TOML_SHARE = 1024
"""A config has so many times less room than data."""


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file holds."""
    return parse_toml(read_text(path), path)


def parse_toml(text: str, path: object) -> dict[str, Any]:
    """The same of a text that was read already; `path` is what an error begins with."""
    limit = size_limit() // TOML_SHARE
    if len(text) > limit:
        raise too_large(path, f"has {format_size(len(text))}, too much for TOML", limit)
    if found := LONG_KEY.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise AssayError(f"{path}:{line}: a key of more than 32 names; shorten it")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise AssayError(f"{path}: {DEEP}") from None
    except ValueError as error:
        raise AssayError(f"{path}: not TOML ({first_line(error)}); fix that line") from None


LARGEST_YAML = 200_000
"""Letters; reading is slow, and what people write by hand is short."""


def parse_yaml(text: str, where: object, largest: int = LARGEST_YAML) -> Any:
    """What YAML says. Names that stand for other parts are refused: a few lines of them fill any memory."""
    import yaml

    if len(text) > largest:
        raise AssayError(f"{where}: {len(text):,} letters of YAML, and {largest:,} are read; shorten it")
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # quicker, where it was built
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, loader)):
            raise AssayError(f"{where}: refers to itself (*name); write the value out")
        return yaml.load(text, loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise AssayError(f"{where}: not YAML ({first_line(error)}); fix it") from None


def to_toml(value: Mapping[str, Any]) -> str:
    """A document as TOML: plain values first, then tables, then lists of tables. What is None has no place in it."""
    return "\n".join(_toml_lines(value, "")).strip("\n") + "\n"


def _toml_lines(value: Mapping[str, Any], place: str) -> Iterator[str]:
    tables = {key: said for key, said in value.items() if isinstance(said, dict)}
    lists = {key: said for key, said in value.items() if isinstance(said, list) and said and isinstance(said[0], dict)}
    for key, said in value.items():
        if key not in tables and key not in lists and said is not None:
            yield f"{_toml_key(key)} = {_toml(said)}"
    for key, table in tables.items():
        yield from ("", f"[{place}{_toml_key(key)}]", *_toml_lines(table, f"{place}{_toml_key(key)}."))
    for key, many in lists.items():
        for table in many:
            yield from ("", f"[[{place}{_toml_key(key)}]]", *_toml_lines(table, f"{place}{_toml_key(key)}."))


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _toml(key)


def _toml(value: Any) -> str:
    """JSON writes texts, numbers and lists as TOML does, but for one letter."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
