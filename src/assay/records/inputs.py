"""Typed access to the input of an example. A record keeps it as its file says it, so that nothing is lost and the same
bytes are written again; whoever needs a kind asks for it here, and what does not fit is named by id and field.
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
    """The input as this kind, or fields of it whatever its kind; an error names the id and the field.

    An input that names no kind is taken for what is asked for, if its fields are those.
    """
    wanted, kind = tag_of(shape), kind_of(example)
    if wanted and (example.input is None or kind not in ("", wanted)):
        found = f"this one has {kind}" if kind else "it has no structured input"
        raise AssayError(f"id {example.id}: needs an input of kind {wanted}; {found}")
    try:
        return msgspec.convert(example.input or {}, shape)
    except msgspec.ValidationError as error:
        raise AssayError(f"id {example.id}: {_problem(error, shape)}{_misnamed(example, shape)}") from None


def known_input(example: Example) -> Input | None:
    """The input by the kind it names; None where there is none, or nobody here knows the kind."""
    kind = kind_of(example)
    return read_input(example, KINDS.get(kind)) if kind and kind in KINDS else None


class Candidates(msgspec.Struct, frozen=True):
    """Candidates of which some are gold; inputs of several kinds have them."""

    candidates: Annotated[list[str], Meta(description="a list of texts, each once")]
    labels: Annotated[list[int | bool], Meta(description="0 or 1 for each candidate")]

    def __post_init__(self) -> None:
        if not self.candidates:
            raise FieldError("candidates: is empty, so there is nothing to rank")
        if len(self.labels) != len(self.candidates) or not all(label in (0, 1) for label in self.labels):
            raise FieldError(f"labels: must give 0 or 1 for each of {len(self.candidates)} candidates")
        if len(set(self.candidates)) < len(self.candidates):
            raise FieldError("candidates: one stands twice; ranks would not be defined")
        if not any(self.labels):
            raise FieldError("labels: no candidate is gold and a ranking without gold has no score; leave it out")


def texts_of(example: Example, field: str) -> list[str] | None:
    """The list of texts that an input of any kind has under a field (`document`, `candidates`); None for no list."""
    found = example.input.get(field) if example.input else None
    if not isinstance(found, list):
        return None
    for i, text in enumerate(found):
        if not isinstance(text, str):
            raise AssayError(f"id {example.id}: input.{field}[{i}] is no text; it is a list of texts")
    return found


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
    """Many write `type` for `kind`; what such an input lacks is not what is wrong with it."""
    said = (example.input or {}).get("type")
    if kind_of(example) or not isinstance(said, str) or "type" in shape.__struct_encode_fields__:
        return ""
    return f'; this input names no kind, only a type ("{said}"): the name of its kind stands under "kind"'


def _words(types: str) -> str:
    return " or ".join(WORDS.get(name, name) for name in types.split(" | "))
