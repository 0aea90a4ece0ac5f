"""Schema files: marker schemas, event ontologies, error typologies and entity types, as data that users write, too.

Each kind of file is one struct; those of the papers ship in `schemas/`. Unknown keys are errors that name the file and
the key: what is accepted is used.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints
from unicodedata import normalize

import msgspec

from assay.errors import AssayError
from assay.records.documents import parse_json, parse_toml
from assay.records.files import digest_of, read_text
from assay.records.key_problems import key_problem
from assay.specs import did_you_mean

S = TypeVar("S", bound=msgspec.Struct)


def shipped_names(prefix: str) -> list[str]:
    """Return the names of the files that ship for one kind: `ontology`, `markers`, `typology` or `types`."""
    endings = f".{prefix}.toml"
    folder = files("assay.inputs").joinpath("schemas")
    return sorted(entry.name.removesuffix(endings) for entry in folder.iterdir() if entry.name.endswith(endings))


def read_schema_file(name: str, prefix: str, shape: type[S]) -> S:
    """Return a schema by the name of one that ships, or by the path of a TOML or JSON file.

    Raises:
        AssayError: There is no such file, or a key of it is unknown, missing or of the wrong type.
    """
    if name in shipped_names(prefix):
        return cast(S, _shipped(name, prefix, shape))
    path = Path(name)
    if not path.is_file():
        known = shipped_names(prefix)
        hint = did_you_mean(name, known)
        raise AssayError(f"{name}: no such {_noun(shape)} file{hint}. Give a file, or one of: {', '.join(known)}.")
    text = read_text(path)
    return cast(S, _parsed(text, str(path), path.suffix == ".json", shape))


@lru_cache(maxsize=32)
def _shipped(name: str, prefix: str, shape: type[S]) -> S:
    entry = files("assay.inputs").joinpath("schemas").joinpath(f"{name}.{prefix}.toml")
    return _convert(parse_toml(entry.read_text(encoding="utf-8"), entry.name), entry.name, shape)


@lru_cache(maxsize=32)
def _parsed(text: str, where: str, is_json: bool, shape: type[S]) -> S:
    """Return a parsed file; the cache is by content, so that a changed file is read again. Letters are composed, as in
    the keys of inputs: `ñ` of some editors and file systems is two characters."""
    text = normalize("NFC", text)
    parsed = parse_json(text, where, unique=True) if is_json else parse_toml(text, where)
    return _convert(parsed, where, shape)


def _convert(parsed: Any, where: str, shape: type[S]) -> S:
    try:
        return msgspec.convert(parsed, shape)
    except msgspec.ValidationError as error:
        key, problem = _first_problem(parsed, shape, error)
        place = f"{where}: {key}: " if key else f"{where}: "
        raise AssayError(f"{place}not {_article(shape)} ({problem})") from None


def _first_problem(parsed: Any, shape: type[msgspec.Struct], error: msgspec.ValidationError) -> tuple[str, str]:
    """Return the key of an error and what is wrong; msgspec does not name the keys of tables."""
    hints = get_type_hints(shape)
    for field, hint in hints.items() if isinstance(parsed, dict) else ():
        entries = parsed.get(field)
        if get_origin(hint) is not dict or not isinstance(entries, dict):
            continue
        inner = get_args(hint)[1]
        for key, value in entries.items():
            try:
                msgspec.convert(value, inner)
            except msgspec.ValidationError as own:
                return f"{field}.{key}", key_problem(own, inner)
    return "", key_problem(error, shape)


def _noun(shape: type[msgspec.Struct]) -> str:
    return str(getattr(shape, "noun", "schema"))


def _article(shape: type[msgspec.Struct]) -> str:
    noun = _noun(shape)
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def content_word(schema: msgspec.Struct, prefix: str) -> str:
    """Return how a signature names a schema: one that ships by its name, another by its name and content."""
    name = str(getattr(schema, "name", ""))
    if name in shipped_names(prefix) and read_schema_file(name, prefix, type(schema)) == schema:
        return name
    plain = "".join(character if character.isalnum() else "-" for character in name)
    return f"{plain}-{digest_of(msgspec.to_builtins(schema))[:8]}"
