"""What is wrong with a file that a user writes, in the words of its keys: unknown, missing, or of another type."""

from __future__ import annotations

import re
from typing import Any, get_args, get_type_hints

import msgspec

from assay.specs import did_you_mean

PLACE = re.compile(r" - at `\$\.?(.*)`$")
UNKNOWN = re.compile(r"Object contains unknown field `(.+)`")
MISSING = re.compile(r"Object missing required field `(.+)`")
TYPES = {"array": "a list", "object": "a table", "str": "a text", "int": "a whole number", "float": "a number",
         "bool": "true or false", "null": "nothing"}  # fmt: skip


def key_problem(error: msgspec.ValidationError, shape: Any) -> str:
    """Return the problem of a file that should have the keys of a `Struct`, or of a list of them.

    >>> class Person(msgspec.Struct, forbid_unknown_fields=True):
    ...     name: str
    >>> try:
    ...     msgspec.convert({"nam": "Ada"}, Person)
    ... except msgspec.ValidationError as error:
    ...     print(key_problem(error, Person))
    unknown key nam (did you mean name?); keys are name
    """
    text = str(error)
    place = PLACE.search(text)
    path = place[1] if place else ""
    text = text.removesuffix(place[0]) if place else text
    inside = f" in {path}" if path else ""
    if unknown := UNKNOWN.fullmatch(text):
        known = _keys(shape, path)
        listed = f"; keys are {', '.join(known)}" if known else ""
        return f"unknown key {unknown[1]}{inside}{did_you_mean(unknown[1], known)}{listed}"
    if missing := MISSING.fullmatch(text):
        return f"the key {missing[1]} is missing{inside}"
    words = re.sub(r"`([\w |]+)`", lambda match: _type_names(match[1].split(" | ")), text)
    return f"{path}: {words[:1].lower()}{words[1:]}" if path else words


def _type_names(types: list[str]) -> str:
    """Return the types that a key can have; a key without a value is left out, not written as null."""
    named = [each for each in types if each != "null"] or types
    return " or ".join(TYPES.get(each, f"`{each}`") for each in named)


def _keys(shape: Any, path: str) -> list[str]:
    """Return the keys that a table at a path can have, or none if that is not known."""
    for name in re.findall(r"[^.\[\]]+(?=[.\[]|$)", re.sub(r"\[[^\]]*\]", "", path)):
        owner = _struct(shape)
        try:
            shape = get_type_hints(owner).get(name) if owner is not None else None
        except NameError:  # a type that is imported for type checkers only
            return []
    owner = _struct(shape)
    return list(owner.__struct_encode_fields__) if owner is not None else []


def _struct(hint: Any) -> type[msgspec.Struct] | None:
    """Return the only struct in a type such as `list[Struct] | None`."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return hint
    structs = [each for part in get_args(hint) if (each := _struct(part)) is not None]
    return structs[0] if len(structs) == 1 else None
