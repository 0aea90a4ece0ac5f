"""Typed access to the structured input of an example.

A record keeps its input unchanged from its file, so that nothing is lost when it is written again. `read_input`
converts it to a kind of input, and errors name the id and the field.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from assay.errors import AssayError
from assay.records.kinds import OURS, FieldError, Input, tag_of
from assay.records.types import Example
from assay.registry import Registry

KINDS: Registry[type[Input]] = Registry(
    "kind of input", {name: f"{kind.__module__}:{kind.__name__}" for name, kind in OURS.items()}, "assay.inputs.kinds"
)
"""Kinds of input by name. Packages add theirs as entry points, notebooks with `register`."""

S = TypeVar("S", bound=msgspec.Struct)
K = TypeVar("K", bound=Input)


def register(kind: type[K]) -> type[K]:
    """Register a kind of input for this process; also a decorator."""
    KINDS.add(tag_of(kind), kind)
    return kind


def kind_of(example: Example) -> str:
    """Return the kind of input that an example names, or ""."""
    kind = example.input.get("kind") if example.input else None
    return kind if isinstance(kind, str) else ""


def read_input(example: Example, shape: type[S]) -> S:
    """Convert the input of an example to a kind of input, or to a struct with some fields of any kind.

    An input without a kind is accepted if its fields fit.

    Raises:
        AssayError: The input has another kind, or a field does not fit; the message names the id and the field.
    """
    wanted, kind = tag_of(shape), kind_of(example)
    if wanted and (example.input is None or kind not in ("", wanted)):
        actual = f"this one has {kind}" if kind else "it has no structured input"
        raise AssayError(f"id {example.id}: needs an input of kind {wanted}; {actual}")
    try:
        return msgspec.convert(example.input or {}, shape)
    except msgspec.ValidationError as error:
        raise AssayError(f"id {example.id}: {_problem(error, shape)}{_misnamed(example, shape)}") from None


def known_input(example: Example) -> Input | None:
    """Return the typed input of an example; None if it has none or its kind is not registered."""
    kind = kind_of(example)
    return read_input(example, KINDS.get(kind)) if kind and kind in KINDS else None


class Candidates(msgspec.Struct, frozen=True):
    """Candidates with gold labels, which inputs of several kinds have."""

    candidates: Annotated[list[str], Meta(description="a list of different texts")]
    labels: Annotated[list[int | bool], Meta(description="0 or 1 for each candidate")]

    def __post_init__(self) -> None:
        if not self.candidates:
            raise FieldError("candidates: is empty. Give at least one candidate.")
        if len(self.labels) != len(self.candidates) or not all(label in (0, 1) for label in self.labels):
            raise FieldError(f"labels: must be 0 or 1 for each of the {len(self.candidates)} candidates")
        if len(set(self.candidates)) < len(self.candidates):
            raise FieldError("candidates: one is repeated. Keep one, or ranks are not defined.")
        if not any(self.labels):
            raise FieldError("labels: no candidate is gold, so a ranking has no score. Leave the item out.")


def texts_of(example: Example, field: str) -> list[str] | None:
    """Return the list of texts in a field of an input (`document`, `candidates`); None if it is not a list."""
    texts = example.input.get(field) if example.input else None
    if not isinstance(texts, list):
        return None
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise AssayError(f"id {example.id}: input.{field}[{i}] is not a string. Give a list of strings.")
    return texts


def with_input(example: Example, **fields: Any) -> Example:
    """Return a copy of an example with some fields of its input replaced."""
    return msgspec.structs.replace(example, input={**(example.input or {}), **fields})


class Field(NamedTuple):
    """A field of a kind of input."""

    name: str
    required: bool
    needs: str


def fields_of(shape: type[msgspec.Struct]) -> list[Field]:
    """Return the fields of a kind of input with their descriptions."""
    from msgspec.inspect import Metadata, StructType, type_info

    info = type_info(shape)
    assert isinstance(info, StructType)
    fields = []
    for field in info.fields:
        schema = field.type.extra_json_schema if isinstance(field.type, Metadata) else None
        fields.append(Field(field.encode_name, field.required, str((schema or {}).get("description", ""))))
    return fields


MISSING = re.compile(r"Object missing required field `(.+)`")
LENGTH = re.compile(r"Expected `array` of length (\d+), got (\d+)")
TYPE = re.compile(r"Expected `(.+)`, got `(.+)`")
WORDS = {
    "array": "a list", "bool": "true or false", "float": "a number", "int": "an integer", "null": "null",
    "object": "an object", "str": "a string",
}  # fmt: skip


def _problem(error: msgspec.ValidationError, shape: type[msgspec.Struct]) -> str:
    """Return the field of an error of msgspec, what is wrong with it, and what it needs."""
    what, _, place = str(error).partition(" - at `$")
    place = place.removesuffix("`")
    if isinstance(error.__cause__, FieldError):
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


def _misnamed(example: Example, shape: type[msgspec.Struct]) -> str:
    """Return a hint for an input with `type` instead of `kind`, a common mistake."""
    name = (example.input or {}).get("type")
    if kind_of(example) or not isinstance(name, str) or "type" in shape.__struct_encode_fields__:
        return ""
    return f'. The input has "type": "{name}" but no "kind". Rename "type" to "kind".'


def _words(types: str) -> str:
    return " or ".join(WORDS.get(name, name) for name in types.split(" | "))
