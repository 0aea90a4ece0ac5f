"""Typed access to the input of an example. A record keeps it as its file says it, so that nothing is lost and the same
bytes are written again; whoever needs a kind asks for it here, and what does not fit is named by id and field.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, TypeVar

import msgspec

from assay.errors import AssayError
from assay.records.kinds import OURS, Document, Input, tag_of
from assay.records.types import Example
from assay.registry import Registry

KINDS: Registry[type[Input]] = Registry(
    "kind of input", {name: f"{kind.__module__}:{kind.__name__}" for name, kind in OURS.items()}, "assay.inputs.kinds"
)
"""Name to struct; other packages add theirs as entry points, a notebook by `register`."""

S = TypeVar("S", bound=msgspec.Struct)
K = TypeVar("K", bound=Input)


def register(kind: type[K]) -> type[K]:
    """Make a kind known for this process; also as a decorator."""
    KINDS.add(tag_of(kind), kind)
    return kind


def kind_of(example: Example) -> str:
    """What kind of input an example says it has; empty for none."""
    kind = example.input.get("kind") if example.input else None
    return kind if isinstance(kind, str) else ""


def read_input(example: Example, shape: type[S]) -> S:
    """The input as this kind, or a part of it whatever its kind; an error names the id and the field."""
    wanted = tag_of(shape)
    if wanted and kind_of(example) != wanted:
        found = f"this one has {kind_of(example)}" if kind_of(example) else "it has no structured input"
        raise AssayError(f"id {example.id}: needs an input of kind {wanted}; {found}")
    try:
        return msgspec.convert(example.input or {}, shape)
    except msgspec.ValidationError as error:
        raise AssayError(f"id {example.id}: {_problem(error, shape)}") from None


def known_input(example: Example) -> Input | None:
    """The input by the kind it names; None where there is none, or nobody here knows the kind."""
    kind = kind_of(example)
    return read_input(example, KINDS.get(kind)) if kind and kind in KINDS else None


def document_of(example: Example) -> list[str] | None:
    """The sentences of its document, for inputs that hold one."""
    if not example.input or not isinstance(example.input.get("document"), list):
        return None
    return read_input(example, Document).document


def with_input(example: Example, **fields: Any) -> Example:
    """The same example with these fields of its input; all others stay as they were."""
    return msgspec.structs.replace(example, input={**(example.input or {}), **fields})


class Field(NamedTuple):
    """What a field of a kind is."""

    name: str
    required: bool
    needs: str


def fields_of(shape: type[msgspec.Struct]) -> list[Field]:
    """The fields of a kind, with what each needs."""
    from msgspec.inspect import Metadata, StructType, type_info

    info = type_info(shape)
    assert isinstance(info, StructType)
    made = []
    for field in info.fields:
        schema = field.type.extra_json_schema if isinstance(field.type, Metadata) else None
        made.append(Field(field.encode_name, field.required, str((schema or {}).get("description", ""))))
    return made


MISSING = re.compile(r"Object missing required field `(.+)`")
LENGTH = re.compile(r"Expected `array` of length (\d+), got (\d+)")
TYPE = re.compile(r"Expected `(.+)`, got `(.+)`")
WORDS = {
    "array": "a list", "bool": "true or false", "float": "a number", "int": "a whole number", "null": "null",
    "object": "an object", "str": "text",
}  # fmt: skip


def _problem(error: msgspec.ValidationError, shape: type[msgspec.Struct]) -> str:
    """What msgspec found, in our words: which field, what is wrong with it, and what it needs."""
    what, _, place = str(error).partition(" - at `$")
    place = place.removesuffix("`")
    if isinstance(error.__cause__, ValueError):  # a check of the kind itself: "field: problem"
        return f"input{place}.{what}"
    if missing := MISSING.fullmatch(what):
        place, problem = f"{place}.{missing[1]}", "is missing"
    elif length := LENGTH.fullmatch(what):
        problem = f"has {length[2]} entries, not {length[1]}"
    elif types := TYPE.fullmatch(what):
        problem = f"is {_words(types[2])}, not {_words(types[1])}"
    else:
        problem = f"does not fit ({what})"
    top = re.split(r"[.\[]", place.removeprefix("."), maxsplit=1)[0]
    needs = next((f"; {name} needs {needs}" for name, _, needs in fields_of(shape) if name == top and needs), "")
    return f"input{place} {problem}{needs}"


def _words(types: str) -> str:
    return " or ".join(WORDS.get(name, name) for name in types.split(" | "))
