"""`NAME:key=value:preset`: how a metric, a system or a form is named with its options, on every command."""

from __future__ import annotations

import dataclasses
import difflib
import math
import re
import sys
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar

import msgspec

from assay.errors import AssayError, UsageError

T = TypeVar("T")
SPELLED = dict.fromkeys(("true", "yes", "1", "on"), True) | dict.fromkeys(("false", "no", "0", "off"), False)

COLON = re.compile(r":(?!//|\d+(?:[/:]|$))")
"""Where a spec is cut; the colons of a URL (`http://host:8000/v1`) belong to the value."""


class Spec(NamedTuple):
    """A name with its options as they were written."""

    name: str
    options: tuple[tuple[str, str], ...] = ()
    presets: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ":".join((self.name, *self.presets, *(f"{key}={value}" for key, value in self.options)))


class WithOptions:
    """What metrics, systems, forms and perturbations have in common: a name, and fields that are their options."""

    noun: ClassVar[str]
    """What such a thing is called in an error."""
    name: ClassVar[str]

    def require(self, option: str, low: float, high: float = math.inf) -> None:
        """Refuse an option out of its range; to be called in `__post_init__`. None, where it is allowed, is in it."""
        value = getattr(self, option)
        if value is not None and not (low <= value <= high and value != math.inf):
            span = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
            raise AssayError(f"{self.noun} {self.name}: {option}={value} must be {span}")


def parse(text: str) -> Spec:
    """One spec; a part without ``=`` is the name of a preset."""
    name, *parts = COLON.split(text.strip())
    if not name:
        raise AssayError(f"'{text}': a name must stand before the first colon")
    options = tuple((key.strip(), value) for key, sign, value in (part.partition("=") for part in parts) if sign)
    presets = tuple(part.strip() for part in parts if part and "=" not in part)
    keys = [key for key, _ in options]
    if twice := [key for key in dict.fromkeys(keys) if keys.count(key) > 1]:
        raise UsageError(f"{text.strip()}: {twice[0]} is given {keys.count(twice[0])} times; keep one")
    return Spec(name, options, presets)


def parse_list(text: str) -> list[Spec]:
    """Specs separated by commas."""
    return [parse(part) for part in text.split(",") if part.strip()]


def setting(default: T) -> T:
    """An option that says how to work and does not change what comes out (a batch, a device, a time-out).

    It stays out of signatures, of keys and of equality: two metrics that differ in nothing else are the same metric.
    A subclass that gives another default has to say so again.
    """
    made: T = dataclasses.field(default=default, compare=False, metadata={"setting": True})
    return made


def is_setting(field: dataclasses.Field[Any]) -> bool:
    return bool(field.metadata.get("setting"))


def options(made: Any) -> dict[str, Any]:
    """All options of an instance, by name."""
    return {field.name: getattr(made, field.name) for field in dataclasses.fields(made) if field.init}


def choices(made: Any) -> dict[str, Any]:
    """The options of an instance that can change what comes out, by name."""
    idle = {field.name for field in dataclasses.fields(made) if is_setting(field)}
    return {name: value for name, value in options(made).items() if name not in idle}


def spelled(value: Any) -> str:
    """The value of an option as a spec has it."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`` (did you mean x?)`` or nothing; to be put behind an error."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""


def build(cls: type[T], spec: Spec, presets: Mapping[str, Mapping[str, Any]] | None = None) -> T:
    """An instance of a dataclass from a spec: presets first, then options, each checked against the field's type."""
    presets = presets or {}
    values: dict[str, Any] = {}
    fields = {field.name: field for field in dataclasses.fields(cls) if field.init}  # type: ignore[arg-type]
    for preset in spec.presets:
        if preset in fields and bool in _kinds(type_of(cls, fields[preset])):
            values[preset] = True  # `rouge:stemmer`, as numbers are called
            continue
        if preset not in presets:
            listed = f"; it has {', '.join(presets)}" if presets else "; it has none"
            raise AssayError(f"{spec.name}: no preset {preset}{did_you_mean(preset, presets)}{listed}")
        values.update(presets[preset])
    for key, text in spec.options:
        if key not in fields:
            listed = ", ".join(fields) or "none"
            raise AssayError(f"{spec.name}: no option {key}{did_you_mean(key, fields)}; it has: {listed}")
        values[key] = _convert(text, type_of(cls, fields[key]), f"{spec.name}:{key}")
    return cls(**values)


def type_of(cls: type, field: dataclasses.Field[Any]) -> Any:
    """The type of a field. Annotations are strings; each means what it means in the module that wrote it, and those of
    other fields need not mean anything at run time."""
    owner = next(base for base in cls.__mro__ if field.name in vars(base).get("__annotations__", {}))
    alone = types.SimpleNamespace(__annotations__={field.name: field.type})
    return typing.get_type_hints(alone, vars(sys.modules[owner.__module__]))[field.name]


def _convert(text: str, hint: Any, where: str) -> Any:
    try:
        return msgspec.convert(_plain(text, _kinds(hint)), hint, dec_hook=lambda kind, value: kind(value))
    except (msgspec.ValidationError, ValueError):
        raise AssayError(f"{where}={text}: {_wanted(hint)}") from None


def _kinds(hint: Any) -> set[Any]:
    """The plain types that a value may have."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return {type(choice) for choice in inner}
    return set().union(*map(_kinds, inner)) if origin in (typing.Union, types.UnionType) else {hint}


def _plain(text: str, kinds: set[Any]) -> Any:
    """What was written, as the first of these types that can be read from it; a text if there is none."""
    if type(None) in kinds and text.lower() == "none":
        return None
    if bool in kinds and text.lower() in SPELLED:
        return SPELLED[text.lower()]
    for number in (int, float):
        if number in kinds:
            try:
                return number(text)
            except ValueError:
                continue
    return text


def _wanted(hint: Any) -> str:
    """What to write instead."""
    given = [one for one in typing.get_args(hint) if one is not type(None)]
    if typing.get_origin(hint) is typing.Literal:
        return f"choose one of {', '.join(map(str, given))}"
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return " or ".join(map(_wanted, given))
    known = {bool: "give true or false", int: "give a whole number", float: "give a number"}
    return known.get(hint, f"give {getattr(hint, '__name__', hint)}")
